import Foundation
import Testing

/// What the articles *Combining* and *Collections* show is compiled and run: their Swift examples stand, in the same
/// order, between the markers `// article` and `// end` of `CombiningExamples.swift` and `CollectionsExamples.swift`.
@Suite
struct ArticleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  private static let articles =
    folder.appending(path: "../../../Sources/ActorBindings/ActorBindings.docc").standardizedFileURL

  @Test(arguments: [("Combining", 14), ("Collections", 12)])
  func `each example of the article is compiled as it stands`(name: String, count: Int) throws {
    let article = try String(
      contentsOf: Self.articles.appending(path: "\(name).md"),
      encoding: .utf8
    )
    let source = try String(
      contentsOf: Self.folder.appending(path: "\(name)Examples.swift"),
      encoding: .utf8
    )
    let examples = ReadmeTests.examples(in: article)
    let compiled = Self.marked(in: source)
    #expect(examples.count == count)
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
