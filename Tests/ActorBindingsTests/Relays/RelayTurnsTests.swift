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
}
