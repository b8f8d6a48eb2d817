import Foundation
package import WebServer

/// The files that the page links: the sources that its captions name, the README, and the recipes for servers. They
/// come from the clone that this program was built from, so the links work without a public address.
///
/// The list of files is fixed: no part of a path comes from a request.
package struct LinkedFiles: Sendable {
  /// The answers, by the path of the request.
  private let answers: [String: Response]

  /// Reads the files.
  ///
  /// - Parameter clone: The folder of the clone; nil for the clone that this program was built from.
  package init(in clone: String? = nil) {
    let clone = clone.map { URL(filePath: $0) } ?? Self.clone
    let sources = Set(Caption.all.map(\.file)).map { ($0, "Sources/Examples/LiveBoard/\($0)") }
    let recipe = (Self.recipe, "Sources/ActorBindings/ActorBindings.docc/\(Self.recipe)")
    answers = Dictionary(
      uniqueKeysWithValues: (sources + [recipe, ("README.md", "README.md")]).map { name, path in
        (Self.path(of: name), Self.answer(clone.appending(path: path)))
      }
    )
  }

  /// The article with the recipe for a server with Hummingbird.
  static let recipe = "RecipesForServers.md"

  /// The answer to a request for a file; nil if the page does not link this path.
  package subscript(path: String) -> Response? { answers[path] }

  /// The path at which the page links a file.
  package static func path(of name: String) -> String { "/source/\(name)" }

  private static func answer(_ file: URL) -> Response {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else {
      let sentence = "This file is not where the program was built: \(file.path(percentEncoded: false))\n"
      return Response(.notFound, body: sentence)
    }
    var response = Response(body: text)
    response.headers = [("Content-Security-Policy", "default-src 'none'"), ("Cache-Control", "no-cache")]
    return response
  }

  private static let clone = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL
}
