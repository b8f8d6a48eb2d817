import ActorBindings
import Testing

@Suite
struct CellStateTests {
  // Only the deinit of a `LogDeparture` uses the cell, and these tests release none.
  private let cell = Cell(0)
  private var state = CellState(0)
  private var roster = Roster()

  // Sends a value. Returns nil if it was not published, and otherwise the nodes that the cell released.
  private mutating func send(_ value: Int) -> LogNode<Int>?? {
    var value = value
    defer { state.checkInvariants(roster) }
    guard case .published(_, let outdated) = state.sent(&value, &roster) else { return nil }
    return .some(outdated)
  }

  private mutating func join(_ depth: UInt32) -> ReadPosition<Int> {
    defer { state.checkInvariants(roster) }
    return state.joined(depth: depth, at: roster.version)
  }

  private mutating func leave(_ position: inout ReadPosition<Int>) {
    _ = state.left(&position, at: roster.version, of: cell)
    state.checkInvariants(roster)
  }

  // MARK: sent

  @Test
  mutating func `sent in the open state: publishes the next version, and returns the old value`() {
    var value = 5
    guard case .published = state.sent(&value, &roster) else { return #expect(Bool(false), "not published") }
    #expect(value == 0)
    #expect(state.value == 5)
    #expect(roster.version == 1)
  }

  @Test
  mutating func `sent in the finished state: ignored`() {
    _ = roster.finished()
    let outcome = send(5)
    #expect(outcome == nil)
    #expect(state.value == 0)
    #expect(roster.version == 0)
  }

  @Test
  mutating func `sent under another thread's claim: deferred, unless insistent or the claimant`() {
    _ = roster.claimed(Claim(maxDeferrals: 1))
    var value = 5
    guard case .deferred(let claim) = state.sent(&value, &roster) else {
      return #expect(Bool(false), "not deferred")
    }
    #expect(claim.thread == Claim.currentThread())
    #expect(value == 5)
    #expect(roster.version == 0)
    guard case .published = state.sent(&value, by: .insistent, &roster) else {
      return #expect(Bool(false), "an insistent writer waits")
    }
    guard case .published = state.sent(&value, by: .claimant(thread: claim.thread), &roster) else {
      return #expect(Bool(false), "the claimant waits")
    }
    #expect(roster.version == 2)
  }

  @Test
  mutating func `sent without readers that need the log: no history`() throws {
    let position = join(1)
    let outcome = send(1)
    let outdated = try #require(outcome)
    #expect(outdated == nil)
    #expect(state.tail == nil)
    #expect(state.window.count == 0)
    #expect(position.chunk == nil)
  }

  // MARK: edited

  // Changes the value in place. An edit must itself enter the edited key and the new version in the change log.
  private mutating func edit(by writer: Claim.Writer = .ordinary, to value: Int?) -> EditOutcome<Int, Int> {
    defer { state.checkInvariants(roster) }
    let next = roster.version + 1
    return state.edited(by: writer, &roster) { current, _, version in
      guard let value else { return nil }
      #expect(version == next)
      defer { current = value }
      return current
    }
  }

  @Test
  mutating func `edited in the open state: publishes the next version, changed in place`() {
    guard case .published(_, _, let old) = edit(to: 5) else { return #expect(Bool(false), "not published") }
    #expect(old == 0)
    #expect(state.value == 5)
    #expect(roster.version == 1)
  }

  @Test
  mutating func `edited, but the edit declines: no change`() {
    guard case .declined = edit(to: nil) else { return #expect(Bool(false), "published") }
    #expect(state.value == 0)
    #expect(roster.version == 0)
  }

  @Test
  mutating func `edited while a reader needs the log: the update is in the log`() {
    let position = join(.max)
    guard case .published = edit(to: 5) else { return #expect(Bool(false), "not published") }
    #expect(position.chunk?.next === state.tail)
    #expect(state.tail?.value(of: 1) == 5)
    withExtendedLifetime(position) {}
  }

  @Test
  mutating func `edited in the finished state: ignored`() {
    _ = roster.finished()
    guard case .ignored = edit(to: 5) else { return #expect(Bool(false), "published") }
    #expect(state.value == 0)
  }

  @Test
  mutating func `edited under another thread's claim: deferred, unless insistent`() {
    _ = roster.claimed(Claim(maxDeferrals: 1))
    guard case .deferred = edit(to: 5) else { return #expect(Bool(false), "not deferred") }
    #expect(state.value == 0)
    guard case .published = edit(by: .insistent, to: 5) else {
      return #expect(Bool(false), "an insistent writer waits")
    }
  }

  // MARK: the change log

  @Test
  mutating func `sent while there is a change log: entered in it`() {
    let entered = Recorder<String>()
    let changeLog = ChangeLog<Int> { _, new, old, version in
      entered.record("\(version): \(old) -> \(new)")
    }
    _ = send(1)
    state.openChangeLog(changeLog)
    #expect(state.keepsHistory)
    _ = send(2)
    var draft = state.draft(roster)
    draft.value = 3
    _ = state.drafted(&draft, &roster)
    _ = state.closeChangeLog()
    #expect(!state.keepsHistory)
    _ = send(4)
    #expect(entered.elements == ["2: 1 -> 2", "3: 2 -> 3"])
  }

  // MARK: drafted

  @Test
  mutating func `a draft of the current version is published`() {
    var draft = state.draft(roster)
    draft.value += 7
    guard case .published(.published) = state.drafted(&draft, &roster) else {
      return #expect(Bool(false), "not published")
    }
    #expect(state.value == 7)
    #expect(roster.version == 1)
  }

  @Test
  mutating func `a draft of an older version is outrun, and a fresh draft is returned`() {
    var draft = state.draft(roster)
    _ = send(3)
    draft.value += 7
    guard case .outrun(let fresh) = state.drafted(&draft, &roster) else {
      return #expect(Bool(false), "not outrun")
    }
    #expect(fresh.value == 3)
    #expect(fresh.version == 1)
    #expect(state.value == 3)
  }

  @Test
  mutating func `drafted in the finished state: ignored if it is a draft of the last value`() {
    var draft = state.draft(roster)
    _ = send(3)
    _ = roster.finished()
    guard case .outrun(var fresh) = state.drafted(&draft, &roster) else {
      return #expect(Bool(false), "what an outdated draft came to was taken for a result")
    }
    #expect(fresh.value == 3)
    guard case .published(.ignored) = state.drafted(&fresh, &roster) else {
      return #expect(Bool(false), "not ignored")
    }
    #expect(state.value == 3)
  }

  // MARK: joined, left

  @Test(arguments: [1, 2, UInt32.max])
  mutating func `joined: the reader stands before the current update`(depth: UInt32) {
    _ = send(1)
    let position = join(depth)
    #expect(position.seen == 0)
    #expect(position.isFresh)
    #expect(position.isTaken)
    #expect(position.depth == depth)
    #expect(!roster.isIdle(at: position.seen))
  }

  @Test
  mutating func `joined at version 0: the position is the version before 0`() {
    let position = join(1)
    #expect(position.seen == .max)
  }

  @Test
  mutating func `the log is kept from the first unbounded reader to the last`() {
    var (first, second) = (join(.max), join(.max))
    #expect(state.tail === first.chunk)
    #expect(first.chunk === second.chunk)
    _ = send(1)
    #expect(first.chunk?.next === state.tail)
    leave(&first)
    #expect(state.tail != nil)
    leave(&second)
    #expect(state.tail == nil)
    #expect(!state.keepsHistory)
    #expect(second.chunk?.next?.value(of: 1) == 1)
  }

  @Test
  mutating func
    `an unbounded reader joins when others have read the newest update: its start comes before the log`()
  {
    var first = join(.max)
    first.ahead = 1
    _ = first.nextKnown()
    let second = join(.max)
    #expect(state.tail === first.chunk)
    #expect(second.chunk !== first.chunk)
    #expect(second.chunk?.next === first.chunk)
    #expect(second.chunk?.value(of: 0) == 0)
    #expect(state.logReaders == 2)
    #expect(state.logWeight == 2)
    withExtendedLifetime(first) {}
  }

  @Test
  mutating func `an unbounded reader that has read its start moves on to the log`() {
    var (first, second) = (join(.max), join(.max))
    for _ in 0...1 {
      first.ahead = 1
      _ = first.nextKnown()
      swap(&first, &second)
    }
    var third = join(.max)
    third.ahead = 1
    _ = third.nextKnown()
    #expect(third.chunk === state.tail)
    withExtendedLifetime((first, second)) {}
  }

  @Test(arguments: [true, false])
  mutating func `history ends when both kinds of readers have left, in either order`(isLogFirst: Bool) {
    var (logged, windowed) = (join(.max), join(2))
    _ = send(1)
    if isLogFirst { leave(&logged) } else { leave(&windowed) }
    #expect(state.keepsHistory)
    if isLogFirst { leave(&windowed) } else { leave(&logged) }
    #expect(!state.keepsHistory)
    #expect(state.window.count == 0)
  }

  @Test(arguments: [2, UInt32.max])
  mutating func `history continues when one of two readers has left`(depth: UInt32) {
    var (first, second) = (join(depth), join(depth))
    leave(&first)
    #expect(state.keepsHistory)
    leave(&second)
    #expect(!state.keepsHistory)
  }

  @Test
  mutating func `the last reader left: a placeholder takes the place of the value, and this is no update`() {
    var placeholder = 9
    state.lastReaderLeft(&placeholder)
    #expect(placeholder == 0)
    #expect(state.value == 9)
    #expect(roster.version == 0)
  }

  @Test
  func `left twice: a trap`() async {
    await #expect(processExitsWith: .failure) {
      var state = CellState(0)
      let roster = Roster()
      var position = state.joined(depth: 1, at: roster.version)
      _ = state.left(&position, at: roster.version, of: Cell(0))
      _ = state.left(&position, at: roster.version, of: Cell(0))
    }
  }
}
