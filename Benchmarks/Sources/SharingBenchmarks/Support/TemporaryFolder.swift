import Foundation

/// A folder that is removed with all that it contains.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("sharing-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }
}

/// Runs `body` with a folder that exists until `body` returns.
func withTemporaryFolder<R>(_ body: (String) async throws -> R) async throws -> R {
  let folder = try TemporaryFolder()
  defer { folder.remove() }
  return try await body(folder.path)
}
