import ActorBindings
import Testing

/// The instants of updates, while readers compare them: `orderedReaderJoined`, `orderedReaderLeft`.
@Suite
struct OrderedReaderTests {
  private var state = CellState(0)
  private var roster = Roster()

  private mutating func send(_ value: Int, at instant: LogicalInstant? = nil) {
    var value = value
    _ = state.sent(&value, at: instant, &roster)
    state.checkInvariants(roster)
  }

  private mutating func leave() {
    state.orderedReaderLeft()
    state.checkInvariants(roster)
  }

  @Test
  mutating func `only while a reader compares instants does an update have an instant`() {
    // A reader of all values needs the log, and no instants.
    let position = state.joined(depth: .max, at: roster.version)
    send(1)
    #expect(state.newest == .unordered)
    state.orderedReaderJoined()
    send(2)
    let second = state.newest
    #expect(LogicalInstant.unordered < second)
    send(3)
    let third = state.newest
    #expect(second < third)
    #expect(position.chunk?.holding(1).instant(of: 1) == .unordered)
    #expect(position.chunk?.holding(3).instant(of: 3) == third)
    leave()
    send(4)
    #expect(state.newest == .unordered)
    // The log lives as long as a position holds it.
    withExtendedLifetime(position) {}
  }

  @Test
  mutating func `the cell keeps history until the last of these readers has left`() {
    for count in 1...2 {
      state.orderedReaderJoined()
      #expect(state.orderedReaders == count)
      #expect(state.keepsHistory)
    }
    send(1)
    let instant = state.newest
    leave()
    #expect(state.orderedReaders == 1)
    #expect(state.keepsHistory)
    #expect(state.newest == instant)
    leave()
    #expect(state.orderedReaders == 0)
    #expect(!state.keepsHistory)
  }

  @Test
  mutating func `when the last of these readers leaves, the current update loses its instant`() {
    // Without history the next update takes no instant. A later reader would take the instant of the older update for
    // the instant of the newer one.
    state.orderedReaderJoined()
    send(1)
    #expect(LogicalInstant.unordered < state.newest)
    leave()
    #expect(state.newest == .unordered)
  }

  @Test
  mutating func `a write of a transaction has the instant of the transaction`() {
    state.orderedReaderJoined()
    let instant = LogicalInstant.next()
    send(1, at: instant)
    #expect(state.newest == instant)
  }
}
