import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

@Suite struct LeaseTests {
  private let lease = StoreLease(id: "77", ttl: .seconds(2))
  private let notFound =
    #"{"error":"etcdserver: requested lease not found","message":"etcdserver: requested lease not found","code":5}"#

  @Test(arguments: [1: "1", 1000: "1", 1001: "2", 30_000: "30"])
  func `a ttl is rounded up to seconds`(_ milliseconds: Int, _ seconds: String) async throws {
    let transport = ScriptedTransport(#"{"header":{"revision":"4"},"ID":"4111120198783755278","TTL":"40"}"#)
    let store = try EtcdStore("http://a:1", transport: transport)
    let lease = try await store.grantLease(ttl: .milliseconds(milliseconds))
    #expect(lease == StoreLease(id: "4111120198783755278", ttl: .seconds(40)))
    #expect(transport.requests.value.map(\.path) == ["/v3/lease/grant"])
    #expect(transport.requests.value.map(\.body) == [#"{"TTL":"\#(seconds)"}"#])
  }

  @Test func `the renewal of a lease names it`() async throws {
    let transport = ScriptedTransport(#"{"result":{"header":{"revision":"4"},"ID":"77","TTL":"30"}}"# + "\n")
    try await EtcdStore("http://a:1", transport: transport).renew(lease)
    #expect(transport.requests.value.map(\.path) == ["/v3/lease/keepalive"])
    #expect(transport.requests.value.map(\.body) == [#"{"ID":"77"}"#])
  }

  @Test func `the answer to the renewal of a lease that has ended has no ttl`() async throws {
    let transport = ScriptedTransport(#"{"result":{"header":{"revision":"4"},"ID":"77"}}"# + "\n")
    let store = try EtcdStore("http://a:1", transport: transport)
    #expect(await storeError { try await store.renew(lease) } == .leaseEnded)
  }

  @Test
  func `after a renewal that a frozen member does not answer, the next one goes to another member`()
    async throws
  {
    let transport = ScriptedTransport { request, _ in
      request.url.hasPrefix("http://a:1")
        ? .nothing : .answer(200, #"{"result":{"ID":"77","TTL":"2"}}"# + "\n")
    }
    let clock = TestClock()
    let store = try EtcdStore("http://a:1", "http://b:1", transport: transport, clock: clock)
    async let renewal = storeError { try await store.renew(lease) }
    _ = await clock.sleeps.first { $0 == 1 }
    // The holder of a lease of two seconds waits for 400 ms.
    #expect(clock.newestSleep.value < .milliseconds(400))
    clock.pass()
    #expect(await renewal?.isUnavailable == true)
    try await store.renew(lease)
    #expect(transport.endpoints == ["http://a:1", "http://b:1"])
  }

  @Test func `a lease that has ended may be revoked`() async throws {
    let transport = ScriptedTransport { [notFound] _, _ in .answer(404, notFound) }
    try await EtcdStore("http://a:1", transport: transport).revoke(lease)
    #expect(transport.requests.value.map(\.path) == ["/v3/lease/revoke"])
  }

  @Test func `a write with a lease that has ended says so`() async throws {
    let transport = ScriptedTransport { [notFound] _, _ in .answer(404, notFound) }
    let store = try EtcdStore("http://a:1", transport: transport)
    let error = await storeError {
      try await store.write(StoreWrite(key: "a", bytes: [1], expected: .anything, lease: lease))
    }
    #expect(error == .leaseEnded)
  }
}
