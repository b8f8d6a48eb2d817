import Foundation

/// A public declaration of the library, read from its source file.
struct PublicDeclaration {
  private enum Kind: String, CaseIterable {
    case function = "func"
    case variable = "var"
    case `subscript`
    case initializer = "init"
    case `class`
    case `struct`
    case `actor`
  }

  /// The type that is declared or extended around this declaration, if there is one.
  private let owner: String?
  private let kind: Kind
  /// The text before its parameters.
  private let title: String
  private let parameters: String
  /// The text behind its parameters, up to its body.
  private let result: String

  /// Returns the public declarations in all files of the library, apart from the guesses, which are unavailable.
  static func all() throws -> [PublicDeclaration] {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/ActorBindings").standardized
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
    let sources = files.compactMap { $0 as? URL }.filter {
      $0.pathExtension == "swift" && !$0.pathComponents.contains("Guesses")
    }
    return try sources.flatMap { all(in: try String(contentsOf: $0, encoding: .utf8)) }
  }

  /// The name as `Type.name(labels:)`, without the type for members of every source. A parameter without a label is
  /// represented by its name.
  var name: String {
    let isOfAllSources = owner == "BindingSource" || owner == "StateSource"
    let base = [isOfAllSources ? nil : owner, baseName].compactMap { $0 }.joined(separator: ".")
    return base + labels + receiver
  }

  /// Whether this declaration is a source, or makes a source.
  var makesASource: Bool {
    switch kind {
    case .class, .struct, .actor:
      !words(of: result).isDisjoint(with: ["BindingSource", "StateSource", "BindableCell"])
    case .initializer: mentionsSources && (labels.hasPrefix("(of:") || labels.hasPrefix("(initially:of:"))
    case .function, .variable, .subscript:
      result.contains("DerivedSource<") || result.contains("some BindingSource")
        || result.contains("some StateSource") || result.contains("AnyBindingSource<")
        || result.contains("AnyStateSource<")
    }
  }

  /// Whether this declaration observes, binds, streams or awaits any source.
  var readsASource: Bool {
    switch kind {
    case .class, .struct, .actor, .initializer, .subscript: false
    case .function, .variable:
      (owner == "BindingSource" || owner == "StateSource" || owner == nil && mentionsSources)
        && (result.contains("BindingToken") || result.contains("BindingStream<") || result.contains("async"))
    }
  }

  var isAFunctionOrAVariable: Bool { kind == .function || kind == .variable }
  var takesABacklog: Bool { labels.split { "(:)".contains($0) }.contains("backlog") }
  var returnsAStream: Bool { result.contains("BindingStream<") }
  var returnsAToken: Bool { result.contains("BindingToken") }

  private var mentionsSources: Bool {
    !words(of: title + parameters + result).isDisjoint(with: ["BindingSource", "StateSource"])
  }

  private var baseName: String {
    switch kind {
    case .subscript, .initializer: kind.rawValue
    case .function, .variable, .class, .struct, .actor:
      title.split(separator: " ").drop { $0 != kind.rawValue }.dropFirst().first
        .map { String($0.prefix { !"<:(".contains($0) }) } ?? ""
    }
  }

  private var labels: String {
    switch kind {
    case .variable, .class, .struct, .actor: return ""
    case .function, .subscript, .initializer:
      let labels = split(parameters).map { parameter in
        let names = parameter.prefix { $0 != ":" }.split(separator: " ")
        return "\(names.first == "_" ? names.last ?? "" : names.first ?? ""):"
      }
      // The place of the call makes no other source or reader.
      return "(\(labels.filter { $0 != "fileID:" && $0 != "line:" }.joined()))"
    }
  }

  // The words that distinguish the name from that of another overload.
  private var receiver: String {
    switch kind {
    case .function where result.contains("Value == PersistentArray<"): " of an array"
    case .function where result.contains("Value == PersistentDictionary<"): " of a dictionary"
    case .initializer where words(of: title).contains("StateSource"): " of a state"
    default: ""
    }
  }
}

// MARK: - Reading a file

extension PublicDeclaration {
  private static func all(in file: String) -> [PublicDeclaration] {
    var found: [PublicDeclaration] = []
    var owner: String?
    let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.split(separator: " ")
      if words.first?.hasPrefix("//") == true { continue }
      if words.contains("public"), let declaration = PublicDeclaration(lines[index...], in: owner) {
        found.append(declaration)
      }
      if line.hasPrefix("}") { owner = nil }
      guard line.first?.isLetter == true || line.first == "@" else { continue }
      if let keyword = words.firstIndex(where: Self.typeKeywords.contains), keyword + 1 < words.count {
        owner = String(words[keyword + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
      }
    }
    return found
  }

  private static let typeKeywords: Set<Substring> = [
    "extension", "class", "actor", "struct", "enum", "protocol",
  ]

  private init?(_ lines: ArraySlice<Substring>, in owner: String?) {
    guard let first = lines.first else { return nil }
    let words = first.split { $0 == " " || $0 == "(" || $0 == "<" }
    guard let kind = words.lazy.compactMap({ Kind(rawValue: String($0)) }).first else { return nil }
    let text = Self.head(of: lines)
    let start = [.variable, .class, .struct, .actor].contains(kind) ? nil : Self.parameterStart(in: text)
    let titleEnd = start ?? text.firstIndex(of: ":") ?? text.endIndex
    let end = start.map { Self.closing(of: $0, in: text) } ?? titleEnd
    self.owner = kind == .class || kind == .struct || kind == .actor ? nil : owner
    self.kind = kind
    title = String(text[..<titleEnd])
    parameters = start.map { String(text[text.index(after: $0)..<end]) } ?? ""
    result = String(text[end...])
  }

  // Returns the text up to the brace that begins the body of the declaration.
  private static func head(of lines: ArraySlice<Substring>) -> String {
    var (head, depth) = ("", 0)
    for line in lines {
      for character in line.drop(while: \.isWhitespace) {
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        if character == "{", depth == 0 { return head }
        head.append(character)
      }
      // A stored variable has no body.
      if depth == 0, line.contains(" var "), !line.hasSuffix("<") { return head }
      head.append(" ")
    }
    return head
  }

  // Returns the first parenthesis, which begins the parameters: generic parameters contain no parentheses.
  private static func parameterStart(in text: String) -> String.Index? {
    text.firstIndex(of: "(")
  }

  private static func closing(of start: String.Index, in text: String) -> String.Index {
    var depth = 0
    for index in text[start...].indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth == 0 { return index }
    }
    return text.endIndex
  }
}

private func words(of text: String) -> Set<Substring> {
  Set(text.split { !$0.isLetter && !$0.isNumber })
}

// Splits parameters at the commas outside brackets.
private func split(_ parameters: String) -> [String] {
  var (parts, depth) = ([""], 0)
  for character in parameters {
    if "(<[".contains(character) { depth += 1 }
    if ")]".contains(character) || character == ">" && parts.last?.last != "-" { depth -= 1 }
    if character == ",", depth == 0 {
      parts.append("")
    } else {
      parts[parts.count - 1].append(character)
    }
  }
  return parts.filter { $0.contains { !$0.isWhitespace } }
}
