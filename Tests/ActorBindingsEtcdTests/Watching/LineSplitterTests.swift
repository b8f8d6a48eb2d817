import ActorBindingsEtcd
import Testing

@Suite struct LineSplitterTests {
  private func lines(_ chunks: [String], limit: Int = 100) throws -> [String] {
    var splitter = LineSplitter(limit: limit)
    let lines = try chunks.flatMap { try splitter.chunkCame(Array($0.utf8)) }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `one chunk may have several lines`() throws {
    #expect(try lines(["a\nbc\n"]) == ["a", "bc"])
  }

  @Test func `a line may be cut anywhere`() throws {
    #expect(try lines(["a", "b\nc", "", "d\n"]) == ["ab", "cd"])
  }

  @Test func `bytes may come one by one`() throws {
    var splitter = LineSplitter(limit: 10)
    let lines = try Array("käse\n".utf8).flatMap { try splitter.chunkCame([$0]) }
    #expect(lines == [Array("käse".utf8)])
  }

  @Test func `an empty line is no line, and a line without an end waits`() throws {
    #expect(try lines(["\n\n", "a\n\n", "b"]) == ["a"])
    #expect(try lines(["\r\n", "a\r", "\n\r\n", "b\r"]) == ["a"])
  }

  @Test func `a line at the limit passes`() throws {
    #expect(try lines(["abc", "d\n"], limit: 4) == ["abcd"])
  }

  @Test(arguments: [["abcde\n"], ["abc", "de"], ["a\nbcdef"]])
  func `a line over the limit is an error, before its end has come`(_ chunks: [String]) {
    #expect(throws: LineSplitter.LineTooLong(limit: 4)) { try lines(chunks, limit: 4) }
  }
}
