import ActorBindings
import Testing

@Suite
struct LaneTurnTests {
  private var now: UInt64 = 5_000_000
  private var turn = LaneTurn(at: 5_000_000, quantum: LaneTurn.firstQuantum)

  // A quantum of calls of a handler that takes so long.
  private mutating func call(nanoseconds: UInt64) {
    for _ in 0..<turn.quantum {
      #expect(!turn.isLookDue)
      turn.visited(calls: 1)
      now += nanoseconds
    }
    #expect(turn.isLookDue)
    turn.looked(at: now)
  }

  @Test
  mutating func `the clock is read once for more and more calls of a fast handler`() {
    var quanta: [UInt8] = []
    for _ in 0..<6 {
      call(nanoseconds: 10)
      quanta.append(turn.quantum)
    }
    #expect(quanta == [8, 16, 32, 64, 64, 64])
    #expect(!turn.isOver)
  }

  @Test(arguments: [(1_000_000, 1), (400_000, 1), (100_000, 4)] as [(UInt64, UInt8)])
  mutating func `the quantum follows a handler that becomes slow`(nanoseconds: UInt64, quantum: UInt8) {
    for _ in 0..<5 { call(nanoseconds: 10) }
    #expect(turn.quantum == 64)
    call(nanoseconds: nanoseconds)
    #expect(turn.isOver)
    turn = LaneTurn(at: now, quantum: turn.quantum)
    call(nanoseconds: nanoseconds)
    #expect((1...5).contains(turn.quantum))
    #expect(turn.quantum >= quantum)
  }

  @Test
  mutating func `the turn is over after so much time, whatever the number of calls`() {
    var calls = 0
    while !turn.isOver {
      calls += Int(turn.quantum)
      call(nanoseconds: 100_000)
    }
    #expect((20...30).contains(calls))
    #expect(!turn.mayGoOn)
  }

  @Test
  mutating func `the turn is over after so many calls, whatever the time`() {
    var calls = 0
    while turn.mayGoOn {
      calls += Int(turn.quantum)
      call(nanoseconds: 0)
    }
    #expect((4096...4160).contains(calls))
    #expect(!turn.isOver)
  }

  @Test
  mutating func `visits without a call count for the turn, and need no look`() {
    for _ in 0..<4095 { turn.visited(calls: 0) }
    #expect(turn.mayGoOn)
    turn.visited(calls: 0)
    #expect(!turn.mayGoOn)
    #expect(!turn.isLookDue)
  }
}
