import Foundation
import Testing

/// Checks that the examples of the documentation are compiled and run. They stand in `KitExamples.swift`, in the same
/// order, between the markers `// article` and `// end`.
@Suite
struct ArticleTests {
  @Test
  func `each example of the documentation is compiled as it stands`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let page = "../../Sources/ActorBindingsTesting/ActorBindingsTesting.docc/ActorBindingsTesting.md"
    let article = try String(contentsOf: folder.appending(path: page).standardizedFileURL, encoding: .utf8)
    let source = try String(contentsOf: folder.appending(path: "KitExamples.swift"), encoding: .utf8)
    let examples = article.components(separatedBy: "```swift\n").dropFirst().map {
      Self.lines(of: $0.components(separatedBy: "\n```")[0])
    }
    let compiled = Self.lines(of: source)
      .split(separator: "// article", omittingEmptySubsequences: false)
      .dropFirst()
      .map { Array($0.prefix { $0 != "// end" }) }
    #expect(examples.count == 4)
    #expect(Array(examples) == compiled)
  }

  // Returns the lines without indentation, and without empty lines.
  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}
