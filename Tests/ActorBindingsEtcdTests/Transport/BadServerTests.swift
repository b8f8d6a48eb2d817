import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

/// The standard transport, and the store on it, against a server that behaves badly.
@Suite struct BadServerTests {
  private static let empty = #"{"header":{"revision":"12"}}"#
  private static let created = #"{"result":{"header":{"revision":"12"},"created":true}}"# + "\n"

  private static func removal(_ revision: Int) -> String {
    #"{"result":{"events":[{"type":"DELETE","kv":{"key":"YQ==","mod_revision":"\#(revision)"}}]}}"# + "\n"
  }

  private let write = StoreWrite(key: "a", bytes: [1], expected: .anything)

  /// Runs `body` with a server and a store, and then ends the server.
  private func with<R>(
    clock: some Clock<Duration> = TestClock(),
    _ script: @escaping BadServer.Script,
    _ body: (BadServer, EtcdStore) async throws -> R
  ) async throws -> R {
    let server = try BadServer(script)
    defer { server.end() }
    return try await body(server, EtcdStore(server.url, clock: clock))
  }

  @Test func `a request is a POST of JSON`() async throws {
    try await with({ _, _ in [.answer(200, Self.empty)] }) { server, store in
      _ = try await store.load(.key("a"))
      let request = server.requests.value[0]
      #expect(request.path == "/v3/kv/range")
      #expect(request.headers["content-type"] == "application/json")
      #expect(request.body == #"{"key":"YQ=="}"#)
    }
  }

  @Test func `a server that is not there is unavailable, for a write too`() async throws {
    let server = try BadServer { _, _ in [] }
    server.end()
    let store = try EtcdStore(server.url)
    #expect(await storeError { try await store.load(.key("a")) }?.isUnavailable == true)
    #expect(await storeError { try await store.write(write) }?.isUnavailable == true)
    #expect(
      await storeError { try await store.changes(in: .key("a"), after: StoreRevision(1)) }?.isUnavailable
        == true
    )
  }

  @Test func `a connection that closes without an answer makes a write uncertain`() async throws {
    try await with({ _, _ in [.close] }) { _, store in
      #expect(await storeError { try await store.write(write) }?.isUncertain == true)
      #expect(await storeError { try await store.load(.key("a")) }?.isUnavailable == true)
    }
  }

  @Test
  func `a server that dies on a connection in use makes a write uncertain, although it cannot be reached`()
    async throws
  {
    // The second request goes out on the connection of the first. The client then tries to connect again.
    try await with({ _, number in number == 1 ? [.answer(200, Self.empty)] : [.die] }) { server, store in
      _ = try await store.load(.key("a"))
      #expect(await storeError { try await store.write(write) }?.isUncertain == true)
      #expect(server.requests.value.count == 2)
    }
  }

  @Test func `an answer that is cut in the middle makes a write uncertain`() async throws {
    let cut = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"header\""
    try await with({ _, _ in [.raw(cut), .close] }) { _, store in
      #expect(await storeError { try await store.write(write) }?.isUncertain == true)
    }
  }

  @Test func `status 500 and HTML are told apart from etcd's answers`() async throws {
    try await with({ _, _ in [.answer(500, "<html>broken</html>")] }) { _, store in
      let error = await storeError { try await store.write(write) }
      #expect(error?.isUncertain == true)
      #expect(error?.description.contains("<html>broken</html>") == true)
    }
  }

  @Test func `a server that hangs is left at the deadline, and its connection is closed`() async throws {
    let clock = TestClock()
    try await with(clock: clock, { _, _ in [.hang] }) { server, store in
      async let error = storeError { try await store.write(write) }
      _ = await server.requests.first { $0.count == 1 }
      _ = await clock.sleeps.first { $0 == 1 }
      clock.pass()
      #expect(await error?.isUncertain == true)
      _ = await server.hangsEnded.first { $0 == 1 }
    }
  }

  @Test func `cancelling a call closes its connection`() async throws {
    try await with({ _, _ in [.hang] }) { server, store in
      let task = Task { try await store.load(.key("a")) }
      _ = await server.requests.first { $0.count == 1 }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      _ = await server.hangsEnded.first { $0 == 1 }
    }
  }

  @Test func `the bytes of a watch may come one by one, and a line may be cut`() async throws {
    let script: BadServer.Script = { _, _ in
      let second = Self.removal(14)
      return [
        .stream, .oneByOne(Self.created), .oneByOne(Self.removal(13)),
        .chunk(String(second.prefix(20))), .chunk(String(second.dropFirst(20))), .hang,
      ]
    }
    try await with(script) { server, store in
      var batches = Batches(try await store.changes(in: .key("a"), after: StoreRevision(12)))
      var last: StoreChange?
      while last?.revision != StoreRevision(14) { last = try await batches.next()?.last }
      #expect(server.requests.value[0].headers["grpc-metadata-hasleader"] == "true")
    }
  }

  @Test func `a watch that is cut in the middle of a line is unavailable`() async throws {
    let half = String(Self.removal(13).prefix(30))
    try await with({ _, _ in [.stream, .chunk(Self.created), .chunk(half), .close] }) { _, store in
      var batches = Batches(try await store.changes(in: .key("a"), after: StoreRevision(12)))
      #expect(await storeError { try await batches.next() }?.isUnavailable == true)
    }
  }

  @Test func `a watch that ends in order is unavailable too`() async throws {
    try await with({ _, _ in [.stream, .chunk(Self.created), .chunk("")] }) { _, store in
      var batches = Batches(try await store.changes(in: .key("a"), after: StoreRevision(12)))
      #expect(await storeError { try await batches.next() }?.isUnavailable == true)
    }
  }

  @Test func `a line of ten megabytes ends a watch, and its connection`() async throws {
    let part = String(repeating: "x", count: 1 << 20)
    let script: BadServer.Script = { _, _ in
      [.stream, .chunk(Self.created)] + Array(repeating: .chunk(part), count: 10) + [.chunk("\n"), .hang]
    }
    try await with(script) { server, store in
      var batches = Batches(try await store.changes(in: .key("a"), after: StoreRevision(12)))
      let error = await storeError { try await batches.next() }
      #expect(error?.isUnavailable == true)
      #expect(error?.description.contains("a line of more than") == true)
    }
  }

  @Test func `cancelling the reader of a watch closes its connection`() async throws {
    try await with({ _, _ in [.stream, .chunk(Self.created), .hang] }) { server, store in
      let subscription = try await store.changes(in: .key("a"), after: StoreRevision(12))
      let task = Task {
        var batches = Batches(subscription)
        return try await batches.next()
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      _ = await server.hangsEnded.first { $0 == 1 }
    }
  }

  @Test func `releasing a watch closes its connection`() async throws {
    try await with({ _, _ in [.stream, .chunk(Self.created), .hang] }) { server, store in
      _ = try await store.changes(in: .key("a"), after: StoreRevision(12))
      _ = await server.hangsEnded.first { $0 == 1 }
    }
  }

  @Test func `twenty watches do not delay other calls`() async throws {
    let script: BadServer.Script = { request, _ in
      request.path == "/v3/watch" ? [.stream, .chunk(Self.created), .hang] : [.answer(200, Self.empty)]
    }
    try await with(script) { server, store in
      var watches: [any AsyncSequence<[StoreChange], any Error> & Sendable] = []
      for _ in 0..<20 { watches.append(try await store.changes(in: .key("a"), after: StoreRevision(12))) }
      #expect(try await store.load(.key("a")).revision == StoreRevision(12))
      watches = []
      _ = await server.hangsEnded.first { $0 == 20 }
    }
  }

  @Test func `a store that is released closes its connections`() async throws {
    let server = try BadServer { _, _ in [.answer(200, Self.empty), .hang] }
    defer { server.end() }
    func load() async throws {
      _ = try await EtcdStore(server.url).load(.key("a"))
    }
    try await load()
    _ = await server.hangsEnded.first { $0 == 1 }
  }
}
