import Foundation

/// The copy of the package in which every change waits behind its switch.
struct Copy {
  static let mutants = Copy(folder: ".build/mutants")
  /// The copy for faults, with the scenarios and without any other test. Some faults show only as a use of freed
  /// memory, which the address sanitizer finds whatever the memory holds by then.
  static let faults = Copy(folder: ".build/faults", only: "ScheduleTests", options: ["--sanitize=address"])

  private let folder: String
  private let only: String?
  private let options: [String]

  private init(folder: String, only: String? = nil, options: [String] = []) {
    self.folder = folder
    self.only = only
    self.options = options
  }

  private var place: String { "\(folder)/copy" }
  private var scratch: String { "\(folder)/build" }
  private var log: String { "\(folder)/log" }
  var binary: String { "\(scratch)/debug/swift-actor-bindingsPackageTests.xctest" }

  /// Copies the package, with `files` instead of the library's own files, and compiles the copy.
  func build(_ files: [String: [UInt8]]) throws {
    try write(files)
    guard try compile("--build-tests").isEmpty else { throw Failure("the copy does not build: see \(log)") }
  }

  /// Copies and compiles the package. Removes the changes that the compiler refuses, until it refuses none.
  func build(_ schema: inout Schema) throws {
    try write(schema.files)
    while true {
      let errors = try compile("--target", "ActorBindings")
      if errors.isEmpty { break }
      let before = schema.refused.count
      let wasTakenBack = Set(errors).sorted { ($0.file, $0.line) < ($1.file, $1.line) }.map {
        schema.takeBack(file: $0.file, line: $0.line)
      }
      guard wasTakenBack.contains(true) else {
        throw Failure("the copy does not build: see \(log)")
      }
      print("the compiler refuses \(schema.refused.count - before) changes more")
      try write(schema.files)
    }
    guard try compile("--build-tests").isEmpty else {
      throw Failure("the tests do not build: see \(log)")
    }
  }

  // Compiles the copy, and returns the places of the errors. With the trait `Explorer`, one build serves the tests and
  // the scenarios: the explorer does nothing before a scenario begins.
  private func compile(_ arguments: String...) throws -> [Place] {
    let logFile = URL(fileURLWithPath: log)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data().write(to: logFile)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "swift", "build", "--package-path", place, "--scratch-path", scratch, "--traits", "Explorer",
      ]
      + options + arguments
    let file = try FileHandle(forWritingTo: logFile)
    process.standardOutput = file
    process.standardError = file
    if let only {
      process.environment = ProcessInfo.processInfo.environment.merging(["ACTORBINDINGS_ONLY": only]) { $1 }
    }
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus == 0 { return [] }
    let text = try String(contentsOf: logFile, encoding: .utf8)
    let errors = text.matches(of: /Sources\/ActorBindings\/([^:\s]+\.swift):(\d+):\d+: error:/)
    guard !errors.isEmpty else { throw Failure("the copy does not build: see \(log)") }
    return errors.map { Place(file: String($0.1), line: Int($0.2) ?? 0) }
  }

  private struct Place: Hashable {
    let file: String
    let line: Int
  }

  // Writes only files that differ, so that the compiler does not compile the others again.
  private func write(_ changed: [String: [UInt8]]) throws {
    var files: [String: Data] = [:]
    // Some tests compare compiled examples with the README and the articles.
    for file in ["Package.swift", "README.md"] {
      files[file] = try Data(contentsOf: URL(fileURLWithPath: file))
    }
    for folder in ["Sources", "Tests"] {
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
      where [".swift", ".c", ".h", ".modulemap", ".md"].contains(where: path.hasSuffix) {
        if path.hasPrefix("Mutants/") || path.hasPrefix("Faults/") { continue }
        files["\(folder)/\(path)"] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(path)"))
      }
    }
    for (path, bytes) in changed { files["\(Schema.library)/\(path)"] = Data(bytes) }

    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for path in try FileManager.default.subpathsOfDirectory(atPath: place)
    where path.hasSuffix(".swift") && files[path] == nil {
      try FileManager.default.removeItem(atPath: "\(place)/\(path)")
    }
    for (path, content) in files {
      let url = URL(fileURLWithPath: "\(place)/\(path)")
      if (try? Data(contentsOf: url)) == content { continue }
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try content.write(to: url)
    }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
