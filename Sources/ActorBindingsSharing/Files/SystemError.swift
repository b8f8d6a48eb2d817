#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The failure of a system call.
package struct SystemError: Error, Hashable {
  /// The value of `errno`.
  package let code: Int32
  /// What the caller tried to do, such as "open".
  package let action: String
  /// The path, relative to the folder of the store.
  package let path: String

  package init(code: Int32, action: String, path: String) {
    self.code = code
    self.action = action
    self.path = path
  }

  /// The failure that the calling thread has just met.
  static func last(_ action: String, _ path: String) -> SystemError {
    SystemError(code: errno, action: action, path: path)
  }

  var isMissing: Bool { code == ENOENT }
  var exists: Bool { code == EEXIST || code == ENOTEMPTY }
}

extension StoreError {
  /// What a failed system call means to the caller of a store in `directory`. No retry mends a folder that this process
  /// may not use; a full disk or a missing folder may be mended while the process runs.
  package init(_ error: SystemError, directory: String) {
    let place = error.path.isEmpty || error.path == "." ? directory : "\(directory)/\(error.path)"
    let fact = unsafe "cannot \(error.action) \(place): \(String(cString: strerror(error.code)))"
    switch error.code {
    case ENOTDIR:
      self = .refused(
        "\(fact); a file is where a folder should be: choose another path, or move the file away"
      )
    case EACCES, EPERM:
      self = .refused(
        "\(fact); give this process's user the right to read and write \(directory) and what is in it"
      )
    case EROFS:
      self = .refused("\(fact); choose a folder of a file system that is not mounted read-only")
    case ENAMETOOLONG, ELOOP:
      self = .refused("\(fact); choose a folder with a shorter path, without a loop of symbolic links")
    case EISDIR:
      self = .refused(
        "\(fact); a folder is where a file should be: only a FileStore may change what is in \(directory)"
      )
    case ENOENT:
      self = .unavailable("\(fact); the folder of the store is missing: create \(directory) again")
    case ENOSPC, EDQUOT:
      self = .unavailable("\(fact); delete files there, or raise the quota")
    case EMFILE, ENFILE:
      self = .unavailable("\(fact); raise the limit of open files")
    default:
      self = .unavailable("\(fact); check the disk and the rights of \(directory)")
    }
  }
}
