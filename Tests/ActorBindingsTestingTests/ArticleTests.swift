import Foundation
import Testing

/// Checks that the examples of three articles are compiled and run. They stand in three files of this folder, in the same
/// order, between the markers `// article` and `// end`.
@Suite
struct ArticleTests {
  @Test(arguments: [
    ("ActorBindingsTesting/ActorBindingsTesting.docc/ActorBindingsTesting.md", "KitExamples.swift", 5),
    ("ActorBindings/ActorBindings.docc/TestingYourCode.md", "TestingYourCodeExamples.swift", 12),
    (
      "ActorBindings/ActorBindings.docc/TestingTimeAndLoading.md", "TestingTimeAndLoadingExamples.swift",
      2
    ),
  ])
  func `each example of an article is compiled as it stands`(page: String, file: String, count: Int) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let path = folder.appending(path: "../../Sources/\(page)").standardizedFileURL
    let article = try String(contentsOf: path, encoding: .utf8)
    let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    let examples = article.components(separatedBy: "```swift\n").dropFirst().map {
      Self.lines(of: $0.components(separatedBy: "\n```")[0])
    }
    let compiled = Self.lines(of: source)
      .split(separator: "// article", omittingEmptySubsequences: false)
      .dropFirst()
      .map { Array($0.prefix { $0 != "// end" }) }
    #expect(examples.count == count)
    #expect(Array(examples) == compiled)
  }

  // Returns the lines without indentation, and without empty lines.
  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}
