import ActorBindingsSharing
import Foundation

/// A folder for one test, which is removed with the value.
final class TemporaryFolder: Sendable {
  /// The path of a folder that is there.
  let parent: String
  /// The path of a folder for a store, which is not there yet.
  var path: String { parent + "/store" }

  init() throws {
    var random = SystemRandomNumberGenerator()
    parent = NSTemporaryDirectory() + "/actor-bindings-" + String(random.next() as UInt64, radix: 36)
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: parent)
  }

  /// The names of all files below the folder of the store.
  var files: Set<String> {
    let paths = FileManager.default.subpaths(atPath: path) ?? []
    return Set(paths.filter { !isFolder($0) })
  }

  private func isFolder(_ name: String) -> Bool {
    var answer: ObjCBool = false
    return unsafe FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &answer)
      && answer.boolValue
  }

  func remove(_ name: String = "") throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
  }

  func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
  }

  func replace(_ name: String, with bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }
}

/// Returns when the condition holds.
func eventually(_ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
}

extension FileStore {
  /// A store whose calls wait for the lock of the folder as long as a busy machine needs.
  convenience init(patient directory: String, durability: Durability = .powerLoss) throws {
    try self.init(directory, durability: durability, scanInterval: .seconds(1), patience: .seconds(240))
  }
}
