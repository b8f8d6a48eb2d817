import Foundation

/// The differences between a commit and the current files.
enum Changes {
  /// The changed lines of each file of the library, by path below `Schema.library`. If lines were only removed at a
  /// place, the lines around this place count as changed.
  static func lines(since commit: String) throws -> [String: [ClosedRange<Int>]] {
    let text = try git(
      "diff",
      "-U0",
      "--no-color",
      "--no-ext-diff",
      "--no-renames",
      "--src-prefix=a/",
      "--dst-prefix=b/",
      commit,
      "--",
      Schema.library
    )
    var lines: [String: [ClosedRange<Int>]] = [:]
    var file: String?
    for line in text.split(separator: "\n") {
      if line.hasPrefix("+++ ") {
        let path = line.dropFirst("+++ b/\(Schema.library)/".count)
        file = line.hasSuffix(".swift") ? String(path) : nil
      } else if let file, let hunk = line.prefixMatch(of: /@@ -\S+ \+(\d+)(?:,(\d+))? @@/) {
        let first = Int(hunk.1) ?? 0
        let count = hunk.2.flatMap { Int($0) } ?? 1
        lines[file, default: []].append(count == 0 ? first...(first + 1) : first...(first + count - 1))
      }
    }
    for path in try git("ls-files", "--others", "--exclude-standard", "--", Schema.library).split(
      separator: "\n"
    )
    where path.hasSuffix(".swift") {
      lines[String(path.dropFirst(Schema.library.count + 1))] = [1...Int.max]
    }
    return lines
  }

  private static func git(_ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-c", "core.quotePath=false"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure("git \(arguments.joined(separator: " ")) failed")
    }
    return text
  }
}
