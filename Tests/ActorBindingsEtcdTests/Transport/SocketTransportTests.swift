import ActorBindings
import ActorBindingsEtcd
import Testing

@Suite struct SocketTransportTests {
  @Test func `a connection on which nothing comes is given up at the idle limit`() async throws {
    let server = try BadServer { request, _ in request.path == "/stream" ? [.stream, .hang] : [.hang] }
    defer { server.end() }
    let transport = SocketTransport(idleLimit: .milliseconds(50))
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
