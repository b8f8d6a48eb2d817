import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What this process or its machine lacks is not the fault of an endpoint.
@Suite struct LocalTroubleTests {
  private static let empty = #"{"header":{"revision":"12"}}"#
  private let write = StoreWrite(key: "a", bytes: [1], expected: .anything)

  @Test func `a request goes to the next endpoint, and the next request to the same one`() async throws {
    let transport = ScriptedTransport { _, number in
      number == 1 ? .failure(.noResources("no port is left")) : .answer(200, Self.empty)
    }
    let store = try EtcdStore("http://a:1", "http://b:1", transport: transport)
    _ = try await store.load(.key("a"))
    #expect(transport.endpoints == ["http://a:1", "http://b:1"])
    _ = try await store.load(.key("a"))
    #expect(transport.endpoints == ["http://a:1", "http://b:1", "http://a:1"])
  }

  @Test func `each endpoint is tried once, and nothing was written`() async throws {
    let transport = ScriptedTransport { _, _ in .failure(.noResources("no port is left")) }
    let store = try EtcdStore("http://a:1", "http://b:1", "http://c:1", transport: transport)
    let all = ["http://a:1", "http://b:1", "http://c:1"]
    let error = await storeError { try await store.write(write) }
    #expect(error == .unavailable("etcd at a:1, b:1, c:1: no port is left"))
    #expect(await storeError { try await store.load(.key("a")) }?.isUnavailable == true)
    #expect(transport.endpoints == all + all)
  }

  @Test func `after it, an endpoint that cannot be reached is left out`() async throws {
    let transport = ScriptedTransport { request, number in
      switch (number, String(request.url.prefix("http://a:1".count))) {
      case (1, _): .failure(.noResources("no port is left"))
      case (_, "http://b:1"): .failure(.notSent("refused"))
      default: .answer(200, Self.empty)
      }
    }
    let store = try EtcdStore("http://a:1", "http://b:1", "http://c:1", transport: transport)
    _ = try await store.load(.key("a"))
    #expect(transport.endpoints == ["http://a:1", "http://b:1", "http://c:1"])
    _ = try await store.load(.key("a"))
    #expect(transport.endpoints.last == "http://a:1")
  }

  @Test func `a watch that cannot be opened blames no endpoint`() async throws {
    let created = #"{"result":{"header":{"revision":"12"},"created":true}}"# + "\n"
    let transport = ScriptedTransport { request, number in
      if request.path != "/v3/watch" { return .answer(200, Self.empty) }
      return number == 1 ? .failure(.noResources("no thread is left")) : .answer(200, created)
    }
    let store = try EtcdStore("http://a:1", "http://b:1", transport: transport)
    _ = try await store.changes(in: .prefix("a/"), after: StoreRevision(12))
    _ = try await store.load(.key("a"))
    #expect(transport.endpoints == ["http://a:1", "http://b:1", "http://a:1"])
  }

  @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
  func `these errors of the system say that this machine lacks something`(_ code: Int32) {
    #expect(EtcdTransportError.isLocal(code))
  }

  @Test(arguments: [ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ECONNRESET, EPIPE])
  func `these errors of the system are about an endpoint`(_ code: Int32) {
    #expect(!EtcdTransportError.isLocal(code))
  }
}
