import Foundation

/// A folder of its own for one run of the program.
struct TemporaryFolder {
  let path: String

  init() throws {
    let name = "cluster-board-\(UUID().uuidString)"
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }
}
