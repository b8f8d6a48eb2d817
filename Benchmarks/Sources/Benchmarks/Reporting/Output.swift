import Foundation

/// Where figures go. That they cannot go there is found out before the run, and not minutes later.
enum Output {
  /// What stands in the file stays until it is written.
  static func tryFile(_ path: String) throws(Refusal) {
    guard let file = fopen(path, "a") else { throw refusal(path) }
    fclose(file)
  }

  /// Makes the directory if there is none.
  static func tryDirectory(_ path: String) throws(Refusal) {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // Only what is a directory has a '.' in it.
    guard access(path + "/.", W_OK) == 0 else { throw refusal(path) }
  }

  private static func refusal(_ path: String) -> Refusal {
    Refusal(message: "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
