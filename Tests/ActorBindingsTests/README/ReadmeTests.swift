import Foundation
import Testing

/// Checks that the examples of the README are compiled and run. Each Swift example stands in a file of this folder, or
/// of the folder `README` of the tests of sharing, between the markers `// README` and `// end`.
@Suite
struct ReadmeTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  static let folders = [
    folder, folder.appending(path: "../../ActorBindingsSharingTests/README").standardizedFileURL,
  ]
  static let readme = folder.appending(path: "../../../README.md").standardizedFileURL

  @Test
  func `each Swift example of the README is compiled as it stands`() throws {
    let examples = try Self.examples(in: String(contentsOf: Self.readme, encoding: .utf8))
    let compiled = try Self.compiledExamples()
    #expect(examples.count == 5)
    #expect(compiled.count == examples.count)
    for example in examples {
      // The imports of an example stand at the top of the file, and not between the markers.
      let imports = example.prefix { $0.hasPrefix("import ") }
      let body = Array(example.dropFirst(imports.count))
      let source = compiled.first { $0.example == body }?.source
      let isCompiled = source.map { imports.allSatisfy($0.contains) } ?? false
      #expect(isCompiled, "not compiled as it stands:\n\(example.joined(separator: "\n"))")
    }
  }

  @Test
  func `the documentation begins with the first Swift example of the README`() throws {
    let path = "../../../Sources/ActorBindings/ActorBindings.docc/ActorBindings.md"
    let landingPage = try String(contentsOf: Self.folder.appending(path: path), encoding: .utf8)
    let first = Self.firstBlock(in: try String(contentsOf: Self.readme, encoding: .utf8))
    #expect(first.contains("BindableActor"))
    #expect(Self.firstBlock(in: landingPage) == first)
  }

  /// Returns the first Swift code block of a text, as it stands.
  private static func firstBlock(in markdown: String) -> String {
    guard let begin = markdown.range(of: "```swift\n") else { return "" }
    return markdown[begin.upperBound...].components(separatedBy: "\n```")[0]
  }

  /// Returns the Swift code blocks of a text.
  static func examples(in markdown: String) -> [[String]] {
    markdown.components(separatedBy: "```swift\n").dropFirst().map { rest in
      lines(of: rest.components(separatedBy: "\n```")[0])
    }
  }

  /// Returns the code between the markers of the files in these folders.
  static func compiledExamples() throws -> [(example: [String], source: [String])] {
    try folders.flatMap {
      try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
    }
    .filter { $0.lastPathComponent.hasSuffix("Example.swift") }
    .map { file in
      let source = try lines(of: String(contentsOf: file, encoding: .utf8))
      let begin = try #require(source.firstIndex(of: "// README"), "\(file) has no example")
      let end = try #require(source.firstIndex(of: "// end"), "the example of \(file) does not end")
      return (Array(source[(begin + 1)..<end]), source)
    }
  }

  /// Returns the lines without indentation, and without empty lines.
  static func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}
