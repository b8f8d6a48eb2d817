import Foundation
import Testing

/// Checks that one of the two articles on vocabulary has a line for each type of the library, under the room of the file that
/// declares the type.
@Suite
struct VocabularyTests {
  private static let library = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/ActorBindings").standardizedFileURL

  @Test
  func `the article names each type of the library, and no other`() throws {
    let (declared, listed) = (try Self.declared(), try Self.listed())
    #expect(declared.count > 100)
    #expect(Set(listed).count == listed.count, "a type is listed twice")
    #expect(declared.subtracting(listed).sorted() == [], "a type has no line in Vocabulary.md")
    #expect(Set(listed).subtracting(declared).sorted() == [], "a line of Vocabulary.md names no type")
  }

  /// The types that the article lists, as `Room/Type`.
  private static func listed() throws -> [String] {
    let articles = try ["Vocabulary", "VocabularyOfOperators"].map { name in
      try String(contentsOf: library.appending(path: "ActorBindings.docc/\(name).md"), encoding: .utf8)
    }
    var room = ""
    return articles.joined(separator: "\n").split(separator: "\n").compactMap { line in
      if line.hasPrefix("## ") { room = line.dropFirst(3) == "The face" ? "" : line.dropFirst(3) + "/" }
      return line.firstMatch(of: /^- `(\w+)`: ./).map { room + $0.1 }
    }
  }

  /// The types that the files of the library declare at file scope, as `Room/Type`, without the private types.
  private static func declared() throws -> Set<String> {
    let files = try #require(FileManager.default.enumerator(atPath: library.path))
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
    let declared = try files.flatMap { file in
      let room = file.contains("/") ? file.prefix { $0 != "/" } + "/" : ""
      let source = try String(contentsOf: library.appending(path: file), encoding: .utf8)
      return types(in: source).map { room + $0 }
    }
    return Set(declared)
  }

  private static func types(in source: String) -> [String] {
    let declaration =
      /((@\w+(\([^)]*\))?|public|package|internal|open|final|indirect|nonisolated) +)*(class|struct|enum|protocol|actor|typealias) +([A-Z]\w*).*/
    // A declaration under `#if` is indented, but it is still at file scope.
    var indent = ""
    return source.split(separator: "\n").compactMap { line in
      if line.hasPrefix("#if") { indent = "  " }
      if line.hasPrefix("#endif") { indent = "" }
      guard line.hasPrefix(indent) else { return nil }
      return line.dropFirst(indent.count).wholeMatch(of: declaration).map { String($0.5) }
    }
  }
}
