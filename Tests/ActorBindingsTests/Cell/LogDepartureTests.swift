import ActorBindings
import Testing

/// Unbounded readers that leave before they have read everything.
@Suite
struct LogDepartureTests {
  private typealias Citizen = Census.Citizen

  private let census = Census()
  private let cell: Cell<Citizen>

  init() {
    cell = Cell(census.citizen(0))
  }

  private func join() -> ReadPosition<Citizen> {
    cell.locked { $0.joined(depth: .max, at: $1.version) }
  }

  private func send(_ count: Int) {
    for _ in 0..<count { cell.send(census.citizen(Int(cell.version) + 1)) }
  }

  private func read(_ count: Int, at position: inout ReadPosition<Citizen>) {
    for _ in 0..<count { _ = cell.next(at: &position, in: nil) }
  }

  // Returns what is to be released after the lock.
  private func leave(_ position: consuming ReadPosition<Citizen>) -> Evicted<Citizen> {
    var position = position
    return cell.locked { [cell] in $0.left(&position, at: $1.version, of: cell) }
  }

  private var logWeight: UInt32 { cell.locked { state, _ in state.logWeight } }

  @Test
  func `the slowest reader leaves: only what the next reader wants is kept`() {
    var (slow, fast) = (join(), join())
    send(100)
    read(1, at: &slow)
    read(71, at: &fast)
    #expect(census.alive == 100)
    _ = leave(slow)
    #expect(census.alive == 30)
    read(30, at: &fast)
    #expect(census.alive == 1)
    // The reader that is left has taken the other along.
    #expect(fast.weight == 2)
    #expect(logWeight == 2)
    send(3)
    read(3, at: &fast)
    #expect(census.alive == 1)
    _ = leave(fast)
    #expect(logWeight == 0)
  }

  @Test
  func `the slowest reader leaves, and the others have read everything: it no longer counts`() {
    var (slow, fast) = (join(), join())
    send(100)
    read(1, at: &slow)
    read(101, at: &fast)
    _ = leave(slow)
    #expect(census.alive == 1)
    #expect(fast.weight == 1)
    #expect(logWeight == 1)
  }

  @Test
  func `a reader that has read everything leaves: it no longer counts`() {
    var (slow, fast) = (join(), join())
    send(3)
    read(4, at: &fast)
    _ = leave(fast)
    #expect(logWeight == 1)
    #expect(census.alive == 4)
    read(4, at: &slow)
    #expect(slow.weight == 1)
    #expect(census.alive == 1)
  }

  @Test
  func `a faster reader leaves: the slower one takes it along when it comes there`() {
    var (slow, fast) = (join(), join())
    send(9)
    read(5, at: &fast)
    _ = leave(fast)
    #expect(census.alive == 10)
    read(5, at: &slow)
    #expect(slow.weight == 1)
    read(1, at: &slow)
    #expect(slow.weight == 2)
    #expect(census.alive == 4)
  }

  @Test
  func `the cell was written before the departure comes to the end: it goes on`() {
    var (slow, fast) = (join(), join())
    send(3)
    read(4, at: &fast)
    let evicted = leave(slow)
    send(2)
    read(1, at: &fast)
    _ = consume evicted
    #expect(census.alive == 1)
    read(1, at: &fast)
    #expect(fast.weight == 2)
    #expect(logWeight == 2)
  }

  @Test
  func `the log ended before the departure comes to its end: another log counts its own readers`() {
    var (slow, fast) = (join(), join())
    send(3)
    read(4, at: &fast)
    let evicted = leave(slow)
    _ = leave(fast)
    let next = join()
    #expect(logWeight == 1)
    _ = consume evicted
    #expect(logWeight == 1)
    #expect(census.alive == 1)
    withExtendedLifetime(next) {}
  }

  @Test
  func `G10 what a slow reader leaves behind is released after the lock`() async {
    let deaths = Counter()
    let cell = BindableActor<Mortal?>()
    var fast = cell.values(backlog: .unbounded).makeAsyncIterator()
    do {
      let slow = cell.values(backlog: .unbounded)
      for _ in 0..<10 {
        cell.send(Mortal { [weak cell] in if cell?.version != nil { deaths.add() } })
      }
      cell.send(nil)
      for _ in 0..<12 { _ = await fast.next() }
      #expect(deaths.value == 0)
      withExtendedLifetime(slow) {}
    }
    #expect(deaths.value == 10)
    withExtendedLifetime(fast) {}
  }

  @Test(arguments: [1_000, 4_000])
  func `leaving a backlog that others still read touches one slot`(backlog: Int) {
    let (first, second) = (join(), join())
    send(backlog)
    // The first departs where both stand; nothing is finished, so nothing is to be released after the lock.
    guard case .nothing = leave(second) else { return #expect(Bool(false), "it was the slowest") }
    #expect(first.chunk?.count(of: 0).departed == 1)
    #expect(first.chunk?.holding(1).count(of: 1).departed == 0)
  }
}
