internal import ActorBindings

/// Reads and changes the folder of a store. All methods block the calling thread.
// @unchecked: `lock` guards `position`.
final class FolderAccess: @unchecked Sendable {
  let context: FolderContext
  private let lock = Lock()
  // How far this process has read the journal. Guarded by `lock`.
  private var position: JournalPosition?

  init(_ context: FolderContext) {
    self.context = context
  }

  /// Runs `body` with the lock of the folder, and returns when the disk has the names that `body` has changed.
  ///
  /// - Returns: nil if another descriptor holds the lock and `waits` is false.
  func whileLocked<R>(waits: Bool, _ body: (LockedFolder) throws -> R) throws -> R? {
    guard let (result, changed) = try change(waits: waits, body) else { return nil }
    // Without the lock, so that other writers need not wait.
    if context.synchronizes && !changed.isEmpty {
      do {
        try synchronize(changed)
      } catch {
        throw StoreError.uncertain("a write to \(context.name) may not have reached the disk: \(error)")
      }
    }
    return result
  }

  /// Runs `body` with the lock of the folder. While it waits for the lock, the caller of `call` may stop waiting.
  func whileLocked<R>(_ calls: BlockingCalls, _ call: BlockingCall, _ body: (LockedFolder) throws -> R) throws
    -> R
  {
    if let result = try whileLocked(
      waits: false,
      {
        try call.begin(); return try body($0)
      }
    ) {
      return result
    }
    calls.lockWasTaken()
    defer { calls.lockCame() }
    let result = try whileLocked(waits: true) {
      calls.lockCame()
      try call.begin()
      return try body($0)
    }
    guard let result else { fatalError("the wait for the lock ended without the lock") }
    return result
  }

  private func change<R>(waits: Bool, _ body: (LockedFolder) throws -> R) throws -> (R, Set<String>)? {
    let known = lock.withLock { position }
    guard let folder = try LockedFolder.open(context, after: known, waits: waits) else { return nil }
    let result = try body(folder)
    let newPosition = folder.position
    lock.withLock { self.position = newPosition }
    return (result, folder.changedFolders)
  }

  private func synchronize(_ folders: Set<String>) throws {
    let folder = try StoreFolder(context.directory)
    for path in folders.sorted() {
      try folder.root.open(path, .folder)?.synchronize()
    }
  }
}

// MARK: - Loading

extension FolderAccess {
  /// Reads the entries of a scope, as they are at one revision; nil if a writer was at work meanwhile, or if the lease
  /// of an entry has ended.
  ///
  /// The journal says before and after whether there was a write, and the intent in the lock file says whether there is
  /// one that the journal does not have yet.
  func loadUnlocked(_ scope: StoreScope) throws -> StoreSnapshot? {
    let folder = try StoreFolder(context.directory)
    let known = lock.withLock { position }
    guard let start = try folder.journal(after: known, boot: context.boot)?.position else { return nil }
    let now = context.now()
    var entries: [StoreEntry] = []
    for path in try folder.paths(in: scope) {
      guard let file = try folder.entry(at: path) else { continue }
      if try file.header.revision > start.revision || folder.isOver(file.header, at: now) { return nil }
      entries.append(StoreEntry(path, file))
    }
    guard try folder.journal(after: start, boot: context.boot)?.position == start,
      try (folder.intent()?.revision ?? 0) <= start.revision
    else { return nil }
    lock.withLock { position = start }
    return StoreSnapshot(entries: entries, revision: StoreRevision(start.revision))
  }
}

extension LockedFolder {
  /// Reads the entries of a scope. Removes those whose lease has ended.
  func load(_ scope: StoreScope) throws -> StoreSnapshot {
    var entries: [StoreEntry] = []
    for path in try folder.paths(in: scope) {
      guard try currentHeader(at: path) != nil, let file = try folder.entry(at: path) else { continue }
      entries.append(StoreEntry(path, file))
    }
    return StoreSnapshot(entries: entries, revision: StoreRevision(position.revision))
  }

  /// The header of an entry; nil if there is none. Removes the entry if its lease has ended.
  func currentHeader(at path: EntryPath) throws -> EntryHeader? {
    guard let header = try folder.header(at: path) else { return nil }
    guard try folder.isOver(header, at: context.now()), let lease = header.lease else { return header }
    if let name = LeaseName(lease) { try end(name) }
    // The file of the lease may be lost, or may not name the entry.
    if try folder.header(at: path)?.lease == lease { _ = try put(nil, lease: nil, at: path) }
    return nil
  }

  /// Writes or removes one entry, if the entry is as the caller expects.
  func write(_ write: StoreWrite) throws -> StoreWriteResult {
    let path = EntryPath(key: write.key)
    var lease: LeaseName?
    if let id = write.lease?.id {
      guard let name = LeaseName(id), try isHeldOrEnds(name) else { throw StoreError.leaseEnded }
      lease = name
    }
    let header = try currentHeader(at: path)
    let isAsExpected =
      switch write.expected {
      case .anything: true
      case .absent: header == nil
      case .revision(let revision): header?.revision == revision.number
      }
    guard isAsExpected else { return .conflict(try folder.entry(at: path).map { StoreEntry(path, $0) }) }
    if write.bytes == nil && header == nil { return .applied(StoreRevision(position.revision)) }
    if let lease, write.bytes != nil, header?.lease != lease.text { try note(path, in: lease) }
    return .applied(StoreRevision(try put(write.bytes, lease: write.bytes == nil ? nil : lease, at: path)))
  }
}

extension StoreEntry {
  init(_ path: EntryPath, _ file: EntryFile) {
    self.init(key: path.key, bytes: file.bytes, revision: StoreRevision(file.header.revision))
  }
}
