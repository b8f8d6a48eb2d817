#if Explorer
  import Foundation
  import Testing

  /// Checks that the articles show the programs that are explored.
  @Suite
  struct ExplorerArticleTests {
    @Test
    func `each example of the articles is compiled and explored as it stands`() throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent()
      let catalog = "../../../Sources/ActorBindingsExplorer/ActorBindingsExplorer.docc"
      let programs = try text(of: folder.appending(path: "ArticlePrograms.swift"))
        .components(separatedBy: "// article")
        .dropFirst()
        .map {
          lines(
            of: $0.components(separatedBy: "// end")[0].replacing(#/[:,] [A-Z][a-z]+Program /#, with: " ")
          )
        }
      let examples = try ["EverySchedule.md", "AgainstAModel.md", "ActorBindingsExplorer.md"].map { page in
        try text(of: folder.appending(path: "\(catalog)/\(page)").standardizedFileURL)
          .components(separatedBy: "```swift\n")
          .dropFirst()
          .map { lines(of: $0.components(separatedBy: "\n```")[0]) }
      }
      #expect(examples.map(\.count) == [13, 3, 1])
      #expect(Set(examples.joined()) == Set(programs))
    }

    private func text(of file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    // Returns the lines without indentation, and without empty lines.
    private func lines(of text: String) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
  }
#endif
