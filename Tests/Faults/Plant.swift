import Foundation

/// The library's files with all faults in them. A function with faults holds one body for each fault, and the original: a
/// switch chooses at each call.
struct Plant {
  /// The changed files, by path below `Schema.library`.
  private(set) var files: [String: [UInt8]] = [:]
  /// The files that each fault changes, by the name of the fault.
  private(set) var touched: [String: Set<String>] = [:]

  // The original body, and the edited bodies by the numbers of their faults.
  private struct Variants {
    let original: Finder.Body
    var bodies: [Int: String] = [:]

    // An `if` whose branches are all expressions needs no `return`; otherwise each branch needs a `return`.
    func planted(_ text: String) -> String {
      let all = bodies.sorted { $0.key < $1.key } + [(0, text)]
      let areExpressions = all.allSatisfy { Self.isExpression($0.1, original) }
      return all.map { number, text in
        let isBare = Self.isExpression(text, original) && !areExpressions
        let body = isBare ? " return \(text.drop { $0.isWhitespace })" : text
        return number == 0 ? " {\(body)}" : " if Mutant.on(\(number)) {\(body)\n} else"
      }.joined()
    }

    private static func isExpression(_ body: String, _ original: Finder.Body) -> Bool {
      original.isExpression
        && Finder.bodies(in: Lexer.tokens(of: Array("func f() -> T {\(body)}".utf8))).last?.isExpression
          == true
    }
  }

  /// Throws with a line for each fault whose place is not found, or found more than once.
  init(_ faults: [Fault]) throws {
    let sources = try Source.all()
    var variants: [String: [Int: Variants]] = [:]
    var problems: [String] = []
    for (index, fault) in faults.enumerated() {
      var bodies: [String: [Int: String]] = [:]
      for edit in fault.edits {
        let places = sources.flatMap { source in source.places(of: edit).map { (source, $0) } }
        guard places.count == 1, let (source, place) = places.first else {
          let found = places.map { "\($0.0.file):\($0.0.line(of: $0.1.range.lowerBound))" }.joined(
            separator: ", "
          )
          problems.append(
            "\(fault.name): the code '\(edit.old)' is at \(places.count) places of functions '\(edit.function)': \(found)"
          )
          continue
        }
        let body = bodies[source.file]?[place.body.range.lowerBound] ?? source.text(place.body.range)
        guard let edited = Source.edited(body, by: edit) else {
          problems.append("\(fault.name): its edits of '\(edit.function)' disturb each other")
          continue
        }
        bodies[source.file, default: [:]][place.body.range.lowerBound] = edited
        touched[fault.name, default: []].insert(source.file)
        variants[source.file, default: [:]][
          place.body.range.lowerBound,
          default: Variants(original: place.body)
        ]
        .bodies[index + 1] = edited
      }
    }
    guard problems.isEmpty else { throw Failure(problems.joined(separator: "\n")) }
    for source in sources {
      guard let changed = variants[source.file]?.values else { continue }
      var text = ""
      var position = 0
      for variant in changed.sorted(by: { $0.original.range.lowerBound < $1.original.range.lowerBound }) {
        let range = variant.original.range
        guard range.lowerBound >= position else {
          throw Failure("\(source.file): two faults change nested functions, which cannot be combined")
        }
        text += source.text(position..<range.lowerBound) + variant.planted(source.text(range))
        position = range.upperBound
      }
      files[source.file] = Array((text + source.text(position..<source.bytes.count)).utf8)
    }
    files["Cell/Mutant.swift"] = Array(Operators.switches.utf8)
  }
}

/// A file of the library, with the bodies of its functions.
private struct Source {
  struct Place {
    let body: Finder.Body
    let range: Range<Int>
  }

  let file: String
  let bytes: [UInt8]
  private let tokens: [Token]
  private let bodies: [Finder.Body]

  static func all() throws -> [Source] {
    try FileManager.default.subpathsOfDirectory(atPath: Schema.library).sorted()
      .filter { $0.hasSuffix(".swift") }
      .map { file in
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(Schema.library)/\(file)")))
        let tokens = Lexer.tokens(of: bytes)
        return Source(file: file, bytes: bytes, tokens: tokens, bodies: Finder.bodies(in: tokens))
      }
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func line(of place: Int) -> Int { 1 + bytes[..<place].count { $0 == UInt8(ascii: "\n") } }

  func places(of edit: Edit) -> [Place] {
    let pattern = Lexer.tokens(of: Array(edit.old.utf8)).map(\.text)
    return bodies.filter { $0.function == edit.function }.flatMap { body in
      let words = tokens.filter { body.range.contains($0.range.lowerBound) }
      return Match.all(pattern, in: words).map { Place(body: body, range: $0.range) }
    }
  }

  /// Returns nil unless the code exists exactly once.
  static func edited(_ body: String, by edit: Edit) -> String? {
    let bytes = Array(body.utf8)
    let pattern = Lexer.tokens(of: Array(edit.old.utf8)).map(\.text)
    let matches = Match.all(pattern, in: Lexer.tokens(of: bytes))
    guard matches.count == 1, let match = matches.first else { return nil }
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    var gaps = match.gaps[...]
    let parts = edit.new.components(separatedBy: "…")
    let new = parts.dropFirst().reduce(parts[0]) { $0 + (gaps.popFirst().map(text) ?? "") + $1 }
    return text(0..<match.range.lowerBound) + new + text(match.range.upperBound..<bytes.count)
  }
}

/// The position of a pattern in code, in bytes.
private struct Match {
  let range: Range<Int>
  /// The code that each `…` of the pattern matches.
  let gaps: [Range<Int>]

  static func all(_ pattern: [String], in words: [Token]) -> [Match] {
    let parts = pattern.split(separator: "…", omittingEmptySubsequences: false).map(Array.init)
    guard parts.first?.isEmpty == false else { return [] }
    func position(of part: [String], from begin: Int) -> Int? {
      guard begin + part.count <= words.count else { return nil }
      return (begin...(words.count - part.count)).first { place in
        part.indices.allSatisfy { words[place + $0].text == part[$0] }
      }
    }
    var matches: [Match] = []
    var begin = 0
    while let first = position(of: parts[0], from: begin), let last = words.last {
      begin = first + 1
      var end = first + parts[0].count
      var gaps: [Range<Int>] = []
      for part in parts.dropFirst() {
        guard let next = position(of: part, from: end) else { return matches }
        let close = next < words.count ? words[next].range.lowerBound : last.range.upperBound
        gaps.append(words[end - 1].range.upperBound..<close)
        end = next + part.count
      }
      matches.append(
        Match(range: words[first].range.lowerBound..<words[end - 1].range.upperBound, gaps: gaps)
      )
    }
    return matches
  }
}
