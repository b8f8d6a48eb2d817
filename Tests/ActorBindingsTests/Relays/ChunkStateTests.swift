import ActorBindings
import Testing

@Suite
struct ChunkStateTests {
  private var state = ChunkState<Int, ManualClock.Instant>(size: 3, time: .seconds(3))

  private func at(_ seconds: Int) -> ManualClock.Instant { ManualClock.Instant(offset: .seconds(seconds)) }

  @Test
  mutating func `a full chunk is handed out at once`() {
    #expect(state.valueCame(1, at: at(0)) == nil)
    #expect(state.valueCame(2, at: at(1)) == nil)
    #expect(state.deadline == at(3))
    #expect(state.valueCame(3, at: at(2)) == [1, 2, 3])
    #expect(state.deadline == nil)
    #expect(state.valueCame(4, at: at(2)) == nil)
    #expect(state.deadline == at(5))
  }

  @Test
  mutating func `a chunk that is not full is handed out at its deadline, and not before`() {
    _ = state.valueCame(1, at: at(0))
    #expect(state.timePassed(at: at(2)) == nil)
    #expect(state.timePassed(at: at(3)) == [1])
    #expect(state.timePassed(at: at(9)) == nil)
  }

  @Test(arguments: [3, 4])
  func `a value that comes at the deadline, or while the timer is late, begins the next chunk`(now: Int) {
    var state = state
    for number in 1...2 { _ = state.valueCame(number, at: at(0)) }
    #expect(state.valueCame(3, at: at(now)) == [1, 2])
    #expect(state.deadline == at(now + 3))
    #expect(state.sourceEnded() == [3])
    #expect(state.sourceEnded() == nil)
  }

  @Test
  func `a chunk of one value never waits`() {
    var state = ChunkState<Int, ManualClock.Instant>(size: 1, time: .zero)
    for number in 0..<3 { #expect(state.valueCame(number, at: at(0)) == [number]) }
    #expect(state.deadline == nil)
  }
}
