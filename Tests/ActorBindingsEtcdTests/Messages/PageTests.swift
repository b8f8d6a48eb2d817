import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

/// How loads divide a scope into pages when answers are large, or do not come.
@Suite struct PageTests {
  private static let empty = #"{"header":{"revision":"12"}}"#
  private static let large = String(repeating: "x", count: PageLimit.answerBytes + 1)

  @Test func `a page that is too large is asked for again with fewer entries`() async throws {
    let transport = ScriptedTransport { request, _ in
      .answer(200, request.limit > 8 ? Self.large : Self.empty)
    }
    let store = try EtcdStore("http://a:1", transport: transport)
    #expect(try await store.load(.prefix("a/")).revision == StoreRevision(12))
    #expect(transport.requests.value.map(\.limit) == [32, 16, 8])
  }

  @Test func `an entry that is too large to read is refused`() async throws {
    let store = try EtcdStore("http://a:1", transport: ScriptedTransport(Self.large))
    let error = await storeError { try await store.load(.prefix("a/")) }
    #expect(error?.isRefusal == true)
    #expect(error?.description.contains("\"a/\"") == true)
  }

  @Test func `a page that does not come in time is smaller in the next load`() async throws {
    let clock = TestClock()
    let transport = ScriptedTransport { _, number in number == 1 ? .nothing : .answer(200, Self.empty) }
    let store = try EtcdStore("http://a:1", transport: transport, clock: clock)
    async let error = storeError { try await store.load(.prefix("a/")) }
    _ = await clock.sleeps.first { $0 == 1 }
    clock.pass()
    #expect(await error?.isUnavailable == true)
    _ = try await store.load(.prefix("a/"))
    #expect(transport.requests.value.map(\.limit) == [32, 16])
  }

  @Test func `the entries of one prefix do not change the pages of another one`() async throws {
    let transport = ScriptedTransport(#"{"header":{"revision":"12"},"kvs":[{"key":"YS8x"}]}"#)
    let store = try EtcdStore("http://a:1", transport: transport)
    for prefix in ["a/", "a/", "b/", "a/", "b/"] { _ = try await store.load(.prefix(prefix)) }
    #expect(transport.requests.value.map(\.limit) == [32, 256, 32, 2048, 256])
  }

  @Test func `pages, and what follows them, use one connection`() async throws {
    let page = #"{"header":{"revision":"12"},"kvs":[{"key":"YS8x"}],"more":true}"#
    let server = try BadServer { _, number in [.answer(200, number < 3 ? page : Self.empty)] }
    defer { server.end() }
    // The deadlines of this store do not pass.
    let store = try EtcdStore(server.url, transport: SocketTransport.patient(), clock: TestClock())
    #expect(try await store.load(.prefix("a/")).entries.count == 2)
    _ = try await store.load(.prefix("b/"))
    _ = try await store.load(.key("a/1"))
    #expect(server.requests.value.count == 5)
    #expect(server.connections.value == 1)
  }

  @Test func `the limits of many prefixes are forgotten`() {
    var limits = PageLimits()
    let last = PageLimits.mostPrefixes
    for number in 0...last { limits["\(number)/"].answerCame(entries: 1, bytes: 1) }
    #expect(limits["0/"] == PageLimit())
    #expect(limits["\(last)/"].entries == 256)
  }

  @Test func `a load that is cancelled within a page is no failure of the page`() async throws {
    let clock = TestClock()
    let transport = EndlessTransport()
    let store = try EtcdStore("http://a:1", "http://b:1", transport: transport, clock: clock)
    for sleeps in [2, 4] {
      let load = Task { try await store.load(.prefix("a/")) }
      // The first sleep of a load is the deadline of the status, and the second one is the limit of a silence.
      _ = await clock.sleeps.first { $0 == sleeps }
      load.cancel()
      await #expect(throws: CancellationError.self) { try await load.value }
    }
    #expect(transport.requests.value.map(\.url) == Array(repeating: "http://a:1/v3/kv/range", count: 2))
    #expect(transport.requests.value.map(\.limit) == [32, 32])
  }

  @Test func `an answer that goes on has no deadline`() async throws {
    let clock = TestClock()
    let isWhole = BindableActor(false)
    async let result = Timeline(clock).whileProgressing(.seconds(1)) { progress in
      for count in 1...3 {
        _ = await clock.sleeps.first { $0 == count }
        progress.send(count)
        clock.pass()
      }
      _ = await isWhole.first { $0 }
      return "whole"
    }
    _ = await clock.sleeps.first { $0 == 4 }
    isWhole.send(true)
    #expect(try await result == "whole")
  }

  @Test func `an answer that stops is given up`() async throws {
    let clock = TestClock()
    async let result = Timeline(clock).whileProgressing(.seconds(1)) { _ in
      _ = await BindableActor(0).first { $0 == 1 }
      return "whole"
    }
    _ = await clock.sleeps.first { $0 == 1 }
    clock.pass()
    #expect(try await result == nil)
  }
}

/// A transport whose answers begin, and never end.
private final class EndlessTransport: EtcdTransport {
  let requests = BindableActor<[ScriptedTransport.Request]>([])

  func send(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdAnswer {
    throw EtcdTransportError.notSent("this transport has only streams")
  }

  func stream(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdStream {
    let text = String(decoding: body, as: UTF8.self)
    requests.modify { $0.append(ScriptedTransport.Request(url: url, body: text, headers: headers)) }
    let (chunks, chunk) = ScriptedTransport.Chunks.makeStream()
    chunk.yield([UInt8(ascii: "{")])
    return EtcdStream(status: 200, chunks: chunks)
  }
}

extension ScriptedTransport.Request {
  /// The number of entries that a request for a page asks for.
  fileprivate var limit: Int {
    let digits = body.firstRange(of: "\"limit\":\"").map { body[$0.upperBound...].prefix { $0.isNumber } }
    return digits.flatMap { Int($0) } ?? 0
  }
}
