import ActorBindings
import Testing

@Suite
struct SampleStateTests {
  private var state = SampleState<Int, ManualClock.Instant>(interval: .seconds(3))

  private func at(_ seconds: Int) -> ManualClock.Instant { ManualClock.Instant(offset: .seconds(seconds)) }

  @Test
  mutating func `the first value sets the ticks, and waits for the next one`() {
    #expect(state.valueCame(1, at: at(1)) == nil)
    #expect(state.deadline == at(4))
    #expect(state.timePassed(at: at(3)) == nil)
    #expect(state.timePassed(at: at(4)) == 1)
    #expect(state.deadline == nil)
    #expect(state.timePassed(at: at(9)) == nil)
  }

  @Test(arguments: [(5, 7), (7, 10), (8, 10), (3001, 3004), (3003, 3004)])
  func `a later value waits for a tick of the same grid`(came: Int, due: Int) {
    var state = state
    _ = state.valueCame(1, at: at(1))
    _ = state.timePassed(at: at(4))
    #expect(state.valueCame(2, at: at(came)) == nil)
    #expect(state.deadline == at(due))
  }

  @Test
  mutating func `a value replaces the waiting one, and is delivered at once if the timer is late`() {
    _ = state.valueCame(1, at: at(0))
    #expect(state.valueCame(2, at: at(2)) == nil)
    #expect(state.valueCame(3, at: at(3)) == 3)
    #expect(state.deadline == nil)
    #expect(state.valueCame(4, at: at(4)) == nil)
    #expect(state.deadline == at(6))
    #expect(state.sourceEnded() == 4)
    #expect(state.sourceEnded() == nil)
  }

  @Test(arguments: [0, -1])
  func `without an interval each value is delivered at once`(interval: Int) {
    var state = SampleState<Int, ManualClock.Instant>(interval: .seconds(interval))
    for number in 0..<3 { #expect(state.valueCame(number, at: at(number)) == number) }
  }

  @Test
  func `the shortest interval and the longest pause do not overflow`() {
    let atom = Duration(secondsComponent: 0, attosecondsComponent: 1)
    var state = SampleState<Int, ManualClock.Instant>(interval: atom)
    _ = state.valueCame(1, at: at(0))
    _ = state.timePassed(at: at(1))
    let now = at(100 * 365 * 24 * 3600)
    #expect(state.valueCame(2, at: now) == nil)
    #expect(state.deadline.map { now < $0 } == true)
  }
}
