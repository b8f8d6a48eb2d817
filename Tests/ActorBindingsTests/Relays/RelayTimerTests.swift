import ActorBindings
import Testing

/// Clocks that fail, and durations that no clock can add.
@Suite
struct RelayTimerTests {
  /// A clock whose `sleep` sometimes throws.
  private struct FailingClock: Clock {
    struct Failure: Error {}

    let base = ManualClock()
    let failures: Counter

    init(failures: Int) {
      self.failures = Counter(failures)
    }

    var now: ManualClock.Instant { base.now }
    var minimumResolution: Swift.Duration { .zero }

    func sleep(until instant: ManualClock.Instant, tolerance: Swift.Duration?) async throws {
      if failures.add(-1) >= 0 { throw Failure() }
      try await base.sleep(until: instant, tolerance: tolerance)
    }
  }

  @Test(arguments: [1, 3])
  func `debounce tries again when its clock's sleep throws`(failures: Int) async {
    let (cell, clock) = (BindableActor(1), FailingClock(failures: failures))
    var iterator = cell.debounce(for: .seconds(3), clock: clock).values.makeAsyncIterator()
    await clock.base.slept(1)
    clock.base.advance(by: .seconds(3))
    #expect(await iterator.next() == 1)
    cell.send(2)
    await clock.base.slept(1)
    clock.base.advance(by: .seconds(3))
    #expect(await iterator.next() == 2)
  }

  @Test(arguments: [false, true])
  func `throttle tries again when its clock's sleep throws`(latest: Bool) async {
    let (cell, clock) = (BindableActor(1), FailingClock(failures: 1))
    var iterator = cell.throttle(for: .seconds(3), latest: latest, clock: clock).values.makeAsyncIterator()
    for value in 2...3 {
      #expect(await iterator.next() == value - 1)
      cell.send(value)
      await clock.base.slept(1)
      clock.base.advance(by: .seconds(3))
    }
    #expect(await iterator.next() == 3)
  }

  @Test
  func `if every sleep throws, the timer reads the clock`() async {
    let (cell, clock) = (BindableActor(1), FailingClock(failures: .max))
    var iterator = cell.debounce(for: .seconds(3), clock: clock).values.makeAsyncIterator()
    await eventually { clock.failures.value < .max }
    clock.base.advance(by: .seconds(3))
    #expect(await iterator.next() == 1)
  }

  @Test
  func `a sleep that keeps throwing is tried less and less often`() {
    var pauses = RetryPauses()
    let found = (0..<13).map { _ in pauses.next() }
    #expect(found.prefix(4) == [nil, .milliseconds(1), .milliseconds(2), .milliseconds(4)])
    #expect(found.suffix(3) == [.milliseconds(512), .seconds(1), .seconds(1)])
  }

  @Test
  func `while every sleep throws, the timer pauses for longer and longer`() async {
    let (cell, clock, context) = (BindableActor(1), FailingClock(failures: .max), ManualContext())
    let begin = ContinuousClock.now
    let token = cell.debounce(for: .seconds(3), clock: clock).observe(on: context.delivery) { _ in }
    // Six attempts, and between them no pause and pauses of 1, 2, 4 and 8 milliseconds.
    await eventually { clock.failures.value <= .max - 6 }
    #expect(ContinuousClock.now - begin >= .milliseconds(15))
    token.cancel()
  }

  private static let extremes: [Swift.Duration] = [
    .seconds(Int64.max), .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1),
  ]

  @Test(arguments: extremes)
  func `any duration is allowed, and the end does not wait for it`(duration: Swift.Duration) async {
    let cell = BindableActor(1)
    let readers = [
      Task { await cell.debounce(for: duration).values.elements() },
      Task { await cell.throttle(for: duration).values.elements() },
      Task { await cell.throttle(for: duration, latest: false).values.elements() },
    ]
    await eventually { cell.observerCount == readers.count }
    await cell.settled()
    cell.send(2)
    await cell.settled()
    cell.finish()
    for reader in readers { #expect(await reader.value.last == 2) }
  }

  @Test
  func `a negative duration is zero`() async {
    let cell = BindableActor(1)
    var quiet = cell.debounce(for: .seconds(Int64.min)).values.makeAsyncIterator()
    var spaced = cell.throttle(for: .seconds(Int64.min)).values.makeAsyncIterator()
    for value in 2...3 {
      #expect(await quiet.next() == value - 1)
      #expect(await spaced.next() == value - 1)
      cell.send(value)
    }
  }
}
