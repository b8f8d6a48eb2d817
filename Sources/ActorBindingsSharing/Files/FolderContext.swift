#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What all parts of a store need to know of its folder and of the machine.
struct FolderContext: Sendable {
  let directory: String
  /// Whether a write waits for the disk.
  let synchronizes: Bool
  /// A name of the machine's current start.
  let boot: String
  /// The machine's clock, in nanoseconds: one for all its processes, and it runs while the machine sleeps.
  let now: @Sendable () -> UInt64

  /// The name of the store, for messages.
  var name: String { "the folder \(directory)" }

  /// The error for the caller of the store.
  func storeError(_ error: any Error) -> any Error {
    switch error {
    case let error as SystemError: StoreError(error, directory: directory)
    case let error as DamagedFile:
      StoreError.refused(
        "\(directory)/\(error.path) was not written by a FileStore, or is damaged: remove it, or choose another folder"
      )
    case is UnknownFormat:
      StoreError.refused("a later version of this library has written \(directory): update this program")
    default: error
    }
  }
}

extension FolderContext {
  /// A random name of lower-case letters and digits.
  static func randomName() -> String {
    var random = SystemRandomNumberGenerator()
    return String(random.next() as UInt64, radix: 36)
  }

  /// The time of day: the microseconds since 1970.
  static func microseconds() -> UInt64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(time.tv_sec, 0)) * 1_000_000 + UInt64(time.tv_nsec / 1000)
  }

  static let machineClock: @Sendable () -> UInt64 = {
    var time = timespec()
    #if os(Linux)
      _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    #else
      // On Apple's systems this clock runs while the machine sleeps.
      _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The name of the machine's current start, or of none where the system has no such name: then the folder is taken to
  /// be intact after a power failure.
  static let machineBoot: String = {
    #if os(Linux)
      guard let folder = try? FileDescriptor(folder: "/proc/sys/kernel/random"),
        let file = try? folder.open("boot_id", .reading), let bytes = try? file.read(count: 36)
      else { return "none" }
      let name = String(decoding: bytes, as: UTF8.self).filter { $0.isHexDigit || $0 == "-" }
      return name.isEmpty ? "none" : name
    #elseif canImport(Darwin)
      var size = 0
      guard unsafe sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0 else { return "none" }
      var bytes = [UInt8](repeating: 0, count: size)
      guard unsafe sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return "none" }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    #else
      return "none"
    #endif
  }()
}

extension Duration {
  /// The duration in nanoseconds: 0 if it is negative, and never more than a hundred years.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    if self <= .zero { return 0 }
    return UInt64(min(seconds, 3_155_760_000)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

extension FolderContext {
  /// The path of a folder that stays right when the process changes its working folder.
  static func absolute(_ directory: String) -> String {
    if directory.isEmpty || directory.hasPrefix("/") { return directory }
    guard let current = unsafe getcwd(nil, 0) else { return directory }
    defer { unsafe free(current) }
    return unsafe "\(String(cString: current))/\(directory)"
  }

  /// Creates the folder if there is none.
  func makeDirectory() throws(StoreError) {
    if directory.isEmpty || directory.utf8.contains(0) {
      throw .refused("\"\(directory)\" is no path of a folder: pass the path of a folder for the store only")
    }
    do throws(SystemError) {
      if unsafe mkdir(directory, 0o777) != 0 {
        if errno != EEXIST { throw SystemError.last("create", ".") }
        _ = try FileDescriptor(folder: directory)
      } else if synchronizes {
        try FileDescriptor(folder: "\(directory)/..").synchronize()
      }
    } catch {
      if error.isMissing {
        throw .refused("cannot create \(directory): its parent is missing: create the parent first")
      }
      throw StoreError(error, directory: directory)
    }
  }
}
