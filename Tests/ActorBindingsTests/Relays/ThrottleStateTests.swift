import ActorBindings
import Testing

@Suite
struct ThrottleStateTests {
  private typealias State = ThrottleState<Int, ManualClock.Instant>

  private func at(_ seconds: Int) -> ManualClock.Instant { ManualClock.Instant(offset: .seconds(seconds)) }

  @Test
  func `throttle: the newest value waits for the end of the interval`() {
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
  func
    `with latest false the oldest value waits for the end of the interval, and then the newest for the next end`()
  {
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
  func `a value at the end of the interval is delivered at once if none waits`(wantsOldest: Bool) {
    var state = State(interval: .seconds(3), wantsOldest: wantsOldest)
    #expect(state.valueCame(1, at: at(0)) == 1)
    #expect(state.valueCame(2, at: at(3)) == 2)
    #expect(state.valueCame(3, at: at(5)) == nil)
    #expect(state.deadline == at(6))
  }

  @Test(arguments: [3, 4])
  func `a value at the end of the interval, or while the timer is late, replaces a waiting value`(
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
  func `with latest false, a value at the end of the interval waits behind the waiting value`() {
    var state = State(interval: .seconds(3), wantsOldest: true)
    _ = state.valueCame(1, at: at(0))
    _ = state.valueCame(2, at: at(1))
    #expect(state.valueCame(3, at: at(3)) == nil)
    #expect(state.timePassed(at: at(3)) == 2)
    #expect(state.timePassed(at: at(6)) == 3)
  }

  @Test
  func `of two waiting values, the end of the source delivers the newest`() {
    var state = State(interval: .seconds(3), wantsOldest: true)
    _ = state.valueCame(1, at: at(0))
    for value in 2...4 { _ = state.valueCame(value, at: at(1)) }
    #expect(state.sourceEnded() == 4)
    #expect(state.deadline == nil)
    #expect(state.sourceEnded() == nil)
  }

  @Test(arguments: [false, true])
  func `the end of the source delivers a single waiting value`(wantsOldest: Bool) {
    var state = State(interval: .seconds(3), wantsOldest: wantsOldest)
    _ = state.valueCame(1, at: at(0))
    _ = state.valueCame(2, at: at(1))
    #expect(state.sourceEnded() == 2)
    #expect(state.sourceEnded() == nil)
  }

  @Test
  func `with a zero interval each value is delivered at once`() {
    var state = State(interval: .seconds(-3), wantsOldest: false)
    for value in 1...3 { #expect(state.valueCame(value, at: at(0)) == value) }
  }
}
