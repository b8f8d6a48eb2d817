import ActorBindings
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FanOutTests {
  struct Gone: Error {}

  private let server = PriceServer()

  @Test
  func `five thousand clients receive the last price of their symbol, and the farewell`() async throws {
    let symbols = (0..<100).map { "S\($0)" }
    let received = try await withThrowingTaskGroup(of: [String].self) { group in
      for client in 0..<5_000 {
        group.addTask {
          let lines = BindableActor<[String]>([])
          await server.serve(symbols[client % 100]) { line in lines.modify { $0.append(line) } }
          return lines.value
        }
      }
      for symbol in symbols { server.prices.set(0, forKey: symbol) }
      try await expectValue(5_000, of: server.lines)
      for round in 1...10 {
        for symbol in symbols { server.prices.set(round, forKey: symbol) }
      }
      server.close()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(received.count == 5_000)
    #expect(received.allSatisfy { $0.count >= 3 })
    #expect(Set(received.map { $0.suffix(2) }) == Set(symbols.map { ["\($0) 10", "bye"] }))
    #expect(server.prices.observerCount == 0)
  }

  @Test
  func `a slow client skips prices, and delays no other client`() async throws {
    let gate = Gate()
    let (slow, fast) = (BindableActor<[String]>([]), BindableActor<[String]>([]))
    server.prices.set(0, forKey: "ACME")
    let clients = Task {
      async let a: Void = server.serve("ACME") { line in
        try await gate.wait()
        slow.modify { $0.append(line) }
      }
      async let b: Void = server.serve("ACME") { line in fast.modify { $0.append(line) } }
      _ = try await (a, b)
    }
    try await expectValue(1, of: gate.waiting)
    try await expectValue(["ACME 0"], of: fast)
    for price in 1...3 {
      server.prices.set(price, forKey: "ACME")
      try await expectValue(of: fast) { $0.last == "ACME \(price)" }
    }
    #expect(slow.value.isEmpty)
    gate.open()
    try await expectValue(["ACME 0", "ACME 3"], of: slow)
    server.close()
    try await clients.value
    #expect(slow.value == ["ACME 0", "ACME 3", "bye"])
    #expect(fast.value == ["ACME 0", "ACME 1", "ACME 2", "ACME 3", "bye"])
    #expect(server.metrics == "clients 0, updates 4, lines 6")
  }

  @Test
  func `a client that is gone or cancelled leaves no reader`() async throws {
    server.prices.set(1, forKey: "ACME")
    await #expect(throws: Gone.self) { try await server.serve("ACME") { _ in throw Gone() } }
    let lines = BindableActor<[String]>([])
    let client = Task { await server.serve("ACME") { line in lines.modify { $0.append(line) } } }
    try await expectValue(["ACME 1"], of: lines)
    #expect(server.metrics.hasPrefix("clients 1,"))
    client.cancel()
    await client.value
    #expect(lines.value == ["ACME 1"])
    #expect(server.prices.observerCount == 0)
  }
}
