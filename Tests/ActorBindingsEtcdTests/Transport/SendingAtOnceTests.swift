import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

/// Requests on a connection that waits, whose deadline the transport keeps.
@Suite struct SendingAtOnceTests {
  private func atOnce(
    _ transport: SocketTransport,
    _ server: BadServer,
    body: [UInt8] = [],
    within limit: Duration = .seconds(60)
  ) async throws -> SocketTransport.AtOnce {
    try await transport.sendAtOnce(server.url, body: body, headers: [:], within: limit)
  }

  @Test func `nothing is sent if no connection waits`() async throws {
    let server = try BadServer { request, _ in [.answer(200, request.body)] }
    defer { server.end() }
    let transport = SocketTransport.patient()
    #expect(try await atOnce(transport, server) == .notSent)
    #expect(server.requests.value == [])
    _ = try await transport.send(server.url, body: [], headers: [:])
    let answer = EtcdAnswer(status: 200, body: Array("hello".utf8))
    #expect(try await atOnce(transport, server, body: Array("hello".utf8)) == .answered(answer))
    #expect(server.connections.value == 1)
  }

  @Test func `a body that the connection does not take at once is sent whole`() async throws {
    let server = try BadServer { request, _ in [.answer(200, "\(request.body.utf8.count)")] }
    defer { server.end() }
    let transport = SocketTransport.patient()
    _ = try await transport.send(server.url, body: [], headers: [:])
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 12 << 20)
    let answer = EtcdAnswer(status: 200, body: Array("\(body.count)".utf8))
    #expect(try await atOnce(transport, server, body: body) == .answered(answer))
  }

  @Test func `an answer that does not come in time ends the connection, and those beside it`() async throws {
    let server = try serverThatHangs()
    defer { server.end() }
    let transport = SocketTransport.patient()
    try await twoConnections(transport, server)
    #expect(try await atOnce(transport, server, within: .milliseconds(50)) == .late)
    _ = await server.hangsEnded.first { $0 == 1 }
    #expect(try await atOnce(transport, server) == .notSent)
  }

  @Test func `an answer that stops is late`() async throws {
    let server = try BadServer { _, number in
      number == 1 ? [.answer(200, "")] : [.raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), .hang]
    }
    defer { server.end() }
    let transport = SocketTransport.patient()
    _ = try await transport.send(server.url, body: [], headers: [:])
    #expect(try await atOnce(transport, server, within: .milliseconds(50)) == .late)
    _ = await server.hangsEnded.first { $0 == 1 }
  }

  @Test func `a request that is cancelled ends its connection, and no other one`() async throws {
    let server = try serverThatHangs()
    defer { server.end() }
    let transport = SocketTransport.patient()
    try await twoConnections(transport, server)
    let task = Task { try await atOnce(transport, server) }
    _ = await server.requests.first { $0.count == 3 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    _ = await server.hangsEnded.first { $0 == 1 }
    #expect(try await atOnce(transport, server) == .answered(EtcdAnswer(status: 200, body: [])))
    #expect(server.connections.value == 2)
  }

  @Test
  func `a server that closes the connection before it answers leaves the request uncertain`() async throws {
    let server = try BadServer { _, number in number == 1 ? [.answer(200, "")] : [.close] }
    defer { server.end() }
    let transport = SocketTransport.patient()
    _ = try await transport.send(server.url, body: [], headers: [:])
    do {
      _ = try await atOnce(transport, server)
      Issue.record("nothing was thrown")
    } catch EtcdTransportError.interrupted {
    }
  }

  @Test func `a store whose clock is that of the system uses the connections that wait`() async throws {
    let server = try BadServer { _, number in
      number == 1 ? [.answer(200, #"{"header":{"revision":"9"}}"#)] : [.hang]
    }
    defer { server.end() }
    let store = try EtcdStore(server.url, transport: SocketTransport.patient())
    _ = try await store.load(.key("a"))
    let write = StoreWrite(key: "a", bytes: [1], expected: .anything)
    #expect(await storeError { try await store.write(write) }?.isUncertain == true)
    #expect(server.connections.value == 1)
    _ = await server.hangsEnded.first { $0 == 1 }
  }

  /// Starts a server that answers two requests at once, does not answer the third, and answers those after it.
  private func serverThatHangs() throws -> BadServer {
    try BadServer { _, number in
      switch number {
      case 1, 2: [.awaitRequests(2), .answer(200, "")]
      case 3: [.hang]
      default: [.answer(200, "")]
      }
    }
  }

  /// Makes two connections, which then wait.
  private func twoConnections(_ transport: SocketTransport, _ server: BadServer) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask { _ = try await transport.send(server.url, body: [], headers: [:]) }
      }
      try await group.waitForAll()
    }
    #expect(server.connections.value == 2)
  }
}
