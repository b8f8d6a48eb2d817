import ActorBindings
import Dispatch
import Testing

@Suite
struct ThrottleTests {
  private let cell = BindableActor(1)
  private let clock = ManualClock()

  @Test
  func `throttle delivers the first value at once, then the newest of each interval`() async {
    var iterator = cell.throttle(for: .seconds(3), clock: clock).values(backlog: .unbounded)
      .makeAsyncIterator()
    #expect(await iterator.next() == 1)
    for value in 2...4 { cell.send(value) }
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 4)
    for value in 5...6 { cell.send(value) }
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 6)
    await clock.slept(0)
    clock.advance(by: .seconds(3))
    cell.send(7)
    #expect(await iterator.next() == 7)
    await clock.slept(0)
  }

  @Test
  func `with latest false throttle delivers the oldest of each interval, and the last value`() async {
    var iterator = cell.throttle(for: .seconds(3), latest: false, clock: clock).values(backlog: .unbounded)
      .makeAsyncIterator()
    #expect(await iterator.next() == 1)
    for value in 2...4 { cell.send(value) }
    await cell.settled()
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 2)
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 4)
    await clock.slept(0)
  }

  @Test(arguments: [true, false])
  func `a value that comes while another one waits is delivered after it`(ends: Bool) async {
    var iterator = cell.throttle(for: .seconds(3), latest: false, clock: clock).values(backlog: .unbounded)
      .makeAsyncIterator()
    #expect(await iterator.next() == 1)
    for value in 2...3 { cell.send(value) }
    await cell.settled()
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 2)
    cell.send(4)
    await cell.settled()
    if ends {
      cell.finish()
      #expect(await iterator.next() == 4)
      #expect(await iterator.next() == nil)
    } else {
      for value in 3...4 {
        await clock.slept(1)
        clock.advance(by: .seconds(3))
        #expect(await iterator.next() == value)
      }
    }
    await clock.slept(0)
  }

  @Test(arguments: [true, false])
  func `the last value is not lost when the source ends`(latest: Bool) async {
    let stream = cell.throttle(for: .seconds(3), latest: latest, clock: clock).values(backlog: .unbounded)
    async let elements = stream.elements()
    await eventually { cell.observerCount == 1 }
    await cell.settled()
    for value in 2...4 { cell.send(value) }
    cell.finish()
    #expect(await elements == [1, 4])
    await clock.slept(0)
  }

  @Test
  func `the end of the source ends the timer, though an observer has not seen that end yet`() async {
    let (context, seen) = (ManualContext(), Recorder<Int>())
    let token = cell.throttle(for: .seconds(3), clock: clock)
      .observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    await cell.settled()
    cell.send(2)
    await clock.slept(1)
    cell.finish()
    await clock.slept(0)
    #expect(!token.hasEnded)
    context.run()
    #expect(seen.elements == [1, 2])
    #expect(token.hasEnded)
  }

  @Test
  func `if two values wait when the source ends, the older one is dropped`() async {
    let stream = cell.throttle(for: .seconds(3), latest: false, clock: clock).values(backlog: .unbounded)
    async let elements = stream.elements()
    await eventually { cell.observerCount == 1 }
    await cell.settled()
    for value in 2...4 { cell.send(value) }
    // The oldest, 2, and the newest, 4, wait.
    await cell.settled()
    cell.finish()
    #expect(await elements == [1, 4])
    await clock.slept(0)
  }

  @Test(arguments: [true, false])
  func `a value at the very instant at which an interval ends does not wait`(latest: Bool) async {
    var iterator = cell.throttle(for: .seconds(3), latest: latest, clock: clock).values.makeAsyncIterator()
    for value in 2...4 {
      #expect(await iterator.next() == value - 1)
      clock.advance(by: .seconds(3))
      cell.send(value)
    }
    #expect(await iterator.next() == 4)
    #expect(clock.sleepers == 0)
  }

  @Test
  func `a value that is written at the end of an interval, before the timer, is delivered by the timer`()
    async
  {
    var iterator = cell.throttle(for: .seconds(3), clock: clock).values(backlog: .unbounded)
      .makeAsyncIterator()
    #expect(await iterator.next() == 1)
    cell.send(2)
    await clock.slept(1)
    cell.send(3)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == 3)
  }

  @Test(arguments: [16, 64])
  func `the cost of writes within an interval does not depend on their number`(readers: Int) async {
    let context = ManualContext()
    let seen = (0..<readers).map { _ in Recorder<Int>() }
    let tokens = seen.map { seen in
      cell.throttle(for: .seconds(3), clock: clock).observe(on: context.delivery) { seen.record($0) }
    }
    await cell.parked(readers)
    var wakeUps = 0
    for value in 2...21 {
      // Each write wakes the reader.
      wakeUps += cell.cell.locked { $0.idle.members.count }
      cell.send(value)
      await cell.settled()
    }
    #expect(wakeUps == readers)
    #expect(cell.observerCount == readers)
    await clock.slept(readers)
    context.run()
    clock.advance(by: .seconds(3))
    await cell.parked(readers)
    context.run()
    #expect(seen.allSatisfy { $0.elements == [1, 21] })
    #expect(clock.sleepers == 0)
    withExtendedLifetime(tokens) {}
    #expect(cell.cell.locked { $0.endWaiterCount } == 0)
  }

  @Test(arguments: [true, false])
  func `the end within an interval delivers what was written after the first read`(isJoint: Bool) async {
    let other = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let token =
      isJoint
      ? combineLatest(cell, other).map { $0 + $1 }.throttle(for: .seconds(3), clock: clock)
        .observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
      : cell.throttle(for: .seconds(3), clock: clock)
        .observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    await cell.settled()
    for value in 2...9 {
      cell.send(value)
      await cell.settled()
    }
    cell.finish()
    if isJoint {
      await cell.settled()
      other.send(100)
      other.finish()
    }
    await eventually { token.hasEnded || context.pending > 0 && cell.observerCount == 0 }
    context.run()
    #expect(seen.elements == [1, isJoint ? 109 : 9])
    #expect(other.cell.locked { $0.endWaiterCount } == 0)
    await clock.slept(0)
  }

  @Test(.serialized, arguments: [false, true])
  func `a resting reader of a key waits for the end while a batch is compared`(
    isIntervalOver: Bool
  ) async {
    let prices = BindableDictionary([HeldKey(1): 1])
    let context = ManualContext()
    let seen = Recorder<Int?>()
    let source = prices.source(forKey: HeldKey(1))
    let cell = source.cursor.root.cell
    let token = source.throttle(for: .seconds(3), clock: clock)
      .observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    await prices.settled()
    prices.set(2, forKey: HeldKey(1))
    await prices.settled()
    // The reader of the key rests. Now another thread writes a batch, and stops while it hashes the keys of the batch
    // for the watchers.
    let (hold, isHeld, isOver) = (Latch(), Gate(), Gate())
    DispatchQueue(label: "writer").async {
      prices.modify { prices in
        prices[HeldKey(1)] = 3
        HeldKey.hold = (hold, isHeld)
      }
      isOver.open()
    }
    await isHeld.passed()
    #expect(prices[HeldKey(1)] == 3)
    prices.finish()
    await eventually { cell.locked { !$0.idle.members.isEmpty } }
    if isIntervalOver {
      clock.advance(by: .seconds(3))
      await eventually {
        context.run()
        return seen.elements == [1, 2]
      }
      await clock.slept(0)
    }
    let looks = clock.looks
    for _ in 1...1_000 { await giveWay() }
    #expect(clock.looks == looks)
    #expect(!token.hasEnded)
    hold.open()
    await isOver.passed()
    await eventually { token.hasEnded || context.pending > 0 && prices.observerCount == 0 }
    context.run()
    #expect(seen.elements == (isIntervalOver ? [1, 2, 3] : [1, 3]))
    #expect(token.hasEnded)
    await clock.slept(0)
  }

  @Test
  func `a reader that leaves within an interval leaves nothing behind`() async {
    let context = ManualContext()
    let token = cell.throttle(for: .seconds(3), clock: clock).observe(on: context.delivery) { _ in }
    await cell.settled()
    cell.send(2)
    await clock.slept(1)
    #expect(cell.cell.locked { $0.endWaiterCount } == 1)
    token.cancel()
    #expect(cell.observerCount == 0)
    #expect(cell.cell.locked { $0.delivererTable.count == 0 && $0.endWaiterCount == 0 })
    await clock.slept(0)
  }

  @Test
  func `throttle works with a system clock`() async {
    let stream = cell.throttle(for: .microseconds(1)).values(backlog: .unbounded)
    async let elements = stream.elements()
    await eventually { cell.observerCount == 1 }
    for value in 2...1_000 { cell.send(value) }
    cell.finish()
    let seen = await elements
    #expect(seen.last == 1_000)
    #expect(Swift.zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
  }
}

/// A key whose hashing can be stopped once.
private struct HeldKey: Hashable, Sendable {
  private static let held = Guarded<(Latch, Gate)?>(nil)
  static var hold: (Latch, Gate)? {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }

  let number: Int

  init(_ number: Int) {
    self.number = number
  }

  func hash(into hasher: inout Hasher) {
    if let (latch, gate) = Self.held.withLock({ $0.take() }) {
      gate.open()
      latch.wait()
    }
    hasher.combine(number)
  }
}
