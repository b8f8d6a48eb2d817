import Foundation

/// What `Survivors.md` says about the changes that no test notices.
struct Survivors {
  /// Those that no test can notice, or need not.
  private(set) var explained: Set<String> = []
  /// Those for which a test is to be written.
  private(set) var open: Set<String> = []

  // A heading `## Cell/Claim.swift`, and below it: - `the line` in `function`, kind and kind: why.
  init(path: String) throws {
    var file = ""
    var isOpen = false
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init) {
      if line.hasPrefix("## ") { isOpen = line == "## Not yet killed" }
      if line.hasPrefix("#") { file = String(line.drop { $0 == "#" || $0 == " " }) }
      guard let entry = line.wholeMatch(of: /- `(.+)` in `([^`]+)`, ([^:]+): .*/) else { continue }
      for kind in String(entry.3).components(separatedBy: " and ") {
        let name = "\(file): `\(entry.1)` in `\(entry.2)`, \(kind)"
        if isOpen { open.insert(name) } else { explained.insert(name) }
      }
    }
  }
}
