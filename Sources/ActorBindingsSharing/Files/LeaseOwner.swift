internal import ActorBindings

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The owner of the leases that one store object grants: none until the first lease.
// @unchecked: `lock` guards `current`.
final class LeaseOwnership: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var current: LeaseOwner?

  /// Returns the owner. Makes one if there is none, or if its file is gone because the folder was emptied. Only one
  /// thread at a time may call this.
  func owner(in folder: LockedFolder) throws -> LeaseOwner {
    if let known = lock.withLock({ current }), try folder.folder.owns(known.name) { return known }
    let name = FolderContext.randomName()
    let new = LeaseOwner(name, try folder.addOwner(name), directory: folder.context.directory)
    let old = lock.withLock { () -> LeaseOwner? in
      defer { current = new }
      return current.take()
    }
    withExtendedLifetime(old) {}
    return new
  }
}

/// The store object as the owner of the leases that it has granted: a file that is locked while the object lives. The
/// kernel releases the lock when the process dies.
// @unchecked: `lock` guards `count`.
final class LeaseOwner: @unchecked Sendable {
  let name: String
  private let file: FileDescriptor
  private let path: String
  private let lock = Lock()
  // Guarded by `lock`.
  private var count = 0

  init(_ name: String, _ file: consuming FileDescriptor, directory: String) {
    self.name = name
    self.file = file
    path = "\(directory)/\(StoreFolder.file(ofOwner: name))"
  }

  deinit {
    _ = unsafe unlink(path)
  }

  /// A name for another lease.
  func nextName() -> LeaseName {
    LeaseName(
      owner: name,
      number: lock.withLock {
        count += 1; return count
      }
    )
  }
}
