import Foundation

/// What `Survivors.md` says about the changes that no test notices.
struct Survivors {
  /// Those that no test can notice, or need not.
  private(set) var explained: Set<String> = []
  /// Those for which a test is to be written.
  private(set) var open: Set<String> = []
  // Lines that look like an entry, and are none.
  private var unreadable: [String] = []

  // A heading `## Cell/Claim.swift`, and below it: - `the line` in `function`, kind and kind: why.
  init(path: String) throws {
    var file = ""
    var isOpen = false
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init) {
      if line.hasPrefix("## ") { isOpen = line == "## Not yet killed" }
      if line.hasPrefix("#") { file = String(line.drop { $0 == "#" || $0 == " " }) }
      guard let entry = line.wholeMatch(of: /- `(.+)` in `([^`]+)`, ([^:]+): .*/) else {
        if line.hasPrefix("- `") { unreadable.append("\(file): \(line)") }
        continue
      }
      for kind in String(entry.3).components(separatedBy: " and ") {
        let name = "\(file): `\(entry.1)` in `\(entry.2)`, \(kind)"
        if isOpen { open.insert(name) } else { explained.insert(name) }
      }
    }
  }

  /// Prints the entries that speak of none of these changes: the code has moved on. True if there is none.
  func areCurrent(among mutants: [Mutant]) -> Bool {
    let stale = explained.union(open).subtracting(mutants.map(\.name)).sorted() + unreadable
    stale.forEach { print("STALE: \($0)") }
    return stale.isEmpty
  }
}
