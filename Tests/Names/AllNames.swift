import Foundation

// Prints the article AllNames.md: each public name of each module, with the first sentence of its documentation.
//
//     allnames FOLDER MODULE…      FOLDER has the symbol graphs that the compiler emits
//
// The groups and their order are those of the pages in the catalogs: a module's landing page groups its types and
// functions, and a type's page, if the catalog has one, groups its members. Other members are in alphabetical order.

@main
enum AllNames {
  static func main() throws {
    let folder = URL(filePath: CommandLine.arguments[1])
    let modules = try CommandLine.arguments.dropFirst(2).map { try Module(name: $0, graphs: folder) }
    print(
      """
      # All names

      Find a public name of the five modules, and read in one sentence what it is for.

      ## Overview

      Each type stands above its members. What a type has because it conforms to a protocol stands under the protocol:
      the members of all cells under `BindableCell`, and those of all sources under `BindingSource`. Overloads with the
      same first sentence have one line. A script makes this page.
      """
    )
    for module in modules { print("\n" + module.section) }
  }
}

/// A module, its symbols, and the pages of its catalog.
struct Module {
  let name: String
  private let tops: [Symbol]
  private let members: [String: [Symbol]]
  private let ambiguous: Set<String>
  private let extensions: [Symbol]

  init(name: String, graphs: URL) throws {
    self.name = name
    let graph = try Self.graph(of: name, in: graphs)
    let all = graph?.symbols ?? []
    // A default implementation stands at the requirement.
    let implementations = graph?.relationships.filter { $0.kind == "defaultImplementationOf" } ?? []
    let defaults = Set(implementations.map(\.source))
    let own = all.filter { !$0.isInherited && !defaults.contains($0.identifier.precise) }
    // The compiler emits symbols in an order that may change.
    tops = own.filter { $0.pathComponents.count == 1 }.sorted { $0.sentence < $1.sentence }
    members = Dictionary(grouping: own.filter { $0.pathComponents.count > 1 }) { $0.parent }
    ambiguous = Set(Dictionary(grouping: all, by: \.path).filter { $0.value.count > 1 }.keys)
    let extended = try Self.graph(of: "\(name)@Swift", in: graphs)?.symbols ?? []
    extensions = extended.sorted { ($0.path, $0.sentence) < ($1.path, $1.sentence) }
  }

  /// The part of the article on this module.
  var section: String {
    var lines = ["## \(name)"]
    for group in Page(module: name, symbol: name).groups {
      let entries = group.names.flatMap { name in Self.distinct(tops.filter { $0.title == name }) }
      if entries.isEmpty { continue }
      lines += heading(group.title)
      for entry in entries {
        lines.append(row(entry))
        lines += membersInOrder(of: entry.title).map(row)
      }
    }
    if !extensions.isEmpty {
      lines += heading("Members of the standard library's types")
      lines += Self.distinct(extensions).map { "| `\($0.dotted)` | \($0.sentence) |" }
    }
    return lines.joined(separator: "\n")
  }

  private func heading(_ title: String) -> [String] {
    ["", "### \(title)", "", "| name | what it is for |", "|---|---|"]
  }

  private func membersInOrder(of type: String) -> [Symbol] {
    let order = Page(module: name, symbol: type).groups.flatMap(\.names)
    let place = Dictionary(zip(order, order.indices)) { first, _ in first }
    func key(_ symbol: Symbol) -> (Int, String, String) {
      (place[symbol.title] ?? order.count, symbol.title, symbol.sentence)
    }
    let direct = (members[type] ?? []).sorted { key($0) < key($1) }
    return Self.distinct(direct).flatMap { [$0] + membersInOrder(of: $0.path) }
  }

  private func row(_ symbol: Symbol) -> String {
    // The page of a module shows a link by its last component.
    let parts = symbol.pathComponents
    let plain = parts.dropFirst(parts.count > 1 ? 1 : 0).joined(separator: ".")
    let link = ambiguous.contains(symbol.path) ? "`\(plain)`" : "``/\(name)/\(symbol.path)``"
    let mark = members[symbol.path] == nil || parts.count > 1 ? "" : "**"
    return "| \(mark)\(link)\(mark) | \(symbol.sentence) |"
  }

  private static func distinct(_ symbols: [Symbol]) -> [Symbol] {
    var seen: Set<String> = []
    return symbols.filter { seen.insert($0.path + $0.sentence).inserted }
  }

  private static func graph(of module: String, in folder: URL) throws -> SymbolGraph? {
    let file = folder.appending(path: "\(module).symbols.json")
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
  }
}

struct SymbolGraph: Decodable {
  struct Relationship: Decodable {
    let kind: String
    let source: String
  }

  let symbols: [Symbol]
  let relationships: [Relationship]
}

struct Symbol: Decodable {
  struct Identifier: Decodable { let precise: String }
  struct Comment: Decodable { let lines: [Line] }
  struct Line: Decodable { let text: String }

  let identifier: Identifier
  let pathComponents: [String]
  let docComment: Comment?

  var title: String { pathComponents[pathComponents.count - 1] }
  var path: String { pathComponents.joined(separator: "/") }
  var dotted: String { pathComponents.joined(separator: ".") }
  var parent: String { pathComponents.dropLast().joined(separator: "/") }

  /// Whether a type has this member only because it conforms to a protocol.
  var isInherited: Bool { identifier.precise.contains("::SYNTHESIZED::") }

  /// The first sentence of the documentation.
  var sentence: String {
    let paragraph = (docComment?.lines ?? []).map(\.text).prefix { !$0.isEmpty }.joined(separator: " ")
    let end = paragraph.firstRange(of: /[.] (?=[A-Z`])/)?.lowerBound
    let first = end.map { String(paragraph[...$0]) } ?? paragraph
    // A link of a comment is relative to the commented symbol.
    return first.replacing("``", with: "`").replacing("|", with: "\\|")
  }
}

/// The groups of a page in a catalog.
struct Page {
  struct Group {
    let title: String
    var names: [String] = []
  }

  private(set) var groups: [Group] = []

  init(module: String, symbol: String) {
    let file = "Sources/\(module)/\(module).docc/\(symbol).md"
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return }
    guard let topics = text.firstRange(of: "## Topics") else { return }
    for line in text[topics.upperBound...].split(separator: "\n") {
      if line.hasPrefix("### ") { groups.append(Group(title: String(line.dropFirst(4)))) }
      if let link = line.wholeMatch(of: /- ``(.*)``/)?.1 {
        groups[groups.count - 1].names.append(Self.name(String(link)))
      }
    }
  }

  // Returns the name in a link, without what tells overloads apart.
  private static func name(_ link: String) -> String {
    if let end = link.firstIndex(of: ")") { return String(link[...end]) }
    return link.replacing(/-swift\..*/, with: "")
  }
}
