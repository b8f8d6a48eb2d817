import Foundation
import LiveBoard
import Testing
import WebServer

@Suite("A caption of the page")
struct CaptionTests {
  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  @Test("has three lines of the source", arguments: Caption.all)
  func source(_ caption: Caption) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Sources/Examples/LiveBoard"
    )
    let source = try String(contentsOf: folder.appending(path: caption.file), encoding: .utf8)
    let code = Self.lines(caption.code)
    #expect(code.count == 3)
    #expect(Self.lines(source).contains(code), "\(caption.file) does not have these lines:\n\(caption.code)")
  }

  @Test("is in each section of the page, which names the library")
  func page() async throws {
    let site = try await Site()
    let page = try await site.answer(to: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    for caption in Caption.all { #expect(page.contains(caption.html)) }
    let sections = page.split(separator: "<section").dropFirst()
    #expect(sections.count == 4)
    for section in sections { #expect(section.contains("<figure>")) }
    #expect(page.contains("<b>ActorBindings</b>"))
    await site.server.stop()
  }

  @Test("shows code as text")
  func escaped() {
    #expect("a < b && c > d".escaped == "a &lt; b &amp;&amp; c &gt; d")
  }
}
