import ActorBindings
import Testing

/// A clock that runs an action the next time that it is read.
private final class ActingClock: Clock {
  let base = ManualClock()
  let action = Box<@Sendable () -> Void>()
  /// The number of sleeps that have ended.
  let ended = Counter()

  var now: ManualClock.Instant {
    let next = action.value
    action.value = nil
    next?()
    return base.now
  }
  var minimumResolution: Swift.Duration { .zero }

  func sleep(until instant: ManualClock.Instant, tolerance: Swift.Duration?) async throws {
    defer { ended.add() }
    try await base.sleep(until: instant, tolerance: tolerance)
  }
}

/// Relays whose last reader leaves while their driver is at work.
@Suite
struct RelayReaderTests {
  private let cell = BindableActor(1)
  private let context = ManualContext()
  private let box = Box<BindingToken>()

  // Returns when no reader of a relay is registered in the cell.
  private func left() async {
    await eventually { cell.cell.locked { $0.delivererTable.count == 0 } }
    box.value = nil
  }

  @Test(arguments: [false, true])
  func `a reader that its own operator ends reads no further value`(isLastAccepted: Bool) async {
    let clock = ManualClock()
    let (asked, looks) = (Recorder<Int>(), Recorder<Int>())
    let source = cell.filter { [cell, box] value in
      asked.record(value)
      if value == 2 {
        cell.send(3)
        box.value?.cancel()
        looks.record(clock.looks)
      }
      return value == 1 || isLastAccepted
    }
    .throttle(for: .seconds(3), latest: false, clock: clock)
    box.value = source.observe(on: context.delivery) { _ in }
    await cell.settled()
    cell.send(2)
    await left()
    #expect(asked.elements == [1, 2])
    #expect(cell.observerCount == 0)
    // The driver has received no value after the first one.
    #expect(clock.looks == looks.last)
  }

  @Test
  func `what a driver sends after its last reader has left is lost`() async {
    let clock = ActingClock()
    let source = cell.throttle(for: .seconds(3), clock: clock)
    let relayCell: AnyCell = source.cursor.root.cell
    box.value = source.observe(on: context.delivery) { _ in }
    await cell.settled()
    #expect(relayCell.version == 1)
    clock.base.advance(by: .seconds(3))
    clock.action.value = { [box] in box.value?.cancel() }
    cell.send(2)
    await left()
    #expect(relayCell.version == 1)
  }

  @Test
  func `a timer that is scheduled after the last reader has left is cancelled`() async {
    let clock = ActingClock()
    let source = cell.debounce(for: .seconds(3), clock: clock)
    let relayCell: AnyCell = source.cursor.root.cell
    box.value = source.observe(on: context.delivery) { _ in }
    await clock.base.slept(1)
    clock.base.advance(by: .seconds(3))
    await eventually { relayCell.version == 1 }
    clock.action.value = { [box] in box.value?.cancel() }
    cell.send(2)
    await eventually { clock.ended.value == 2 }
    await left()
    #expect(clock.base.sleepers == 0)
  }

  @Test
  func `a reader that ends when it is about to rest no longer waits for the end of its source`() async {
    let clock = ActingClock()
    box.value = cell.throttle(for: .seconds(3), clock: clock).observe(on: context.delivery) { _ in }
    await cell.settled()
    // The value waits for the end of the interval, so the driver wants nothing more for now.
    clock.action.value = { [box] in box.value?.cancel() }
    cell.send(2)
    await left()
    await eventually { cell.cell.locked { $0.endWaiterCount } == 0 }
  }

  @Test
  func `a driver whose last reader leaves as the source ends does not end its cell`() async {
    let source = cell.throttle(for: .seconds(3), clock: ManualClock())
    let relayCell: AnyCell = source.cursor.root.cell
    let leaving = DeliveryContext(id: "leaves at the end", now: { 0 }) { [context, box] job in
      context.add(job)
      box.value?.cancel()
    }
    let token = source.observe(on: leaving) { _ in }
    await cell.settled()
    context.run()
    cell.send(2)
    await cell.settled()
    box.value = token
    // The waiting value, which the end of the source hands out, makes the observer leave.
    cell.finish()
    await left()
    #expect(!relayCell.isFinished)
    #expect(await source.values.elements() == [2])
    context.run()
  }

  @Test
  func `a relay whose source has ended keeps the last value for later readers`() async {
    let source = cell.throttle(for: .seconds(3), clock: ManualClock())
    cell.finish()
    for _ in 1...2 { #expect(await source.values.elements() == [1]) }
  }

  @Test
  func `a reader that joins before the last one has given up its position gets each value once`() async {
    let (clock, asked, seen) = (ManualClock(), Recorder<Int>(), Recorder<Int>())
    let late = Box<BindingToken>()
    let inner = cell.throttle(for: .seconds(3), clock: clock)
    let innerCell: AnyCell = inner.cursor.root.cell
    let source = inner.filter { [context, box] value in
      asked.record(value)
      if value == 2 {
        box.value?.cancel()
        late.value = inner.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
      }
      return true
    }
    .throttle(for: .seconds(3), latest: false, clock: clock)
    box.value = source.observe(on: context.delivery) { _ in }
    await asked.reached(1)
    clock.advance(by: .seconds(3))
    cell.send(2)
    await eventually { late.value != nil && innerCell.locked { $0.delivererTable.count == 1 } }
    await cell.settled()
    context.run()
    #expect(seen.elements == [2])
    late.value = nil
    box.value = nil
  }

  @Test
  func `a turn that ends within the first update of a merge settles nothing`() async {
    let cells = (1...5).map { BindableActor($0) }
    let (executor, isEarly) = (ManualExecutor(), Recorder<Bool>())
    let all = merge(merge(cells[0], cells[1], cells[2]), merge(cells[3], cells[4]))
    let source = all.filter { value in
      if value == 1 {
        Task(executorPreference: executor) { await cells[0].settled() }
        executor.run()
      }
      // The turn ends after four of these.
      let end = ContinuousClock.now + .milliseconds(2)
      while ContinuousClock.now < end {}
      if value == 5 { isEarly.record(executor.pending == 1) }
      return true
    }
    .throttle(for: .seconds(3), latest: false, clock: ManualClock())
    let token = source.observe(on: context.delivery) { _ in }
    await isEarly.reached(1)
    #expect(isEarly.elements == [false])
    await eventually { executor.pending == 1 }
    executor.run()
    token.cancel()
  }

  @Test
  func `a task that waits for a reader is resumed when the reader is cancelled before its turn`() async {
    let (clock, executor) = (ManualClock(), ManualExecutor())
    let (began, ended) = (Recorder<Bool>(), Recorder<Bool>())
    let leaving = DeliveryContext(id: "leaves in the timer", now: { 0 }) { [cell, context, box] job in
      context.add(job)
      guard let token = box.value else { return }
      // The timer fires in a turn of the relay, so the reader that this write wakes cannot run yet.
      cell.send(2)
      Task(executorPreference: executor) { await cell.settled() }
      executor.run()
      began.record(executor.pending == 0)
      token.cancel()
      ended.record(executor.pending == 1)
    }
    let token = cell.debounce(for: .seconds(3), clock: clock).observe(on: leaving) { _ in }
    context.run()
    box.value = token
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    await ended.reached(1)
    #expect(began.elements == [true])
    #expect(ended.elements == [true])
    await left()
    executor.run()
    context.run()
  }

  @Test
  func `an observer behind a relay can run on the isolation of the source`() async {
    let seen = Recorder<Int>()
    let token = cell.throttle(for: .seconds(3), clock: ManualClock()).observe(on: .cell) { seen.record($0) }
    #expect(!token.hasEnded)
    await seen.reached(1)
    #expect(seen.elements == [1])
    token.cancel()
  }
}
