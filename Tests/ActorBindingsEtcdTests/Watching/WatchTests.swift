import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

/// Watches over a transport from a script, with answers in the shapes that etcd 3.4 gave.
@Suite struct WatchTests {
  private static let created = line(#""created":true"#)

  private static func line(_ fields: String, revision: Int? = 12) -> String {
    let number = revision.map { #","revision":"\#($0)""# } ?? ""
    return #"{"result":{"header":{"member_id":"1"\#(number),"raft_term":"2"},\#(fields)}}"# + "\n"
  }

  private func open(
    _ first: String,
    _ scope: StoreScope = .prefix("a/"),
    after revision: UInt64 = 12
  ) async throws -> (ScriptedTransport, any AsyncSequence<[StoreChange], any Error> & Sendable) {
    let transport = ScriptedTransport(first)
    let store = try EtcdStore("http://a:1", prefix: "x/", transport: transport)
    return (transport, try await store.changes(in: scope, after: StoreRevision(revision)))
  }

  @Test func `a watch begins after the revision, and asks for a leader`() async throws {
    let (transport, subscription) = try await open(Self.created)
    let request = transport.requests.value[0]
    #expect(request.path == "/v3/watch")
    #expect(request.headers["Grpc-Metadata-hasleader"] == "true")
    let flags = #""fragment":true,"key":"eC9hLw==","progress_notify":true"#
    #expect(
      request.body == #"{"create_request":{\#(flags),"range_end":"eC9hMA==","start_revision":"13"}}"#
    )
    withExtendedLifetime(subscription) {}
  }

  @Test func `a watch yields puts and removals`() async throws {
    let (transport, subscription) = try await open(Self.created)
    // The keys are x/a/1 and x/a/2.
    transport.streams.value[0].yield(
      Array(
        Self.line(
          """
          "events":[{"kv":{"key":"eC9hLzE=","create_revision":"13","mod_revision":"13","version":"1","value":"djE="}},\
          {"kv":{"key":"eC9hLzI=","create_revision":"14","mod_revision":"14","version":"1"}},\
          {"type":"DELETE","kv":{"key":"eC9hLzE=","mod_revision":"15"}}]
          """
        ).utf8
      )
    )
    var batches = Batches(subscription)
    let empty = StoreEntry(key: "a/2", bytes: [], revision: StoreRevision(14))
    #expect(try await batches.next() == [.written(empty), .removed(key: "a/1", revision: StoreRevision(15))])
  }

  @Test func `changes that come with the confirmation are not lost`() async throws {
    let (_, subscription) = try await open(
      Self.line(#""created":true,"events":[{"type":"DELETE","kv":{"key":"eC9hLzE=","mod_revision":"13"}}]"#)
    )
    var batches = Batches(subscription)
    #expect(try await batches.next() == [.removed(key: "a/1", revision: StoreRevision(13))])
  }

  @Test func `a line without events is a sign of life`() async throws {
    let (transport, subscription) = try await open(Self.created)
    transport.streams.value[0].yield(line: #"{"result":{"header":{"revision":"20"}}}"#)
    var batches = Batches(subscription)
    #expect(try await batches.next() == [])
  }

  @Test func `a part of a large answer is yielded like a whole one`() async throws {
    let (transport, subscription) = try await open(Self.created)
    for revision in 13...14 {
      let event = #"{"type":"DELETE","kv":{"key":"eC9hLzE=","mod_revision":"\#(revision)"}}"#
      let rest = revision == 13 ? #","fragment":true"# : ""
      transport.streams.value[0].yield(line: #"{"result":{"events":[\#(event)]\#(rest)}}"#)
    }
    var batches = Batches(subscription)
    var last: StoreChange?
    while last?.revision != StoreRevision(14) { last = try await batches.next()?.last }
  }

  @Test(arguments: [
    line(#""canceled":true,"compact_revision":"30""#, revision: nil),
    line(#""canceled":true,"cancel_reason":"mvcc: required revision has been compacted""#),
    // etcd's history ends before the revision: the store was wiped.
    line(#""created":true"#, revision: 5),
  ])
  func `changes that etcd no longer has are a lost history`(_ line: String) async throws {
    #expect(await storeError { try await open(line) } == .historyLost)
  }

  @Test func `changes that are compacted after the confirmation are a lost history`() async throws {
    let (transport, subscription) = try await open(Self.created)
    transport.streams.value[0].yield(line: #"{"result":{"canceled":true,"compact_revision":"30"}}"#)
    var batches = Batches(subscription)
    #expect(await storeError { try await batches.next() } == .historyLost)
    _ = await transport.endedStreams.first { $0 == 1 }
  }

  @Test func `a watch that is not permitted is refused`() async throws {
    let reason = "rpc error: code = PermissionDenied desc = etcdserver: permission denied"
    let line = Self.line(#""watch_id":"-1","created":true,"canceled":true,"cancel_reason":"\#(reason)""#)
    #expect(await storeError { try await open(line) }?.isRefusal == true)
  }

  @Test func `a watch whose token has expired is opened with a new one`() async throws {
    let reason = "rpc error: code = Unauthenticated desc = etcdserver: invalid auth token"
    let expired = Self.line(#""watch_id":"-1","created":true,"canceled":true,"cancel_reason":"\#(reason)""#)
    let transport = ScriptedTransport { request, number in
      if request.path == "/v3/auth/authenticate" { return .answer(200, #"{"token":"t.\#(number)"}"#) }
      return .answer(200, request.headers["Authorization"] == "t.1" ? expired : Self.created)
    }
    let user = EtcdCredentials(user: "u", password: "p")
    let store = try EtcdStore("http://a:1", credentials: user, transport: transport)
    _ = try await store.changes(in: .key("a"), after: StoreRevision(1))
    #expect(
      transport.requests.value.map(\.path)
        == ["/v3/auth/authenticate", "/v3/watch", "/v3/auth/authenticate", "/v3/watch"]
    )
  }

  @Test(arguments: [
    #"{"error":{"grpc_code":14,"message":"etcdserver: no leader"}}"#,
    "<html>Sign in</html>",
    "{}",
    line(#""events":[]"#),
  ])
  func `another first line is unavailable`(_ line: String) async throws {
    #expect(await storeError { try await open(line + "\n") }?.isUnavailable == true)
  }

  @Test func `garbage is unavailable, after the changes that came before it`() async throws {
    let (transport, subscription) = try await open(Self.created)
    transport.streams.value[0].yield(
      line: #"{"result":{"events":[{"type":"DELETE","kv":{"key":"eC9hLzE="}}]}}"# + "\n<html>"
    )
    _ = await transport.endedStreams.first { $0 == 1 }
    var batches = Batches(subscription)
    #expect(try await batches.next()?.count == 1)
    #expect(await storeError { try await batches.next() }?.isUnavailable == true)
  }

  @Test func `a status other than 200 is unavailable, and the message shows the answer`() async throws {
    let transport = ScriptedTransport { _, _ in .answer(503, "<html>over capacity</html>") }
    let store = try EtcdStore("http://a:1", transport: transport)
    let error = await storeError { try await store.changes(in: .key("a"), after: StoreRevision(1)) }
    #expect(error?.isUnavailable == true)
    #expect(error?.description.contains("over capacity") == true)
  }

  @Test func `a lost connection is unavailable`() async throws {
    let (transport, subscription) = try await open(Self.created)
    transport.streams.value[0].finish(throwing: EtcdTransportError.interrupted("reset"))
    var batches = Batches(subscription)
    #expect(await storeError { try await batches.next() }?.isUnavailable == true)
  }

  @Test func `a watch that is not confirmed ends at its deadline`() async throws {
    let clock = TestClock()
    let transport = ScriptedTransport("")
    let store = try EtcdStore("http://a:1", transport: transport, clock: clock)
    async let error = storeError { try await store.changes(in: .key("a"), after: StoreRevision(1)) }
    _ = await clock.sleeps.first { $0 == 1 }
    _ = await transport.streams.first { $0.count == 1 }
    clock.pass()
    #expect(await error?.isUnavailable == true)
    _ = await transport.endedStreams.first { $0 == 1 }
  }

  @Test func `cancelling the reader ends the stream`() async throws {
    let (transport, subscription) = try await open(Self.created)
    let task = Task {
      var batches = Batches(subscription)
      return try await batches.next()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    _ = await transport.endedStreams.first { $0 == 1 }
  }

  @Test func `releasing the iterator ends the stream, while the subscription lives`() async throws {
    let (transport, subscription) = try await open(Self.created)
    transport.streams.value[0].yield(line: #"{"result":{"header":{"revision":"20"}}}"#)
    func one() async throws {
      var batches = Batches(subscription)
      _ = try await batches.next()
    }
    try await one()
    _ = await transport.endedStreams.first { $0 == 1 }
    withExtendedLifetime(subscription) {}
  }

  @Test func `releasing a subscription that was never iterated ends the stream`() async throws {
    func transport() async throws -> ScriptedTransport { try await open(Self.created).0 }
    _ = await (try await transport()).endedStreams.first { $0 == 1 }
  }
}

/// A transport whose watches take a while to end after they were cancelled.
private final class SlowlyEndingTransport: EtcdTransport {
  let events = BindableActor<[String]>([])
  private let first: [UInt8]

  init(_ first: String) {
    self.first = Array(first.utf8)
  }

  func send(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdAnswer {
    throw EtcdTransportError.notSent("this transport has only streams")
  }

  func stream(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdStream {
    events.modify { $0.append("the watch began") }
    return EtcdStream(status: 200, chunks: Chunks(first: first, events: events))
  }

  private struct Chunks: AsyncSequence, Sendable {
    let first: [UInt8]
    let events: BindableActor<[String]>

    func makeAsyncIterator() -> Iterator { Iterator(rest: [first], events: events) }

    struct Iterator: AsyncIteratorProtocol {
      var rest: [[UInt8]]
      let events: BindableActor<[String]>

      mutating func next() async throws -> [UInt8]? {
        if let chunk = rest.popLast() { return chunk }
        _ = await BindableActor(0).first { $0 == 1 }
        for _ in 0..<100 { await Task.yield() }
        events.modify { $0.append("the watch ended") }
        throw CancellationError()
      }
    }
  }
}

extension WatchTests {
  @Test(arguments: [true, false])
  func `a reader that is cancelled waits until the task of its watch has ended`(isOpen: Bool) async throws {
    let transport = SlowlyEndingTransport(isOpen ? Self.created : "\n")
    let store = try EtcdStore("http://a:1", transport: transport)
    let task = Task {
      defer { transport.events.modify { $0.append("the reader ended") } }
      var batches = Batches(try await store.changes(in: .key("a"), after: StoreRevision(12)))
      transport.events.modify { $0.append("the watch is open") }
      while try await batches.next() != nil {}
    }
    let begin = ["the watch began"] + (isOpen ? ["the watch is open"] : [])
    _ = await transport.events.first { $0 == begin }
    task.cancel()
    _ = await task.result
    #expect(transport.events.value == begin + ["the watch ended", "the reader ended"])
  }
}
