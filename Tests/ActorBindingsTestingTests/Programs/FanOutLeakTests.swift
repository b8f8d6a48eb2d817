import ActorBindings
import ActorBindingsTesting
import Testing

/// The server of prices, with a planted leak: the stream of each client stays in an array.
private final class LeakingPriceServer: Sendable {
  struct Refused: Error {}

  let server = PriceServer()
  private let streams = BindableActor<[any Sendable]>([])

  func serve(_ symbol: String, _ shakeHands: () throws -> Void) async throws {
    let prices = server.prices.source(forKey: symbol).compactMap(\.self).values(backlog: .unbounded)
    streams.modify { $0.append(prices) }
    try shakeHands()
    for await _ in prices { server.lines.modify { $0 += 1 } }
  }
}

/// Runs in a process of its own, because records are made for the whole process.
@Suite(.timeLimit(.minutes(1)))
struct FanOutLeakTests {
  @Test
  func `diagnostics find the stream that is kept and never read, in three steps`() async {
    await #expect(processExitsWith: .success) {
      BindingDiagnostics.isRecording = true
      let leaking = LeakingPriceServer()
      let prices = leaking.server.prices
      for key in 0..<10 { prices.set(0, forKey: "S\(key)") }
      let clients = (0..<100).map { client in
        Task(name: "client \(client)") {
          try await leaking.serve("S\(client % 10)") {
            if client == 17 { throw LeakingPriceServer.Refused() }
          }
        }
      }
      try await expectValue(99, of: leaking.server.lines)
      await #expect(throws: LeakingPriceServer.Refused.self) { try await clients[17].value }
      for round in 1...200 {
        for key in 0..<10 { prices.set(round, forKey: "S\(key)") }
      }
      try await expectValue(99 * 201, of: leaking.server.lines)

      // Which cell of the program keeps most? Other tests run meanwhile, so this looks at the program's file.
      let all = BindingDiagnostics.all().filter { $0.location?.fileID.hasSuffix("/FanOut.swift") == true }
      let worst = try #require(all.max { $0.keptUpdateCount < $1.keptUpdateCount })
      #expect(worst.kind == "BindableDictionary<String, Int>" && worst.keptUpdateCount >= 200)
      // For which line of code, and for which client?
      let line = try #require(worst.readerLines.first)
      #expect(
        line.hasPrefix(
          "kept for source(forKey:), read by a stream without a loop at \(#fileID):13 in the task \"client 17\""
        )
      )
      #expect(line.hasSuffix(", .unbounded, 200 behind"))

      prices.finish()
      for client in clients { _ = try? await client.value }
    }
  }
}
