import ActorBindings
import Testing

@Suite
struct ThrottleStateTests {
  private typealias State = ThrottleState<Int, ManualClock.Instant>

  private func at(_ seconds: Int) -> ManualClock.Instant { ManualClock.Instant(offset: .seconds(seconds)) }

  @Test
  func `the newest value waits for the end of the interval`() {
    var state = State(interval: .seconds(3), wantsOldest: false)
    #expect(state.valueCame(1, at: at(0)) == 1)
    #expect(state.deadline == nil)
    #expect(state.valueCame(2, at: at(1)) == nil)
    #expect(state.valueCame(3, at: at(2)) == nil)
    #expect(state.deadline == at(3))
    #expect(state.timePassed(at: at(2)) == nil)
    #expect(state.timePassed(at: at(3)) == 3)
    #expect(state.deadline == nil)
    #expect(state.valueCame(4, at: at(5)) == nil)
    #expect(state.deadline == at(6))
  }

  @Test
  func `the oldest value waits for the end of the interval, and then the newest for that of the next`() {
    var state = State(interval: .seconds(3), wantsOldest: true)
    #expect(state.valueCame(1, at: at(0)) == 1)
    for value in 2...4 { #expect(state.valueCame(value, at: at(1)) == nil) }
    #expect(state.timePassed(at: at(3)) == 2)
    #expect(state.deadline == at(6))
    #expect(state.timePassed(at: at(5)) == nil)
    #expect(state.timePassed(at: at(6)) == 4)
    #expect(state.deadline == nil)
  }

  @Test(arguments: [false, true])
  func `at the instant at which the interval ends a value is handed out, if none waits`(wantsOldest: Bool) {
    var state = State(interval: .seconds(3), wantsOldest: wantsOldest)
    #expect(state.valueCame(1, at: at(0)) == 1)
    #expect(state.valueCame(2, at: at(3)) == 2)
    #expect(state.valueCame(3, at: at(5)) == nil)
    #expect(state.deadline == at(6))
  }

  @Test(arguments: [3, 4])
  func `at that instant, or while the timer is late, a newer value takes the place of one that waits`(
    now: Int
  ) {
    var state = State(interval: .seconds(3), wantsOldest: false)
    _ = state.valueCame(1, at: at(0))
    _ = state.valueCame(2, at: at(1))
    #expect(state.valueCame(3, at: at(now)) == 3)
    #expect(state.deadline == nil)
    #expect(state.valueCame(4, at: at(now)) == nil)
    #expect(state.deadline == at(now + 3))
  }

  @Test
  func `or waits behind it, if the oldest is wanted`() {
    var state = State(interval: .seconds(3), wantsOldest: true)
    _ = state.valueCame(1, at: at(0))
    _ = state.valueCame(2, at: at(1))
    #expect(state.valueCame(3, at: at(3)) == nil)
    #expect(state.timePassed(at: at(3)) == 2)
    #expect(state.timePassed(at: at(6)) == 3)
  }

  @Test
  func `of two values that wait, the end of the source hands out the newest`() {
    var state = State(interval: .seconds(3), wantsOldest: true)
    _ = state.valueCame(1, at: at(0))
    for value in 2...4 { _ = state.valueCame(value, at: at(1)) }
    #expect(state.sourceEnded() == 4)
    #expect(state.deadline == nil)
    #expect(state.sourceEnded() == nil)
  }

  @Test(arguments: [false, true])
  func `of one value that waits, the end of the source hands out that`(wantsOldest: Bool) {
    var state = State(interval: .seconds(3), wantsOldest: wantsOldest)
    _ = state.valueCame(1, at: at(0))
    _ = state.valueCame(2, at: at(1))
    #expect(state.sourceEnded() == 2)
    #expect(state.sourceEnded() == nil)
  }

  @Test
  func `without an interval each value is handed out at once`() {
    var state = State(interval: .seconds(-3), wantsOldest: false)
    for value in 1...3 { #expect(state.valueCame(value, at: at(0)) == value) }
  }
}
