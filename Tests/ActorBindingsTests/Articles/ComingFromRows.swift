import Foundation

/// The rows of the articles *Coming from*, and the code that they say to write here.
struct ComingFromRow: Sendable {
  let article: String
  /// The names in the other library.
  let there: String
  /// What the row says to write here.
  let here: String

  /// The code in `here`.
  var idioms: [String] {
    here.matches(of: /``([^`]+)``|`([^`]+)`/).compactMap { ($0.1 ?? $0.2).map(String.init) }
  }

  static func all(in folder: URL) throws -> [ComingFromRow] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix("ComingFrom") && $0.hasSuffix(".md") }
      .flatMap { article in
        let text = try String(contentsOf: folder.appending(path: article), encoding: .utf8)
        return text.split(separator: "\n").compactMap { row($0, of: article) }
      }
  }

  private static func row(_ line: Substring, of article: String) -> ComingFromRow? {
    guard line.hasPrefix("| "), !line.hasPrefix("| there |") else { return nil }
    let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    return cells.count < 2 ? nil : ComingFromRow(article: article, there: cells[0], here: cells[1])
  }
}

/// Swift code as a list of tokens, without comments and without what string literals say.
struct CompiledCode: Sendable {
  let tokens: [String]

  init(_ source: String) {
    let lines = source.split(separator: "\n").map { line in
      line.replacing(/"(\\.|[^"])*"/, with: "\"\"").replacing(/\/\/.*/, with: "")
    }
    tokens = lines.flatMap { Self.tokens(of: String($0)) }
  }

  /// Whether the code contains an idiom.
  ///
  /// - `Type/member` and `.member` count as `member`, and `await call()` as `call()`.
  /// - `name(a:_:)` is a call of `name` with these labels in this order; it may have other arguments too, and trailing
  ///   closures.
  /// - In other code, `…` stands for anything on the same level; spaces do not count.
  func contains(_ idiom: String) -> Bool {
    var wanted = Self.tokens(of: idiom.replacing(/^(await |\.)|^\w+\//, with: ""))
    if let open = wanted.firstIndex(of: "("), wanted.last == ")",
      let labels = Self.labels(wanted[(open + 1)...])
    {
      wanted.removeLast(wanted.count - open - 1)
      return tokens.indices.contains { index in
        tokens[index...].starts(with: wanted)
          && Self.isSubsequence(labels, of: labelsOfCall(from: index + wanted.count))
      }
    }
    return tokens.indices.contains { matches(wanted[...], at: $0) }
  }

  private func matches(_ wanted: ArraySlice<String>, at index: Int) -> Bool {
    guard let first = wanted.first else { return true }
    guard index < tokens.count else { return false }
    if first != "…" { return tokens[index] == first && matches(wanted.dropFirst(), at: index + 1) }
    return (index..<min(index + 12, tokens.count)).contains { matches(wanted.dropFirst(), at: $0) }
  }

  // Returns the labels of the arguments of a call, from the token behind its parenthesis; `_` if there is none.
  private func labelsOfCall(from start: Int) -> [String] {
    var (labels, depth, isAtArgument): ([String], Int, Bool) = ([], 0, true)
    for index in start..<tokens.count {
      let token = tokens[index]
      if depth == 0, token == ")" { break }
      if isAtArgument { labels.append(index + 1 < tokens.count && tokens[index + 1] == ":" ? token : "_") }
      isAtArgument = depth == 0 && token == ","
      if ["(", "[", "{"].contains(token) { depth += 1 }
      if [")", "]", "}"].contains(token) { depth -= 1 }
    }
    return labels
  }

  // Returns the labels of `a:_:)`, or nil if something else stands there. An empty list is code, and no labels.
  private static func labels(_ tokens: ArraySlice<String>) -> [String]? {
    let inside = Array(tokens.dropLast())
    guard !inside.isEmpty, inside.count.isMultiple(of: 2) else { return nil }
    let isLabels = stride(from: 1, to: inside.count, by: 2).allSatisfy { inside[$0] == ":" }
    return isLabels ? stride(from: 0, to: inside.count, by: 2).map { inside[$0] } : nil
  }

  private static func isSubsequence(_ part: [String], of whole: [String]) -> Bool {
    var rest = part[...]
    for element in whole where element == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }

  private static func tokens(of code: String) -> [String] {
    code.matches(of: /\w+|<->>|->>|===|…|[^\s\w]/).map { String($0.0) }
  }
}
