import Foundation

/// A suite of tests: how long it takes, and which changes it executes.
struct Suite {
  /// The name of the suite, behind the name of its module.
  let name: String
  let seconds: Double
  // Whether the suite executes each change, by the number of the change.
  private let reached: Data

  var shortName: String { String(name.split(separator: ".").last ?? "") }

  var isOfAnArticle: Bool { name.hasSuffix("Examples") }

  func reaches(_ mutant: Mutant) -> Bool { reached[mutant.number] != 0 }

  /// Returns the names of all suites of a test program.
  static func names(in binary: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: binary)
    process.arguments = ["--testing-library", "swift-testing", "--list-tests"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let suites = Set(
      text.split(separator: "\n").compactMap { $0.split(separator: "/").first.map(String.init) }
    )
    if suites.isEmpty { throw Failure("\(binary) lists no tests") }
    return suites.sorted()
  }

  /// Runs a suite with nothing changed. Returns nil if the suite fails.
  ///
  /// - Parameter count: The number of changes in the copy.
  static func measured(_ name: String, among count: Int, _ variables: [String: String], core: Int)
    -> Suite?
  {
    let path = ".build/mutants/reached.\(core)"
    let bytes = Data(count: count + 1)
    guard FileManager.default.createFile(atPath: path, contents: bytes) else { return nil }
    let trial = Trial(
      arguments: Self.filter([name]),
      limit: 900,
      binary: Copy.mutants.binary,
      variables: variables.merging(["ACTORBINDINGS_REACHED": path]) { $1 }
    )
    let (outcome, seconds) = trial.run(0, core: core)
    guard outcome == .passed, let reached = FileManager.default.contents(atPath: path) else {
      print("\(name): \(outcome)")
      return nil
    }
    return Suite(name: name, seconds: seconds, reached: reached)
  }

  static func filter(_ names: [String]) -> [String] {
    let pattern = names.map { NSRegularExpression.escapedPattern(for: $0) }.joined(separator: "|")
    return ["--filter", "^(\(pattern))/"]
  }
}

extension Trial {
  /// Makes a trial of these suites in one process. The time limit allows for a busy machine.
  init(of suites: [Suite], _ variables: [String: String]) {
    self.init(
      arguments: Suite.filter(suites.map(\.name)),
      limit: 3 * suites.reduce(0) { $0 + $1.seconds } + 5,
      binary: Copy.mutants.binary,
      variables: variables
    )
  }
}
