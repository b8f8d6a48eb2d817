import ActorBindings
import Foundation
import Testing

// The code between the markers is shown in the article `OverAConnection`; the suite `ArticleTests` compares the two.

/// A client behind a connection.
private struct Client: Sendable {
  var run: String?
  var version: UInt64?
  let messages = Recorder<Data>()

  func send(_ message: Data) async throws { messages.record(message) }

  /// The changes that the client has received.
  var deltas: [CollectionDelta<PersistentArray<String>>] {
    get throws {
      try messages.elements.filter { !$0.starts(with: Data(#"{"run"#.utf8)) }
        .map { try JSONDecoder().decode(CollectionDelta.self, from: $0) }
    }
  }
}

/// An encoded change.
private struct Frame: Sendable {
  let version: UInt64
  let json: Data

  init(_ change: ArrayChange<String>) {
    version = change.version
    json = (try? JSONEncoder().encode(change)) ?? Data()
  }
}

@Suite
struct OverAConnectionExamples {
  @Test
  func `over a connection`() async throws {
    // article
    let board = BindableArray(["bread"], history: 1_000)
    let run = UUID().uuidString  // after a restart, versions begin at 0 again

    func serve(_ client: Client) async throws {
      try await client.send(Data(#"{"run": "\(run)"}"#.utf8))
      let known = client.run == run ? client.version : nil
      for await change in board.changes(since: known, backlog: .latest) {
        try await client.send(JSONEncoder().encode(change))
      }
    }
    // end
    for number in 1...3 { board.append("\(number)") }
    let (new, returning) = (Client(), Client(run: run, version: 2))
    let stranger = Client(run: "another", version: 2)
    board.finish()
    for client in [new, returning, stranger] { try await serve(client) }
    #expect(try new.deltas.map { $0.content } == [.reset(board.value)])
    #expect(try stranger.deltas == new.deltas)
    #expect(try returning.deltas.map { $0.content } == [.edits([.insert(offset: 3, element: "3")])])
  }

  @Test
  func `one encoding for all clients`() async throws {
    let board = BindableArray(["bread"], history: 1_000)
    // article
    let frames = BindableActor(
      of: board.changes.map(Frame.init),
      backlog: .unbounded
    )

    func serveShared(_ client: Client) async throws {
      // Begins here:
      let frames = frames.compactMap { $0 }.values(backlog: .unbounded)
      let changes = board.changes(since: client.version)
      guard let missed = await changes.first() else { return }
      try await client.send(JSONEncoder().encode(missed))
      for await frame in frames where frame.version > missed.version {
        try await client.send(frame.json)
      }
    }
    // end
    let clients = [Client(), Client(version: 0)]
    async let first: Void = serveShared(clients[0])
    async let second: Void = serveShared(clients[1])
    await clients[0].messages.reached(1)
    await clients[1].messages.reached(1)
    for number in 1...100 { board.append("\(number)") }
    board.finish()
    _ = try await (first, second)
    for client in clients {
      var rows = ["bread"]
      for delta in try client.deltas { try rows.apply(validating: delta) }
      #expect(rows == Array(board.value))
      #expect(client.messages.count == 101)
    }
  }
}
