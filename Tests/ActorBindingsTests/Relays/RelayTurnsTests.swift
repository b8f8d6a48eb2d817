import ActorBindings
import Foundation
import Testing

/// Where the turns of a relay run.
@Suite
struct RelayTurnsTests {
  private let outer = BindableActor(0)
  private let rooms = (0...2).map { BindableActor(10 * $0) }
  private let seen = Recorder<Int>()
  private let atOnce = DeliveryContext(id: "at once", now: { 0 }) { $0() }

  @Test
  func `a handler on the writer's thread receives a switch, and what follows it, before the write returns`()
    async
  {
    let token = outer.flatMapLatest { [rooms] in rooms[$0] }
      .observe(on: atOnce, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    outer.send(1)
    #expect(seen.elements == [0, 10])
    rooms[1].send(11)
    rooms[0].send(1)
    #expect(seen.elements == [0, 10, 11])
    outer.send(2)
    outer.send(0)
    #expect(seen.elements == [0, 10, 11, 20, 1])
    token.cancel()
    #expect(outer.observerCount == 0)
    #expect(rooms.allSatisfy { $0.observerCount == 0 })
  }

  @Test
  func `a handler on the writer's thread may switch, too`() async {
    let token = outer.flatMapLatest { [rooms] in rooms[$0] }
      .observe(on: atOnce, backlog: .unbounded) { [outer, seen] value in
        seen.record(value)
        if value == 10 { outer.send(2) }
      }
    await outer.settled()
    outer.send(1)
    await outer.settled()
    await seen.reached(3)
    #expect(seen.elements == [0, 10, 20])
    token.cancel()
  }

  @Test
  func `if the lane leaves its turn to a job, nothing is lost`() async {
    let context = ManualContext()
    let token = outer.flatMapLatest { [rooms] in rooms[$0] }
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    context.run()
    for room in [1, 2, 0] {
      outer.send(room)
      await outer.settled()
      context.run()
    }
    #expect(seen.elements == [0, 10, 20, 0])
    token.cancel()
  }

  @Test
  func `debounce looks at a value of a cell before the write returns`() async {
    let (cell, clock, context) = (BindableActor(1), ManualClock(), ManualContext())
    let token = cell.debounce(for: .seconds(3), clock: clock).observe(on: context.delivery) { _ in }
    await cell.settled()
    let looks = clock.looks
    cell.send(2)
    #expect(clock.looks > looks)
    #expect(cell.cell.locked { $0.idle.members.count } == 1)
    token.cancel()
  }

  @Test
  func `operators before debounce do not run on the writer's thread`() async {
    let (cell, clock, context) = (BindableActor(1), ManualClock(), ManualContext())
    let (threads, writers, latch) = (Recorder<UInt>(), Recorder<UInt>(), Latch())
    let token = cell.map { value in
      threads.record(Claim.currentThread())
      return value
    }
    .debounce(for: .seconds(3), clock: clock).observe(on: context.delivery) { _ in }
    await cell.settled()
    let count = threads.count
    Thread {
      cell.send(2)
      writers.record(Claim.currentThread())
      // No other thread gets the identity of this one meanwhile.
      latch.wait()
    }
    .start()
    await writers.reached(1)
    await threads.reached(count + 1)
    #expect(threads.last != writers.last)
    latch.open()
    token.cancel()
  }

  @Test
  func `lanes that leave a turn to a job are offered no other turn`() async {
    let (cell, contexts) = (BindableActor(1), [ManualContext(), ManualContext()])
    let debounced = cell.map { $0 }.debounce(for: .seconds(3_600), clock: ManualClock())
    let tokens = contexts.map { debounced.observe(on: $0.delivery) { _ in } }
    await cell.settled()
    contexts.forEach { $0.run() }
    var wakeUps = 0
    for value in 2...11 {
      cell.send(value)
      await cell.settled()
      wakeUps += contexts.reduce(0) { $0 + $1.pending }
      contexts.forEach { $0.run() }
    }
    #expect(wakeUps <= contexts.count)
    tokens.forEach { $0.cancel() }
  }

  @Test
  func `a lane whose handler writes the source is offered later turns`() async {
    let token = outer.flatMapLatest { [rooms] in rooms[$0] }
      .observe(on: atOnce, backlog: .unbounded) { [rooms, seen] value in
        // The lane has parked already, but it runs: a job has to read this value.
        if value == 1 { rooms[0].send(2) }
        seen.record(value)
      }
    await outer.settled()
    rooms[0].send(1)
    await seen.reached(3)
    await rooms[0].settled()
    rooms[0].send(3)
    #expect(seen.elements == [0, 1, 2, 3])
    token.cancel()
  }

  @Test
  func `a writer whose thread runs a turn does not read on while others write`() async {
    let (cell, clock, context) = (BindableActor(0), RestlessClock(), ManualContext())
    let token = cell.debounce(for: .seconds(3), clock: clock).observe(on: context.delivery) { _ in }
    await cell.settled()
    clock.startWriting(cell, times: 1_000)
    cell.send(1)
    #expect(1...3 ~= clock.writes)
    await eventually { clock.writes == 1_000 }
    token.cancel()
  }
}

/// A clock that stands still, and that writes a cell each time a driver reads it.
private final class RestlessClock: Clock {
  private let still = ManualClock()
  private let remaining = Guarded<(cell: BindableActor<Int>, total: Int, left: Int)?>(nil)

  func startWriting(_ cell: BindableActor<Int>, times: Int) {
    remaining.withLock { $0 = (cell, times, times) }
  }

  var writes: Int { remaining.withLock { $0.map { $0.total - $0.left } ?? 0 } }

  var now: ManualClock.Instant {
    let cell = remaining.withLock { remaining -> BindableActor<Int>? in
      guard let left = remaining?.left, left > 0 else { return nil }
      remaining?.left -= 1
      return remaining?.cell
    }
    cell?.send(0)
    return still.now
  }
  var minimumResolution: Duration { .zero }

  func sleep(until instant: ManualClock.Instant, tolerance: Duration?) async throws {
    try await still.sleep(until: instant, tolerance: tolerance)
  }
}
