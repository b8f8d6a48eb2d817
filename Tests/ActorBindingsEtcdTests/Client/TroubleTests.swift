import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

/// What each kind of trouble means for a load and for a write.
@Suite struct TroubleTests {
  private static let empty = #"{"header":{"revision":"12"}}"#
  private let write = StoreWrite(key: "a", bytes: [1], expected: .anything)

  private struct Errors {
    var load: StoreError?
    var write: StoreError?
  }

  private func errors(_ reply: ScriptedTransport.Reply) async throws -> Errors {
    let store = try EtcdStore("http://a:1", transport: ScriptedTransport { _, _ in reply })
    return Errors(
      load: await storeError { try await store.load(.key("a")) },
      write: await storeError { try await store.write(write) }
    )
  }

  @Test(arguments: Self.maybeApplied)
  func `what may have been applied is uncertain for a write`(_ reply: ScriptedTransport.Reply) async throws {
    let errors = try await errors(reply)
    #expect(errors.load?.isUnavailable == true)
    #expect(errors.write?.isUncertain == true)
  }

  private static let maybeApplied: [ScriptedTransport.Reply] = [
    .failure(.interrupted("reset")),
    .answer(503, #"{"message":"etcdserver: request timed out","code":14}"#),
    .answer(502, "<html><body>Bad gateway</body></html>"),
    .answer(200, "<html><body>Please log in</body></html>"),
    .answer(200, ""),
  ]

  @Test(arguments: Self.notApplied)
  func `what was not applied is unavailable`(_ reply: ScriptedTransport.Reply) async throws {
    let errors = try await errors(reply)
    #expect(errors.load?.isUnavailable == true)
    #expect(errors.write?.isUnavailable == true)
  }

  private static let notApplied: [ScriptedTransport.Reply] = [
    .failure(.notSent("refused")),
    .answer(404, "Not Found\n"),
    .answer(301, ""),
    .answer(429, #"{"message":"etcdserver: too many requests","code":8}"#),
    .answer(400, #"{"message":"etcdserver: mvcc: required revision is a future revision","code":11}"#),
  ]

  @Test(arguments: ["request is too large", "key is not provided"])
  func `what no retry can mend is refused`(_ message: String) async throws {
    let error = try await errors(.answer(400, #"{"message":"etcdserver: \#(message)","code":3}"#)).write
    #expect(error?.isRefusal == true)
    #expect(error?.description.contains("\"a\"") == true)
    #expect(error?.description.contains("etcd at a:1") == true)
  }

  @Test(arguments: [429, 503])
  func `a store without space refuses a write that was not applied`(status: Int) async throws {
    let noSpace = #"{"message":"etcdserver: mvcc: database space exceeded","code":8}"#
    let transport = ScriptedTransport { request, _ in
      request.path == "/v3/kv/txn" ? .answer(status, noSpace) : .answer(200, Self.empty)
    }
    let store = try EtcdStore("http://a:1", transport: transport)
    let refused = await storeError {
      try await store.write(StoreWrite(key: "a", bytes: [1], expected: .absent))
    }
    #expect(refused?.isRefusal == true)
    #expect(refused?.description.contains("--quota-backend-bytes") == true)
    // etcd gives the same answer to the write that fills the space, and applies it. So reading must tell.
    let changed = StoreWrite(key: "a", bytes: [1], expected: .revision(StoreRevision(7)))
    for write in [changed, write] {
      #expect(await storeError { try await store.write(write) }?.isUncertain == true)
    }
  }

  @Test func `a ttl that is too long is refused`() async throws {
    let answer = #"{"message":"etcdserver: too large lease TTL","code":11}"#
    let store = try EtcdStore("http://a:1", transport: ScriptedTransport { _, _ in .answer(400, answer) })
    let error = await storeError { try await store.grantLease(ttl: .seconds(10_000_000_000)) }
    #expect(error?.isRefusal == true)
    #expect(error?.description.contains("shorter") == true)
  }

  @Test func `https needs a transport of the user's own`() throws {
    let error = #expect(throws: StoreError.self) { try EtcdStore("http://a:1", "HTTPS://b:1") }
    #expect(error?.isRefusal == true)
    #expect(error?.description.contains("TLS") == true)
    _ = try EtcdStore("https://b:1", transport: ScriptedTransport(""))
  }

  @Test func `the message shows the beginning of an answer that is not etcd's`() async throws {
    let html = "<html>\n  <title>Sign in</title>" + String(repeating: "x", count: 1000)
    let message = try await errors(.answer(200, html)).load?.description ?? ""
    #expect(message.contains("\"<html> <title>Sign in</title>xxx"))
    #expect(message.contains("…"))
    #expect(message.count < 300)
  }

  @Test func `a call that gets no answer ends at its deadline`() async throws {
    let clock = TestClock()
    let store = try EtcdStore("http://a:1", transport: ScriptedTransport { _, _ in .nothing }, clock: clock)
    async let load = storeError { try await store.load(.key("a")) }
    async let written = storeError { try await store.write(write) }
    _ = await clock.sleeps.first { $0 == 2 }
    clock.pass()
    #expect(await load?.isUnavailable == true)
    #expect(await written?.isUncertain == true)
  }

  @Test func `an endpoint that cannot be reached is left for the next one`() async throws {
    let transport = ScriptedTransport { request, _ in
      request.url.hasPrefix("http://a:1") ? .failure(.notSent("refused")) : .answer(200, Self.empty)
    }
    let store = try EtcdStore("http://a:1", "http://b:1/", transport: transport)
    #expect(store.name == "etcd at a:1, b:1")
    _ = try await store.load(.key("a"))
    _ = try await store.load(.key("a"))
    #expect(transport.endpoints == ["http://a:1", "http://b:1", "http://b:1"])
  }

  @Test func `when no endpoint can be reached each is tried once`() async throws {
    let transport = ScriptedTransport { _, _ in .failure(.notSent("refused")) }
    let store = try EtcdStore("http://a:1", "http://b:1", "http://c:1", transport: transport)
    #expect(await storeError { try await store.load(.key("a")) }?.isUnavailable == true)
    #expect(transport.endpoints == ["http://a:1", "http://b:1", "http://c:1"])
  }

  @Test func `a write that may have been applied is not sent again`() async throws {
    let transport = ScriptedTransport { request, _ in
      request.url.hasPrefix("http://a:1") ? .answer(503, "") : .answer(200, Self.empty)
    }
    let store = try EtcdStore("http://a:1", "http://b:1", transport: transport)
    #expect(await storeError { try await store.write(write) }?.isUncertain == true)
    _ = try await store.load(.key("a"))
    #expect(transport.requests.value.map(\.url) == ["http://a:1/v3/kv/txn", "http://b:1/v3/kv/range"])
  }

  @Test(arguments: ["127.0.0.1:2379", "ftp://a:1", "http://", ""])
  func `an endpoint that is no URL is refused`(_ endpoint: String) {
    #expect(throws: StoreError.self) { try EtcdStore(endpoint) }
  }

  @Test func `a store without endpoints, or with a long prefix, is refused`() {
    #expect(throws: StoreError.self) { try EtcdStore() }
    let long = String(repeating: "p", count: 1025)
    #expect(throws: StoreError.self) { try EtcdStore("http://a:1", prefix: long) }
  }
}
