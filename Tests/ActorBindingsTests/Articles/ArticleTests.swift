import Foundation
import Testing

/// Checks that the examples of the articles are compiled and run. The Swift examples of each article stand in a file of
/// this folder, in the same order, between the markers `// article` and `// end`. The first example of the landing page
/// is one of the README, so `ReadmeTests` checks it.
@Suite
struct ArticleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  private static let articles =
    folder.appending(path: "../../../Sources/ActorBindings/ActorBindings.docc").standardizedFileURL

  @Test(arguments: [
    ("ActorBindings", 1), ("GettingStarted", 6), ("ChoosingABacklog", 3), ("DeliveryContexts", 5),
    ("Combining", 13), ("StoredSourcesAndParts", 6), ("ListsOfSources", 3), ("Collections", 13),
    ("Gotchas", 5), ("ComingFrom", 6), ("ComingFromCompositions", 6), ("LoadingAndActions", 13),
    ("TheBinder", 4),
    ("OperatorsOfTime", 3), ("OperatorsOfCollections", 10), ("OverAConnection", 2), ("Recipes", 6),
    ("RecipesForServers", 9), ("SeeingWhatACellDoes", 7),
  ])
  func `each example of the article is compiled as it stands`(name: String, count: Int) throws {
    let article = try String(contentsOf: Self.articles.appending(path: "\(name).md"), encoding: .utf8)
    let source = try String(
      contentsOf: Self.folder.appending(path: "\(name)Examples.swift"),
      encoding: .utf8
    )
    let examples = ReadmeTests.examples(in: article).map { $0.map(Self.withoutColumns) }
      .dropFirst(name == "ActorBindings" ? 1 : 0)
    let compiled = Self.marked(in: source)
    #expect(examples.count == count)
    #expect(compiled.count == examples.count)
    let lines = ReadmeTests.lines(of: source)
    for (example, compiled) in zip(examples, compiled) {
      // The imports of an example stand at the top of the file, and not between the markers.
      let imports = example.prefix { $0.hasPrefix("import ") }
      #expect(imports.allSatisfy(lines.contains))
      #expect(Array(example.dropFirst(imports.count)) == compiled)
    }
  }

  // Returns a line whose comment follows two spaces, as in code: an article may align comments in a column.
  private static func withoutColumns(_ line: String) -> String {
    line.replacing(/\ +\/\//, with: "  //")
  }

  // Returns the lines between each pair of markers.
  private static func marked(in source: String) -> [[String]] {
    ReadmeTests.lines(of: source)
      .split(separator: "// article", omittingEmptySubsequences: false)
      .dropFirst()
      .map { Array($0.prefix { $0 != "// end" }) }
  }
}
