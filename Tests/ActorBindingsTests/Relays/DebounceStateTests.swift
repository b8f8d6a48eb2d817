import ActorBindings
import Testing

@Suite
struct DebounceStateTests {
  private var state = DebounceState<Int, ManualClock.Instant>(quiet: .seconds(3))

  private func at(_ seconds: Int) -> ManualClock.Instant { ManualClock.Instant(offset: .seconds(seconds)) }

  @Test
  mutating func `a value is delivered at its deadline, and not before`() {
    #expect(state.valueCame(1, at: at(0)) == nil)
    #expect(state.deadline == at(3))
    #expect(state.timePassed(at: at(2)) == nil)
    #expect(state.timePassed(at: at(3)) == 1)
    #expect(state.deadline == nil)
    #expect(state.timePassed(at: at(9)) == nil)
  }

  @Test
  mutating func `a value that comes before the deadline replaces the waiting value`() {
    _ = state.valueCame(1, at: at(0))
    #expect(state.valueCame(2, at: at(2)) == nil)
    #expect(state.timePassed(at: at(3)) == nil)
    #expect(state.timePassed(at: at(5)) == 2)
  }

  @Test(arguments: [3, 4])
  func `a value that comes at the deadline, or while the timer is late, replaces nothing`(now: Int) {
    var state = state
    _ = state.valueCame(1, at: at(0))
    #expect(state.valueCame(2, at: at(now)) == 1)
    #expect(state.deadline == at(now + 3))
    #expect(state.sourceEnded() == 2)
  }

  @Test
  mutating func `the end of the source delivers the waiting value`() {
    #expect(state.sourceEnded() == nil)
    _ = state.valueCame(1, at: at(0))
    #expect(state.sourceEnded() == 1)
    #expect(state.sourceEnded() == nil)
  }

  @Test
  func `a quiet time of more than a century counts as a century`() {
    let century = 100 * 365 * 24 * 3600
    for (quiet, counted) in [(century - 1, century - 1), (century + 1, century), (Int.max, century)] {
      var state = DebounceState<Int, ManualClock.Instant>(quiet: .seconds(quiet))
      _ = state.valueCame(1, at: at(1))
      #expect(state.deadline == at(counted + 1))
    }
  }
}
