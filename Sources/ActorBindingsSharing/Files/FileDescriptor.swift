#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A descriptor of an open file or folder, which closes with the value. Each method is one system call, or a loop of
/// one, and repeats a call that a signal interrupts.
package struct FileDescriptor: ~Copyable, Sendable {
  let number: Int32
  /// For messages.
  let path: String

  init(number: Int32, path: String) {
    self.number = number
    self.path = path
  }

  deinit {
    _ = close(number)
  }

  /// Opens a folder by its path.
  package init(folder path: String) throws(SystemError) {
    let number = openFolder(path)
    if number < 0 { throw .last("open", ".") }
    self.init(number: number, path: ".")
  }

  /// How to open a file.
  package struct Mode: Sendable {
    let flags: Int32
    static let reading = Mode(flags: O_RDONLY)
    static let readingAndWriting = Mode(flags: O_RDWR)
    static let folder = Mode(flags: O_RDONLY | O_DIRECTORY)
    static let lock = Mode(flags: O_RDWR | O_CREAT)
    static let new = Mode(flags: O_RDWR | O_CREAT | O_EXCL)
  }

  /// Opens a file in this folder; nil if there is none.
  func open(_ path: String, _ mode: Mode) throws(SystemError) -> FileDescriptor? {
    let number = unsafe openat(self.number, path, mode.flags | O_CLOEXEC | O_NOFOLLOW, 0o666)
    if number >= 0 { return FileDescriptor(number: number, path: path) }
    let error = SystemError.last("open", path)
    if error.isMissing && mode.flags & O_CREAT == 0 { return nil }
    throw error
  }

  /// Opens a file that must exist or that `mode` creates.
  func opened(_ path: String, _ mode: Mode) throws(SystemError) -> FileDescriptor {
    if let file = try open(path, mode) { return file }
    throw SystemError(code: ENOENT, action: "open", path: path)
  }
}

// Within `FileDescriptor` the name `open` is a method.
private func openFolder(_ path: String) -> Int32 {
  unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
}

// MARK: - Bytes

extension FileDescriptor {
  /// Reads up to `count` bytes at an offset: fewer only at the end of the file.
  package func read(at offset: Int = 0, count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let target = unsafe buffer.baseAddress! + filled
        let result = unsafe pread(number, target, count - filled, off_t(offset + filled))
        if result == 0 { return }
        if result > 0 { filled += result } else if errno != EINTR { return failure = .last("read", path) }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Reads the whole file.
  package func readAll() throws(SystemError) -> [UInt8] {
    try read(count: status().size)
  }

  /// Writes all bytes at an offset.
  package func write(_ bytes: [UInt8], at offset: Int = 0) throws(SystemError) {
    var failure: SystemError?
    unsafe bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let source = unsafe buffer.baseAddress! + written
        let result = unsafe pwrite(number, source, buffer.count - written, off_t(offset + written))
        if result >= 0 { written += result } else if errno != EINTR { return failure = .last("write", path) }
      }
    }
    if let failure { throw failure }
  }

  /// Returns when the disk holds what was written: for a folder, the names in it.
  package func synchronize() throws(SystemError) {
    #if canImport(Darwin)
      // On Apple's systems `fsync` leaves the bytes in the cache of the disk.
      if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    while fsync(number) != 0 {
      if errno != EINTR { throw .last("synchronize", path) }
    }
  }

  /// What identifies a file while it is open, and its size.
  struct Status: Equatable {
    let device: UInt64
    let file: UInt64
    let size: Int
  }

  func status() throws(SystemError) -> Status {
    var status = stat()
    if unsafe fstat(number, &status) != 0 { throw .last("read the size of", path) }
    return Status(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      file: UInt64(status.st_ino),
      size: Int(status.st_size)
    )
  }
}

// MARK: - Locks

extension FileDescriptor {
  /// Locks this open file: exclusively, or as one of several readers. The kernel releases the lock when the descriptor
  /// is closed, also at the death of the process. Two descriptors of one process exclude each other too.
  ///
  /// - Returns: Whether the lock was taken; with `waits`, it always is.
  func lock(exclusive: Bool, waits: Bool) throws(SystemError) -> Bool {
    let operation = (exclusive ? LOCK_EX : LOCK_SH) | (waits ? 0 : LOCK_NB)
    while flock(number, operation) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw .last("lock", path) }
    }
    return true
  }
}

// MARK: - Names

extension FileDescriptor {
  /// The file at a path in this folder; nil if there is none.
  func status(of path: String) throws(SystemError) -> Status? {
    guard let file = try open(path, .reading) else { return nil }
    return try file.status()
  }

  /// Creates a folder in this folder, unless there is one.
  func makeFolder(_ path: String) throws(SystemError) {
    if unsafe mkdirat(number, path, 0o777) == 0 { return }
    let error = SystemError.last("create", path)
    if !error.exists { throw error }
  }

  /// Renames a file in this folder; replaces what has the new name, in one step.
  func rename(_ path: String, to newPath: String) throws(SystemError) {
    if unsafe renameat(number, path, number, newPath) != 0 { throw .last("rename a file to", newPath) }
  }

  /// Removes a file, and returns whether there was one.
  @discardableResult
  func remove(_ path: String) throws(SystemError) -> Bool {
    if unsafe unlinkat(number, path, 0) == 0 { return true }
    let error = SystemError.last("remove", path)
    if error.isMissing { return false }
    throw error
  }

  /// The names in a folder in this folder, in any order; none if there is no such folder.
  func names(in path: String) throws(SystemError) -> [String] {
    let number = unsafe openat(self.number, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard number >= 0 else {
      let error = SystemError.last("open", path)
      if error.isMissing { return [] }
      throw error
    }
    guard let stream = unsafe fdopendir(number) else {
      let error = SystemError.last("list", path)
      _ = close(number)
      throw error
    }
    defer { _ = unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw .last("list", path) }
    return names
  }
}
