import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

@Suite struct LogInTests {
  private static func rejection(_ message: String, _ code: Int) -> String {
    #"{"error":"etcdserver: \#(message)","message":"etcdserver: \#(message)","code":\#(code)}"#
  }

  private static let invalidToken = rejection("invalid auth token", 16)
  private static let empty = #"{"header":{"revision":"12"}}"#
  private let write = StoreWrite(key: "b", bytes: [1], expected: .anything)
  private static let user = EtcdCredentials(user: "u", password: "secret")

  private func store(_ transport: ScriptedTransport) throws -> EtcdStore {
    try EtcdStore("http://a:1", credentials: Self.user, transport: transport)
  }

  private func logIns(_ transport: ScriptedTransport) -> Int {
    transport.requests.value.count { $0.path == "/v3/auth/authenticate" }
  }

  @Test func `requests carry the token of one log-in`() async throws {
    let transport = ScriptedTransport { request, _ in
      .answer(200, request.path == "/v3/auth/authenticate" ? #"{"header":{},"token":"t.1"}"# : Self.empty)
    }
    let store = try store(transport)
    _ = try await store.load(.key("a"))
    _ = try await store.load(.key("b"))
    let requests = transport.requests.value
    #expect(requests.map(\.path) == ["/v3/auth/authenticate", "/v3/kv/range", "/v3/kv/range"])
    #expect(requests[0].body == #"{"name":"u","password":"secret"}"#)
    #expect(requests.map { $0.headers["Authorization"] } == [nil, "t.1", "t.1"])
  }

  @Test func `requests whose token has expired log in once, and are sent again`() async throws {
    let transport = ScriptedTransport { request, number in
      if request.path == "/v3/auth/authenticate" { return .answer(200, #"{"token":"t.\#(number)"}"#) }
      let isOld = request.headers["Authorization"] == "t.1"
      return isOld ? .answer(401, Self.invalidToken) : .answer(200, Self.empty)
    }
    let store = try store(transport)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for key in 0..<20 { group.addTask { _ = try await store.load(.key("\(key)")) } }
      try await group.waitForAll()
    }
    #expect(logIns(transport) == 2)
  }

  @Test func `a cluster that refuses each new token is not asked for ever`() async throws {
    let transport = ScriptedTransport { request, number in
      request.path == "/v3/auth/authenticate"
        ? .answer(200, #"{"token":"t.\#(number)"}"#) : .answer(401, Self.invalidToken)
    }
    let store = try store(transport)
    #expect(await storeError { try await store.load(.key("a")) }?.isUnavailable == true)
    #expect(logIns(transport) == 3)
  }

  @Test func `a wrong password is refused, without trying again, and the message hides it`() async throws {
    let transport = ScriptedTransport { _, _ in
      .answer(400, Self.rejection("authentication failed, invalid user ID or password", 3))
    }
    let store = try store(transport)
    let error = await storeError { try await store.load(.key("flags")) }
    #expect(error?.isRefusal == true)
    let message = error?.description ?? ""
    for part in ["\"flags\"", "etcd at a:1", "\"u\"", "correct the credentials"] {
      #expect(message.contains(part))
    }
    #expect(!message.contains("secret"))
    #expect(!"\(Self.user)".contains("secret") && !String(reflecting: Self.user).contains("secret"))
    #expect(transport.requests.value.count == 1)
  }

  @Test func `credentials do no harm in a cluster without users`() async throws {
    let transport = ScriptedTransport { request, _ in
      request.path == "/v3/auth/authenticate"
        ? .answer(412, Self.rejection("authentication is not enabled", 9)) : .answer(200, Self.empty)
    }
    _ = try await store(transport).load(.key("a"))
    #expect(transport.requests.value.last?.headers["Authorization"] == nil)
  }

  @Test func `a cluster with users refuses a store without credentials`() async throws {
    let transport = ScriptedTransport { _, _ in .answer(400, Self.rejection("user name is empty", 3)) }
    let store = try EtcdStore("http://a:1", transport: transport)
    let error = await storeError { try await store.load(.key("a")) }
    #expect(error?.isRefusal == true)
    #expect(error?.description.contains("pass credentials") == true)
  }

  @Test func `what the user may not do is refused`() async throws {
    let transport = ScriptedTransport { request, _ in
      request.path == "/v3/auth/authenticate"
        ? .answer(200, #"{"token":"t"}"#) : .answer(403, Self.rejection("permission denied", 7))
    }
    let store = try store(transport)
    let error = await storeError { try await store.write(write) }
    #expect(error?.isRefusal == true)
    #expect(error?.description.contains("grant a role") == true)
    #expect(logIns(transport) == 1)
  }

  @Test func `a log-in that gets no answer does not make a write uncertain`() async throws {
    let transport = ScriptedTransport { _, _ in .failure(.interrupted("reset")) }
    let store = try store(transport)
    let error = await storeError { try await store.write(write) }
    #expect(error?.isUnavailable == true)
  }

  @Test func `a token with which a request hangs is replaced`() async throws {
    // A member waits until it knows the state of the token: for ever, if the cluster was wiped since.
    let clock = TestClock()
    let transport = ScriptedTransport { request, number in
      if request.path == "/v3/auth/authenticate" { return .answer(200, #"{"token":"t.\#(number)"}"#) }
      return request.headers["Authorization"] == "t.1" ? .nothing : .answer(200, Self.empty)
    }
    let store = try EtcdStore("http://a:1", credentials: Self.user, transport: transport, clock: clock)
    async let first = storeError { try await store.load(.key("a")) }
    _ = await transport.requests.first { $0.contains { $0.path == "/v3/kv/range" } }
    // One deadline is that of the log-in.
    _ = await clock.sleeps.first { $0 == 2 }
    clock.pass()
    #expect(await first?.isUnavailable == true)
    _ = try await store.load(.key("a"))
    #expect(logIns(transport) == 2)
  }

  @Test func `a cancelled request ends while the log-in goes on`() async throws {
    let transport = ScriptedTransport { _, _ in .nothing }
    let store = try store(transport)
    let task = Task { try await store.load(.key("a")) }
    _ = await transport.requests.first { $0.count == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
