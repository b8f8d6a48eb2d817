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

/// Another process, which runs `FileStoreWriter`.
final class ChildProcess: Sendable {
  private let process: Process
  private let output: FileHandle

  init(_ arguments: String...) throws {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let pipe = Pipe()
    process = Process()
    process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("FileStoreWriter")
    process.arguments = arguments
    process.standardOutput = pipe
    output = pipe.fileHandleForReading
    try process.run()
  }

  func send(_ signal: Int32) {
    kill(process.processIdentifier, signal)
  }

  /// Returns when the process has reported `count` steps, or has ended. Returns the number of steps that were read.
  @discardableResult
  func reported(_ count: Int) async -> Int {
    await onThread { [output] in
      var read = 0
      while read < count, let data = try? output.read(upToCount: count - read), !data.isEmpty {
        read += data.count
      }
      return read
    }
  }

  /// Returns when the process has ended. Returns the number of steps that were not read yet, and the exit status.
  func ended() async -> (steps: Int, status: Int32) {
    await onThread { [output, process] in
      let rest = (try? output.readToEnd())?.count ?? 0
      process.waitUntilExit()
      return (rest, process.terminationStatus)
    }
  }

  private func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "child").async { continuation.resume(returning: body()) }
    }
  }
}

/// Returns when the condition holds.
func eventually(_ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
}
