import ActorBindings
import Synchronization

/// W17: operators that act between two values, and so have a cell of their own, which a relay writes.
enum Relaying {
  static let workloads = [
    switched, switching, switchedInPlace, switchingInPlace, debounced, pending, throttled,
  ]

  // MARK: switchToLatest

  private static let switched = Workload(
    "W17.switchToLatest",
    "Every value of the newest of two sources, which changes with each hundredth",
    per: "value",
    comparedTo: "a loop for each",
    [
      .ours("switchToLatest", 20_000) { n in try await relayed(n, switchingEach: 100) },
      .baseline("a loop for each", 100_000) { n in try await looped(n, switchingEach: 100) },
      .baseline("closure under a Mutex", 2_000_000) { n in try byHand(n, switchingEach: 100) },
    ]
  )

  private static let switching = Workload(
    "W17.switching",
    "A switch from one source to another, until its value is delivered",
    per: "switch",
    comparedTo: "a loop for each",
    [
      .ours("switchToLatest", 2_000) { n in try await relayed(n, switchingEach: 1) },
      .baseline("a loop for each", 10_000) { n in try await looped(n, switchingEach: 1) },
      .baseline("closure under a Mutex", 1_000_000) { n in try byHand(n, switchingEach: 1) },
    ]
  )

  private static func relayed(_ n: Int, switchingEach length: Int) async throws -> Sample {
    let (rooms, room) = ([BindableActor(-1), BindableActor(-1)], BindableActor(1))
    let (tally, context) = (Tally(until: n - 1), SharedPumpedContext())
    let newest = room.map { rooms[$0] }.switchToLatest()
    let token = newest.observe(on: context.context, backlog: .unbounded, tally.handler)
    await room.settled()
    context.run()
    let stopwatch = Stopwatch()
    for begin in stride(from: 0, to: n, by: length) {
      let next = begin / length & 1
      rooms[next].send(begin)
      room.send(next)
      // Waits for the switch: some values that are sent to a source before the switch are not delivered.
      await room.settled()
      for i in begin + 1..<begin + length { rooms[next].send(i) }
      await rooms[next].settled()
      context.run()
    }
    let sample = stopwatch.sample
    try tally.expectAll(n)
    token.cancel()
    return sample
  }

  // MARK: switchToLatest, in place

  // A context that runs its work at once, as `.immediate` does.
  private static let customContext = DeliveryContext(id: "in place") { $0() }

  private static let switchedInPlace = Workload(
    "W17.inPlace.values",
    "Every value of the newest of two sources, delivered before the next, in place",
    per: "value",
    comparedTo: "closure under a Mutex",
    [
      .ours("switchToLatest", 100_000) { n in try inPlace(n, switchingEach: 500) },
      .ours("switchToLatest, custom context", 100_000) { n in
        try inPlace(n, on: customContext, switchingEach: 500)
      },
      .baseline("closure under a Mutex", 2_000_000) { n in try byHand(n, switchingEach: 500) },
    ]
  )

  private static let switchingInPlace = Workload(
    "W17.inPlace.switching",
    "A switch from one source to another, until its value is delivered, in place",
    per: "switch",
    comparedTo: "closure under a Mutex",
    [
      .ours("switchToLatest", 10_000) { n in try inPlace(n, switchingEach: 1) },
      .ours("switchToLatest, custom context", 10_000) { n in
        try inPlace(n, on: customContext, switchingEach: 1)
      },
      .baseline("closure under a Mutex", 1_000_000) { n in try byHand(n, switchingEach: 1) },
    ]
  )

  private static func inPlace(
    _ n: Int,
    on context: DeliveryContext = .immediate,
    switchingEach length: Int
  ) throws -> Sample {
    let relay = InPlace(on: context)
    let sample = try timed { try relay.send(0..<n, switchingEach: length) }
    try expect(relay.newest.count, equals: n, "values delivered")
    relay.token.cancel()
    return sample
  }

  /// A switch between two cells, with a handler on the writer's thread.
  struct InPlace {
    let newest = Newest()
    let token: BindingToken
    private let rooms = [BindableActor(-1), BindableActor(-1)]
    private let room = BindableActor(1)

    init(on context: DeliveryContext = .immediate) {
      token = room.flatMapLatest { [rooms] in rooms[$0] }.observe(on: context, backlog: .unbounded) {
        [newest] in newest.receive($0)
      }
    }

    /// Sends the values, and waits for each.
    func send(_ values: Range<Int>, switchingEach length: Int) throws {
      for begin in stride(from: values.lowerBound, to: values.upperBound, by: length) {
        let next = begin / length & 1
        // So the loop counts no references to the cell.
        let newestRoom = rooms[next]
        newestRoom.send(begin)
        room.send(next)
        try newest.wait(for: begin)
        for i in begin + 1..<min(begin + length, values.upperBound) {
          newestRoom.send(i)
          try newest.wait(for: i)
        }
      }
    }
  }

  /// The newest value that a handler received.
  final class Newest: Sendable {
    private let value = Atomic(-1)
    private let received = Atomic(0)

    var count: Int { received.load(ordering: .relaxed) }

    func receive(_ new: Int) {
      if new < 0 { return }
      received.add(1, ordering: .relaxed)
      value.store(new, ordering: .releasing)
    }

    // Spins: the handler is called by the writer, or soon after. A value that has not come after seconds is lost.
    func wait(for expected: Int) throws {
      var left = 1_000_000_000
      while value.load(ordering: .acquiring) != expected {
        left -= 1
        try expect(left > 0, "the value \(expected) is not delivered")
      }
    }
  }

  // Hand-written code with streams only: the task that reads the old source has ended when the next one begins.
  private static func looped(_ n: Int, switchingEach length: Int) async throws -> Sample {
    let (rooms, mailbox) = ([BindableActor(-1), BindableActor(-1)], Mailbox())
    var reading: Task<Void, Never>?
    var sum = 0
    let stopwatch = Stopwatch()
    for begin in stride(from: 0, to: n, by: length) {
      let next = begin / length & 1
      rooms[next].send(begin)
      reading?.cancel()
      await reading?.value
      let values = rooms[next].values(backlog: .unbounded)
      reading = Task { for await value in values { mailbox.send(value) } }
      for i in begin + 1..<begin + length { rooms[next].send(i) }
      var missing = length
      while missing > 0, let batch = await mailbox.next() {
        for value in batch { sum += value }
        missing -= batch.count
      }
    }
    let sample = stopwatch.sample
    reading?.cancel()
    try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
    return sample
  }

  private static func byHand(_ n: Int, switchingEach length: Int) throws -> Sample {
    let tally = Tally(until: n - 1)
    let rooms = LockedSwitch([-1, -1], newest: 1, tally.handler)
    let sample = timed {
      for begin in stride(from: 0, to: n, by: length) {
        let next = begin / length & 1
        rooms.send(begin, to: next)
        rooms.select(next)
        for i in begin + 1..<begin + length { rooms.send(i, to: next) }
      }
    }
    try tally.expectAll(n)
    return sample
  }

  // MARK: Time

  private static let debounced = Workload(
    "W17.debounce",
    "A hundred values in a row, until the last is delivered: the clock is moved by hand",
    per: "value",
    comparedTo: "one task by hand",
    [
      .ours("debounce", 200_000) { n in
        let clock = ManualClock()
        return try await follow(n, clock) { $0.debounce(for: pause, clock: clock) }
      },
      .baseline("one task by hand", 1_000_000) { n in
        let (clock, mailbox) = (ManualClock(), Mailbox())
        let debounce = LockedDebounce(for: pause, clock, mailbox.send)
        return try await pass(n, clock, send: debounce.send) { await mailbox.next()?.last }
      },
      .baseline("a task for each value", 20_000) { n in
        let (clock, mailbox) = (ManualClock(), Mailbox())
        let debounce = TaskDebounce(for: pause, clock, mailbox.send)
        return try await pass(n, clock, send: debounce.send) { await mailbox.next()?.last }
      },
    ]
  )

  private static let pending = Workload(
    "W17.debounce.pending",
    "A value each five microseconds, while the quiet time of an earlier one runs: without the pauses",
    per: "value",
    comparedTo: "one task by hand",
    [
      .ours("debounce", 4_000) { n in
        let cell = BindableActor(-1)
        let values = cell.debounce(for: .seconds(1)).values
        let reader = Task { for await _ in values {} }
        while cell.observerCount == 0 { await Task.yield() }
        await cell.settled()
        defer { reader.cancel() }
        return spaced(n) { cell.send($0) }
      },
      .baseline("one task by hand", 4_000) { n in
        let clock = ManualClock()
        let debounce = LockedDebounce(for: pause, clock) { _ in }
        defer { clock.advance(by: pause) }
        return spaced(n) { debounce.send($0) }
      },
    ]
  )

  // The time of `n` calls, without the pauses between them.
  private static func spaced(_ n: Int, _ send: (Int) -> Void) -> Sample {
    let pauses = timed { for _ in 0..<n { spin() } }
    let all = timed {
      for i in 0..<n {
        spin()
        send(i)
      }
    }
    return Sample(duration: all.duration - pauses.duration)
  }

  // Takes about five microseconds.
  private static func spin() {
    let end = ContinuousClock.now + .microseconds(5)
    while ContinuousClock.now < end {}
  }

  private static let throttled = Workload(
    "W17.throttle",
    "A hundred values within an interval, until the last is delivered: the clock is moved by hand",
    per: "value",
    comparedTo: "one task by hand",
    [
      .ours("throttle", 200_000) { n in
        let clock = ManualClock()
        return try await follow(n, clock) { $0.throttle(for: pause, clock: clock) }
      },
      .baseline("one task by hand", 1_000_000) { n in
        let (clock, mailbox) = (ManualClock(), Mailbox())
        let throttle = LockedThrottle(for: pause, clock, mailbox.send)
        throttle.send(-1)
        return try await pass(n, clock, send: throttle.send) { await mailbox.next()?.last }
      },
    ]
  )

  private static let pause = Duration.seconds(1)

  private static func follow(
    _ n: Int,
    _ clock: ManualClock,
    _ chain: (BindableActor<Int>) -> some BindingSource<Int>
  ) async throws -> Sample {
    let cell = BindableActor(-1)
    var values = chain(cell).values.makeAsyncIterator()
    await cell.settled()
    return try await pass(n, clock, send: cell.send) {
      await cell.settled()
    } next: {
      await values.next()
    }
  }

  // `looked` returns when the operator has read the last value. That value then waits for the clock.
  private static func pass(
    _ n: Int,
    _ clock: ManualClock,
    send: (Int) -> Void,
    looked: () async -> Void = {},
    next: () async -> Int?
  ) async throws -> Sample {
    let length = 100
    let bursts = n / length
    var sum = 0
    let stopwatch = Stopwatch()
    for burst in 0..<bursts {
      for i in burst * length..<(burst + 1) * length { send(i) }
      await looked()
      clock.advance(by: pause)
      var value = await next()
      // Drops the initial value of the cell, if it was not skipped.
      if value == -1 { value = await next() }
      sum += value ?? 0
    }
    let sample = stopwatch.sample
    try expect(sum, equals: bursts * (bursts + 1) / 2 * length - bursts, "the sum of the delivered values")
    return sample
  }
}
