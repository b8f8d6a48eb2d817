import Foundation
import Reporting

/// A file or a directory for the figures. The program checks before the run whether it can be written, and not minutes
/// later.
enum Output {
  /// Throws if the file cannot be written. The old content of the file stays until the new content is written.
  static func tryFile(_ path: String) throws(Refusal) {
    guard let file = fopen(path, "a") else { throw refusal(path) }
    fclose(file)
  }

  /// Throws if the directory cannot be written. Makes the directory if there is none.
  static func tryDirectory(_ path: String) throws(Refusal) {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // Only a directory contains '.'.
    guard access(path + "/.", W_OK) == 0 else { throw refusal(path) }
  }

  private static func refusal(_ path: String) -> Refusal {
    Refusal(message: "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
