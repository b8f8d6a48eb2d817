import Foundation
import Testing

/// What the article *Combining* shows is compiled and run: its Swift examples stand, in the same order, between the
/// markers `// article` and `// end` of `CombiningExamples.swift`.
@Suite
struct ArticleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  private static let articles =
    folder.appending(path: "../../../Sources/ActorBindings/ActorBindings.docc").standardizedFileURL

  @Test
  func `each example of the article is compiled as it stands`() throws {
    let article = try String(
      contentsOf: Self.articles.appending(path: "Combining.md"),
      encoding: .utf8
    )
    let source = try String(
      contentsOf: Self.folder.appending(path: "CombiningExamples.swift"),
      encoding: .utf8
    )
    let examples = ReadmeTests.examples(in: article)
    let compiled = Self.marked(in: source)
    #expect(examples.count == 14)
    #expect(compiled.count == examples.count)
    for (example, compiled) in zip(examples, compiled) { #expect(example == compiled) }
  }

  // What stands between the markers.
  private static func marked(in source: String) -> [[String]] {
    ReadmeTests.lines(of: source)
      .split(separator: "// article", omittingEmptySubsequences: false)
      .dropFirst()
      .map { Array($0.prefix { $0 != "// end" }) }
  }
}
