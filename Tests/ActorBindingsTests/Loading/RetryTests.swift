import ActorBindings
import Testing

private struct Broken: Error, Equatable {
  var number = 0
}

/// A clock whose `sleep` ignores cancellation.
private struct DeafClock: Clock {
  let asleep: Flag
  let gate: Gate

  var now: ContinuousClock.Instant { ContinuousClock.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    asleep.set()
    await gate.passed()
  }
}

@Suite struct RetryTests {
  @Test func `a load is retried after a delay, and the state shows it`() async throws {
    let (clock, attempts) = (ManualClock(), Counter())
    let cell = LoadingCell(retry: .backoff(attempts: 3, first: .seconds(1)), clock: clock) {
      () async throws -> Int in
      let attempt = attempts.add()
      if attempt < 3 { throw Broken(number: attempt) }
      return attempt
    }
    let phases = cell.map { "\($0)" }.values(backlog: .unbounded)
    let content = Task { try await cell.load() }
    await clock.slept(1)
    #expect(cell.value.attempt?.number == 2)
    #expect(cell.value.attempt?.startsIn == .seconds(1))
    #expect(cell.value.attempt?.lastError as? Broken == Broken(number: 1))
    clock.advance(by: .seconds(1))
    await eventually { cell.value.attempt?.number == 3 }
    await clock.slept(1)
    #expect(cell.value.attempt?.startsIn == .seconds(2))
    clock.advance(by: .seconds(2))
    #expect(try await content.value == 3)
    cell.finish()
    #expect(
      await phases.elements() == [
        "idle", "loading (attempt 1)", "loading (attempt 2 in 1.0 seconds)", "loading (attempt 2)",
        "loading (attempt 3 in 2.0 seconds)", "loading (attempt 3)", "loaded 3",
      ]
    )
  }

  @Test func `a load fails after the last attempt`() async throws {
    let attempts = Counter()
    let cell = LoadingCell(retry: .backoff(attempts: 4, first: .zero)) { () async throws -> Int in
      throw Broken(number: attempts.add())
    }
    await #expect(throws: Broken(number: 4)) { try await cell.load() }
    #expect(attempts.value == 4)
  }

  @Test func `a reload does not wait for the next attempt`() async throws {
    let (clock, attempts) = (ManualClock(), Counter())
    let cell = LoadingCell(retry: .backoff(first: .seconds(1)), clock: clock) { () async throws -> Int in
      let attempt = attempts.add()
      if attempt == 1 { throw Broken() }
      return attempt
    }
    cell.startLoading()
    await clock.slept(1)
    #expect(try await cell.reload() == 2)
    #expect(clock.sleepers == 0)
  }

  @Test func `cancel ends the wait for the next attempt`() async {
    let clock = ManualClock()
    let cell = LoadingCell(retry: .backoff(first: .seconds(1)), clock: clock) { () async throws -> Int in
      throw Broken()
    }
    let waiting = Task { try await cell.load() }
    await clock.slept(1)
    cell.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await clock.slept(0)
    #expect("\(cell.value)" == "idle")
  }

  @Test func `a finished cell loads no more, though its clock ignored the cancellation`() async {
    let (calls, asleep, gate) = (Counter(), Flag(), Gate())
    let cell = LoadingCell(retry: .backoff(), clock: DeafClock(asleep: asleep, gate: gate)) {
      () async throws -> Int in
      throw Broken(number: calls.add())
    }
    cell.startLoading()
    await eventually { asleep.isSet }
    cell.finish()
    gate.open()
    let (other, others) = (LoadingCell { () async -> Int in 1 }, Counter())
    _ = await concurrently(1) { _ in
      if (try? await other.load()) != nil { others.add() }
    }
    #expect(others.value == 1)
    #expect(calls.value == 1)
  }

  @Test func `delays grow up to the limit`() {
    let policy = RetryPolicy.backoff(attempts: 6, first: .seconds(1), factor: 3, limit: .seconds(20))
    let delays = (1...6).map { policy.delay($0, Broken()) }
    #expect(delays == [.seconds(1), .seconds(3), .seconds(9), .seconds(20), .seconds(20), nil])
    #expect(RetryPolicy.never.delay(1, Broken()) == nil)
    // One parameter of each of these policies has an extreme value.
    #expect(RetryPolicy.backoff(attempts: 1).delay(1, Broken()) == nil)
    #expect(RetryPolicy.backoff(first: .seconds(1), factor: 1).delay(7, Broken()) == .seconds(1))
    #expect(RetryPolicy.backoff(limit: .zero).delay(7, Broken()) == .zero)
    #expect(RetryPolicy.backoff(first: .zero).delay(1000, Broken()) == .zero)
    #expect(RetryPolicy.backoff(factor: 1e300).delay(1000, Broken()) == .seconds(30))
  }

  @Test func `jitter shortens a delay by its fraction at most`() {
    let policy = RetryPolicy.backoff(first: .seconds(1), jitter: 0.25)
    for _ in 0..<1000 {
      guard let delay = policy.delay(1, Broken()) else { return #expect(Bool(false), "it has given up") }
      #expect(delay >= .milliseconds(750) && delay <= .seconds(1))
    }
  }
}
