import Foundation
import LiveBoard
import Testing
import WebServer

@Suite("A file that the page links", .timeLimit(.minutes(9)))
struct LinkedFileTests {
  private static let clone = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  /// The paths in the clone, by the names in the links.
  static let files = Dictionary(
    uniqueKeysWithValues: Set(Caption.all.map(\.file)).map { ($0, "Sources/Examples/LiveBoard/\($0)") }
      + [
        ("README.md", "README.md"),
        ("RecipesForServers.md", "Sources/ActorBindings/ActorBindings.docc/RecipesForServers.md"),
      ]
  )

  @Test(
    "is served as text, with the content that it has in the clone",
    arguments: files.sorted { $0.key < $1.key }
  )
  func text(_ name: String, _ path: String) async throws {
    let site = try await Site()
    let target = "/source/\(name)"
    let page = try await site.answer(to: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(page.contains(" href=\"\(target)\">"))
    let answer = try await site.answer(to: "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("\r\nContent-Type: text/plain; charset=utf-8\r\n"))
    let file = try String(contentsOf: Self.clone.appending(path: path), encoding: .utf8)
    #expect(answer.hasSuffix("\r\n\r\n" + file))
    let head = try await site.answer(to: "HEAD \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
    let post = try await site.answer(to: "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(post.hasPrefix("HTTP/1.1 405 "))
    await site.server.stop()
  }

  @Test(
    "is one of a fixed list: a path of a request reaches no other file",
    arguments: [
      "Package.swift", "../README.md", "%2e%2e/README.md", "Board/../Board/Feed.swift", "Board/Binder.swift/",
      "Board%2fOptions.swift", "", "/README.md",
    ]
  )
  func others(_ name: String) async throws {
    let site = try await Site()
    let answer = try await site.answer(to: "GET /source/\(name) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 404 ") && answer.hasSuffix("\r\n\r\n404 Not Found\n"))
    await site.server.stop()
  }

  @Test("that is not there is an answer of one sentence")
  func moved() async throws {
    let site = try await Site(linking: LinkedFiles(in: "/a folder that is not there"))
    for (name, path) in Self.files {
      let answer = try await site.answer(to: "GET /source/\(name) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
      let sentence = "This file is not where the program was built: /a folder that is not there/\(path)\n"
      #expect(answer.hasSuffix("\r\n\r\n" + sentence))
    }
    await site.server.stop()
  }
}
