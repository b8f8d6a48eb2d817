import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

@Suite struct SocketTransportTests {
  @Test func `a connection on which nothing comes is given up at the idle limit`() async throws {
    let server = try BadServer { request, _ in request.path == "/stream" ? [.stream, .hang] : [.hang] }
    defer { server.end() }
    let transport = SocketTransport(idleLimit: .seconds(1))
    let expected = EtcdTransportError.interrupted("nothing came for too long")
    await #expect(throws: expected) { try await transport.send(server.url + "/call", body: [], headers: [:]) }
    let stream = try await transport.stream(server.url + "/stream", body: [], headers: [:])
    #expect(stream.status == 200)
    await #expect(throws: expected) { for try await _ in stream.chunks {} }
    _ = await server.hangsEnded.first { $0 == 2 }
  }

  @Test func `a request to a port without a listener is not sent`() async throws {
    let server = try BadServer { _, _ in [] }
    server.end()
    do {
      _ = try await SocketTransport().send(server.url, body: [], headers: [:])
      Issue.record("nothing was thrown")
    } catch EtcdTransportError.notSent {
    }
  }

  @Test func `an attempt to connect has a limit, and nothing was sent then`() async throws {
    let hole = try BlackHole()
    let transport = SocketTransport(connectLimit: .milliseconds(50))
    for isStream in [false, true] {
      do {
        if isStream {
          _ = try await transport.stream(hole.url, body: [], headers: [:])
        } else {
          _ = try await transport.send(hole.url, body: [], headers: [:])
        }
        Issue.record("nothing was thrown")
      } catch EtcdTransportError.notSent {
      }
    }
  }

  @Test func `a write to an address that does not answer goes to the next endpoint`() async throws {
    let hole = try BlackHole()
    let server = try BadServer { _, _ in [.answer(200, #"{"header":{"revision":"9"},"succeeded":true}"#)] }
    defer { server.end() }
    let store = try EtcdStore(hole.url, server.url)
    let write = StoreWrite(key: "a", bytes: [1], expected: .anything)
    #expect(try await store.write(write) == .applied(StoreRevision(9)))
  }

  @Test func `a write that was not sent by its deadline is unavailable, and not uncertain`() async throws {
    let hole = try BlackHole()
    let clock = TestClock()
    let transport = SocketTransport(connectLimit: .seconds(60))
    let store = try EtcdStore(hole.url, transport: transport, clock: clock)
    let write = StoreWrite(key: "a", bytes: [1], expected: .anything)
    async let error = storeError { try await store.write(write) }
    _ = await clock.sleeps.first { $0 == 1 }
    clock.pass()
    #expect(await error?.isUnavailable == true)
  }

  @Test func `trouble on a connection releases the others of its endpoint`() async throws {
    let server = try BadServer { request, number in
      switch number {
      case 1...3: [.awaitRequests(3), .answer(200, "")]
      case 4: [.hang]
      default: [.answer(200, "")]
      }
    }
    defer { server.end() }
    let transport = SocketTransport.patient(idleLimit: .seconds(2))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask { _ = try await transport.send(server.url, body: [], headers: [:]) }
      }
      try await group.waitForAll()
    }
    #expect(server.connections.value == 3)
    await #expect(throws: EtcdTransportError.self) {
      try await transport.send(server.url, body: [], headers: [:])
    }
    _ = try await transport.send(server.url, body: [], headers: [:])
    #expect(server.connections.value == 4)
  }

  @Test(arguments: [Duration.zero, .seconds(60)])
  func `a connection that has waited too long is not used again`(longestWait: Duration) async throws {
    let server = try BadServer { _, _ in [.answer(200, "")] }
    defer { server.end() }
    let transport = SocketTransport(longestWait: longestWait, streamLimit: 1)
    for _ in 0..<3 { _ = try await transport.send(server.url, body: [], headers: [:]) }
    #expect(server.connections.value == (longestWait == .zero ? 3 : 1))
  }

  @Test func `a stream over the limit is refused at once`() async throws {
    let server = try BadServer { _, _ in [.stream, .hang] }
    defer { server.end() }
    let transport = SocketTransport(longestWait: .zero, streamLimit: 2)
    var streams: [EtcdStream] = []
    for _ in 0..<2 { streams.append(try await transport.stream(server.url, body: [], headers: [:])) }
    do {
      _ = try await transport.stream(server.url, body: [], headers: [:])
      Issue.record("nothing was thrown")
    } catch EtcdTransportError.noResources(let message) {
      #expect(message.contains("2 streams are open"))
    }
    withExtendedLifetime(streams) {}
  }

  @Test func `an answer without an end is given up`() async throws {
    let part = String(repeating: "x", count: 1 << 20)
    let server = try BadServer { _, _ in [.stream] + Array(repeating: .chunk(part), count: 40) + [.hang] }
    defer { server.end() }
    do {
      _ = try await SocketTransport().send(server.url, body: [], headers: [:])
      Issue.record("nothing was thrown")
    } catch EtcdTransportError.interrupted(let message) {
      #expect(message.contains("more than"))
    }
  }

  @Test func `more requests than threads are all answered`() async throws {
    let server = try BadServer { request, _ in [.answer(200, request.body)] }
    defer { server.end() }
    let transport = SocketTransport()
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<200 {
        group.addTask {
          let answer = try await transport.send(server.url, body: Array("\(number)".utf8), headers: [:])
          return Int(String(decoding: answer.body, as: UTF8.self)) ?? 0
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 200 * 199 / 2)
  }
}
