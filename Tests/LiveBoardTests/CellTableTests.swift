import ActorBindings
import Dispatch
import Foundation
import LiveBoard
import Testing
import WebServer

@Suite("The table of cells", .timeLimit(.minutes(9)))
struct CellTableTests {
  private struct Row: Decodable {
    let depth: Int
    let name: String
    let type: String
    let place: String
    let version: Int
    let isFinished: Bool
    let observers: Int
    let loops: Int
    let kept: Int
    let behind: Int?
    let readers: [String]
  }

  private static func rows(_ json: some StringProtocol) throws -> [Row] {
    try JSONDecoder().decode([Row].self, from: Data(json.utf8))
  }

  // In a process of its own: other tests may turn on the records of loops.
  @Test("lists the readers of a cell with place and context, and what the cell keeps")
  func readers() async {
    await #expect(processExitsWith: .success) {
      let cell = BindableActor(0).named("a \"cell\"")
      let queue = DispatchQueue(label: "board.test")
      queue.suspend()
      let tokens = (1...2).map { _ in cell.observe(on: .queue(queue), backlog: .unbounded) { _ in } }
      for value in 1...5 { cell.send(value) }
      let iterator = cell.values.makeAsyncIterator()
      let described = try CellTableTests.rows(CellTable([cell.diagnostics]).json)
      let row = try #require(described.first)
      #expect(row.name == "a \"cell\"" && row.type == "BindableActor<Int>" && row.depth == 0)
      #expect(row.place.hasPrefix("LiveBoardTests/CellTableTests.swift:"))
      #expect(row.version == 5 && !row.isFinished)
      #expect(row.observers == 2 && row.loops == 1 && row.kept >= 5)
      let behind = try #require(row.behind)
      #expect(behind >= 5 && row.readers.count == 2)
      #expect(row.readers.last == "1 loop or stream without a record")
      let observers = try #require(row.readers.first)
      #expect(observers.hasPrefix("2 observers at LiveBoardTests/CellTableTests.swift:"))
      #expect(observers.hasSuffix(" on the queue board.test, .unbounded, at most \(behind) behind"))
      queue.resume()
      cell.finish()
      let rows = try CellTableTests.rows(CellTable([cell.diagnostics]).json)
      #expect(rows.first?.isFinished == true)
      withExtendedLifetime((tokens, iterator)) {}
    }
  }

  // In a process of its own, for the same reason.
  @Test("does not say how far loops without a record are behind")
  func unknown() async {
    await #expect(processExitsWith: .success) {
      let cell = BindableActor(0)
      let alone = try CellTableTests.rows(CellTable([cell.diagnostics]).json)
      #expect(alone.first?.behind == 0)
      let iterator = cell.values.makeAsyncIterator()
      let read = try CellTableTests.rows(CellTable([cell.diagnostics]).json)
      #expect(read.first?.behind == nil)
      withExtendedLifetime(iterator) {}
    }
  }

  @Test("has a cell that is made from others once, below the first of them")
  func derived() async throws {
    let (left, right) = (BindableActor(1).named("left"), BindableActor(2).named("right"))
    let iterator = combineLatest(left, right).map(+).values.makeAsyncIterator()
    let rows = try Self.rows(CellTable([left.diagnostics, right.diagnostics]).json)
    #expect(rows.filter { $0.type == "combineLatest" }.count == 1)
    #expect(rows.first?.name == "left" && rows.first?.depth == 0)
    let second = try #require(rows.last)
    #expect(second.name == "right" && second.depth == 0 && second.readers.count == 1)
    #expect(second.readers.first == "also combineLatest, above")
    #expect(rows.allSatisfy { $0.loops + $0.observers == 1 })
    #expect(try #require(rows.first { $0.type == "combineLatest" }).depth == 1)
    withExtendedLifetime(iterator) {}
  }

  @Test("is served, with the named cells of the board")
  func served() async throws {
    let site = try await Site()
    let page = try await site.answer(to: "GET /cells HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(
      page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("Content-Security-Policy: default-src 'none'")
    )
    #expect(page.contains("fetch('/cells.json'") && !page.contains("https:"))
    let answer = try await site.answer(to: "GET /cells.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(answer.contains("\r\nContent-Type: application/json\r\n"))
    let names = try Set(Self.rows(answer.split(separator: "\r\n\r\n", maxSplits: 1)[1]).map(\.name))
    let expected = ["prices", "rate", "jobs", "sessions", "running", "minute", "seconds"]
    let feed = ["ticker", "agenda", "audience", "condition", "controls", "heartbeat"]
    #expect(names.isSuperset(of: expected + feed))
    await site.server.stop()
  }
}
