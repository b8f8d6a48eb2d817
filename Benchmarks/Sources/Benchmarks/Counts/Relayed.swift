import ActorBindings

/// Counts of allocations of operators whose work also runs on other threads. All threads are counted.
enum Relayed {
  static let counts = [
    Count(
      "allocations.inPlace.switching",
      "a switch to another source, until its value is delivered, in place"
    ) {
      try switched(each: 1)
    },
    Count(
      "allocations.inPlace.switched",
      "a value of the newest source, in place, with a switch each 500 values"
    ) {
      try switched(each: 500)
    },
    Count(
      "allocations.call",
      "a value through an asynchronous function, in order, until its output is delivered"
    ) {
      let cell = BindableActor(-1)
      var outputs = cell.asyncMap { await output(of: $0) }.values(backlog: .unbounded).makeAsyncIterator()
      try await expectNext(-1, of: &outputs)
      return try await allocationsEverywhere(per: 1000) {
        for i in 0..<1000 {
          cell.send(i)
          try await expectNext(i, of: &outputs)
        }
      }
    },
    Count("allocations.debounce.pending", "a value of a hundred while a quiet time runs") {
      let (cell, clock) = (BindableActor(-1), ManualClock())
      var values = cell.debounce(for: .seconds(1), clock: clock).values.makeAsyncIterator()
      await cell.settled()
      return try await allocationsEverywhere(per: 1000) {
        for round in 0..<10 {
          for i in 0..<100 { cell.send(100 * round + i) }
          await cell.settled()
          clock.advance(by: .seconds(1))
          try await expectNext(100 * round + 99, of: &values)
        }
      }
    },
  ]

  // Skips the initial value.
  private static func expectNext(
    _ expected: Int,
    of values: inout some AsyncIteratorProtocol<Int, Never>
  ) async throws {
    var value = await values.next(isolation: #isolation)
    if value == -1, expected != -1 { value = await values.next(isolation: #isolation) }
    try expect(value ?? -2, equals: expected, "the next value")
  }

  private static func output(of value: Int) async -> Int { value }

  private static func switched(each length: Int) throws -> Double {
    let relay = Relaying.InPlace()
    defer { relay.token.cancel() }
    try relay.send(0..<1000, switchingEach: length)
    let found = try allocationsEverywhere(per: 10_000) {
      try relay.send(1000..<11_000, switchingEach: length)
    }
    try expect(relay.newest.count, equals: 11_000, "values delivered")
    return found
  }
}
