import ActorBindings
import Testing

@Suite
struct LastMoveTests {
  private var move = LastMove()

  @Test
  func `before the first move, no version is known to be completed`() {
    #expect(move.completed(at: 7) == 0)
  }

  @Test
  mutating func `a cursor that has moved on has completed the version before`() {
    move.moved(from: 3, to: 5)
    #expect(move.completed(at: 5) == 3)
    // The cursor has asked for the next update, and there was none.
    move.moved(from: 5, to: 5)
    #expect(move.completed(at: 5) == 3)
    move.moved(from: 5, to: 6)
    #expect(move.completed(at: 6) == 5)
  }

  @Test
  mutating func `after a move that is too long to be counted, no version is known`() {
    let longest = UInt64(UInt32.max) - 1
    move.moved(from: 2, to: 2 + longest)
    #expect(move.completed(at: 2 + longest) == 2)
    move.moved(from: 2, to: 3 + longest)
    #expect(move.completed(at: 3 + longest) == 0)
  }
}
