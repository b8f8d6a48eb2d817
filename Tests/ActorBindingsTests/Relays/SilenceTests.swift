import ActorBindings
import Testing

@Suite
struct SilenceTests {
  private let cell = BindableActor(1)
  private let clock = ManualClock()

  @Test
  func `a source is silent when no value has come for the time, and no longer with the next value`() async {
    var iterator = cell.isSilent(for: .seconds(3), clock: clock).values(backlog: .unbounded)
      .makeAsyncIterator()
    #expect(await iterator.next() == false)
    await clock.slept(1)
    clock.advance(by: .seconds(2))
    cell.send(1)
    await cell.settled()
    clock.advance(by: .seconds(2))
    cell.send(1)
    await cell.settled()
    await clock.slept(1)
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == true)
    await clock.slept(0)
    clock.advance(by: .seconds(9))
    cell.send(1)
    #expect(await iterator.next() == false)
    cell.finish()
    #expect(await iterator.next() == nil)
    await clock.slept(0)
  }

  @Test
  func `the state changes only at a deadline and at a value after it`() {
    func at(_ seconds: Int) -> ManualClock.Instant { ManualClock.Instant(offset: .seconds(seconds)) }
    var state = SilenceState<ManualClock.Instant>(quiet: .seconds(3))
    #expect(state.timePassed(at: at(9)) == nil)
    #expect(state.valueCame(at: at(0)) == false)
    #expect(state.valueCame(at: at(1)) == nil)
    #expect(state.timePassed(at: at(3)) == nil)
    #expect(state.valueCame(at: at(5)) == nil)
    #expect(state.deadline == at(8))
    #expect(state.timePassed(at: at(8)) == true)
    #expect(state.deadline == nil)
    #expect(state.timePassed(at: at(9)) == nil)
    #expect(state.valueCame(at: at(9)) == false)
  }
}
