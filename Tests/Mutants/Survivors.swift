import Foundation

/// The explanations in `Survivors.md` of the changes that no test notices.
struct Survivors {
  /// The reason why each explained change may survive, by the name of the change.
  private(set) var reasons: [String: String] = [:]
  /// The changes for which a test is to be written.
  private(set) var open: Set<String> = []
  // Lines that look like an entry, and are no valid entry.
  private var unreadable: [String] = []

  // Reads headings such as `## Claim.swift`, and entries such as: - `function`, kind and kind, 2 of 3: why.
  init(path: String) throws {
    var file = ""
    var isOpen = false
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init) {
      if line.hasPrefix("## ") { isOpen = line == "## Not yet killed" }
      if line.hasPrefix("#") { file = String(line.drop { $0 == "#" || $0 == " " }) }
      guard let entry = line.wholeMatch(of: /- `([^`]+)`, ([^:]+): (.*)/) else {
        if line.hasPrefix("- `") { unreadable.append("\(file): \(line)") }
        continue
      }
      for kind in String(entry.2).components(separatedBy: " and ") {
        let name = "\(file): `\(entry.1)`, \(kind)"
        if reasons[name] != nil { unreadable.append("\(name): a second entry") }
        if isOpen { open.insert(name) } else { reasons[name] = String(entry.3) }
      }
    }
  }

  func explain(_ mutant: Mutant) -> Bool { reasons[mutant.name] != nil }

  /// Prints the entries that match none of these changes because the code has changed. Returns true if there are no
  /// such entries.
  func areCurrent(among mutants: [Mutant]) -> Bool {
    let stale = open.union(reasons.keys).subtracting(mutants.map(\.name)).sorted() + unreadable
    stale.forEach { print("STALE: \($0)") }
    return stale.isEmpty
  }
}
