import ActorBindings
import Testing

@Suite
struct DelayStateTests {
  private var state = DelayState<Int, ManualClock.Instant>(delay: .seconds(3))

  private func at(_ seconds: Int) -> ManualClock.Instant { ManualClock.Instant(offset: .seconds(seconds)) }

  @Test
  mutating func `each value is delivered at its own deadline, in order`() {
    for number in 0..<3 { state.valueCame(number, at: at(number)) }
    #expect(state.deadline == at(3))
    #expect(state.timePassed(at: at(2)) == nil)
    #expect(state.timePassed(at: at(4)) == 0)
    #expect(state.timePassed(at: at(4)) == 1)
    #expect(state.timePassed(at: at(4)) == nil)
    #expect(state.deadline == at(5))
    #expect(state.timePassed(at: at(5)) == 2)
    #expect(state.deadline == nil)
  }

  @Test
  mutating func `the end comes after the last value`() {
    state.valueCame(1, at: at(0))
    state.sourceEnded()
    #expect(!state.isOver)
    #expect(state.timePassed(at: at(3)) == 1)
    #expect(state.isOver)
    state = DelayState(delay: .zero)
    state.sourceEnded()
    #expect(state.isOver)
  }

  @Test(arguments: [1_000, 4_000])
  func `a queue that always holds some values stays small`(rounds: Int) {
    var state = state
    for number in 0..<10 { state.valueCame(number, at: at(number)) }
    for number in 10..<rounds {
      state.valueCame(number, at: at(number))
      #expect(state.timePassed(at: at(number)) == number - 10)
      #expect(state.count == 10)
      #expect(state.room < 256)
    }
  }
}
