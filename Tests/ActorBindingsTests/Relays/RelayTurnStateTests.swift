import ActorBindings
import Testing

@Suite
struct RelayTurnStateTests {
  private var state = RelayTurnState<Int>()

  @Test
  mutating func `idle: the thread that brings work does it`() {
    #expect(state.workCame(1) == true)
    #expect(state.isAtWork)
  }

  @Test
  mutating func `at work: other work waits, and jobs do it one by one, the oldest first`() {
    #expect(state.workCame(1) == true)
    #expect(state.workCame(2) == false)
    #expect(state.workCame(3) == false)
    #expect(state.workDone() == 2)
    #expect(state.workCame(4) == false)
    #expect(state.workDone() == 3)
    #expect(state.workDone() == 4)
    #expect(state.workDone() == nil)
    #expect(!state.isAtWork)
  }

  @Test
  mutating func `after the last work, the next thread does its work itself`() {
    #expect(state.workCame(1) == true)
    #expect(state.workDone() == nil)
    #expect(state.workCame(2) == true)
  }
}
