import ActorBindings
import Testing

@Suite
struct RosterTests {
  private var roster = Roster()

  @Test
  mutating func `finish in the open state wakes all readers, in the finished state none`() {
    let waiter = CountingWaiter()
    roster.parked(waiter.waiter)
    roster.finished().wake()
    #expect(waiter.wakes == 1)
    #expect(roster.isFinished)
    roster.finished().wake()
    #expect(waiter.wakes == 1)
  }

  // The number of waiters for the end that the roster can reach.
  private var listedEndWaiters: Int {
    var count = 0
    _ = roster.firstEndWaiter { _ in
      count += 1
      return false
    }
    return count
  }

  @Test
  mutating func `a waiter for the end is woken only by the end, unless it has left`() {
    let waiters = (0..<5).map { _ in CountingWaiter() }
    for waiter in waiters {
      let isOpen = roster.endWaiterJoined(waiter.waiter)
      #expect(isOpen)
    }
    // Removes waiters from the middle, and from both ends.
    for index in [2, 4, 0] {
      let (first, second) = (
        roster.endWaiterLeft(waiters[index].waiter), roster.endWaiterLeft(waiters[index].waiter)
      )
      #expect(first && !second)
    }
    #expect(roster.endWaiterCount == 2 && listedEndWaiters == 2)
    roster.updated()
    roster.takeParked().wake()
    roster.finished().wake()
    #expect(waiters.map(\.wakes) == [0, 1, 0, 1, 0])
    #expect(roster.endWaiterCount == 0 && listedEndWaiters == 0)
    let late = roster.endWaiterLeft(waiters[1].waiter)
    #expect(!late)
  }

  @Test
  mutating func `the end wakes the parked readers and the waiters for the end`() {
    let (reader, waiter) = (CountingWaiter(), CountingWaiter())
    roster.parked(reader.waiter)
    let isOpen = roster.endWaiterJoined(waiter.waiter)
    #expect(isOpen)
    roster.finished().wake()
    #expect(reader.wakes == 1)
    #expect(waiter.wakes == 1)
  }

  @Test
  mutating func `waiters for the end leave in any order`() {
    let waiters = (0..<3).map { _ in CountingWaiter() }
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      for waiter in waiters { _ = roster.endWaiterJoined(waiter.waiter) }
      for (index, name) in order.enumerated() {
        let hasLeft = roster.endWaiterLeft(waiters[name].waiter)
        #expect(hasLeft)
        #expect(roster.endWaiterCount == 2 - index && listedEndWaiters == 2 - index)
      }
    }
  }

  @Test
  mutating func `no waiter leaves after the end, because the thread that ends the cell wakes all of them`() {
    let waiters = (0..<3).map { _ in CountingWaiter() }
    for waiter in waiters { _ = roster.endWaiterJoined(waiter.waiter) }
    let woken = roster.finished()
    for waiter in waiters {
      let hasLeft = roster.endWaiterLeft(waiter.waiter)
      #expect(!hasLeft)
    }
    woken.wake()
    #expect(waiters.map(\.wakes) == [1, 1, 1])
  }

  @Test
  mutating func `a waiter for the end that has left holds no other waiter`() {
    let left = CountingWaiter()
    weak var other: Waiter?
    do {
      let older = CountingWaiter()
      other = older.waiter
      _ = roster.endWaiterJoined(older.waiter)
      _ = roster.endWaiterJoined(left.waiter)
      _ = roster.endWaiterLeft(left.waiter)
      _ = roster.endWaiterLeft(older.waiter)
    }
    #expect(other == nil)
    withExtendedLifetime(left) {}
  }

  @Test
  mutating func `no waiter is added after the end`() {
    _ = roster.finished()
    let waiter = CountingWaiter()
    let isOpen = roster.endWaiterJoined(waiter.waiter)
    #expect(!isOpen)
    roster.finished().wake()
    #expect(waiter.wakes == 0)
  }

  @Test
  mutating func `a reader is idle when it has seen the newest version of an open cell`() {
    roster.updated(times: 3)
    #expect(roster.isIdle(at: 3))
    #expect(!roster.isIdle(at: 2))
    _ = roster.finished()
    #expect(!roster.isIdle(at: 3))
  }

  @Test
  mutating func `the more readers there are, the more joins make a sweep due`() {
    var due: [Int] = []
    for joined in 1...1_000 where hasJoined() { due.append(joined) }
    #expect(due == [65, 131, 263, 527])
  }

  @Test
  mutating func `a sweep becomes due sooner again when most readers have left`() {
    for _ in 1...527 { _ = hasJoined() }
    roster.readersLeft(517)
    var due: [Int] = []
    for joined in 1...200 where hasJoined() { due.append(joined) }
    #expect(due == [65, 141])
  }

  @Test
  mutating func `cells that follow count like readers when a sweep becomes due`() {
    for _ in 1...300 { roster.followerJoined(Cell(0)) }
    var due: [Int] = []
    for joined in 1...310 where roster.observationJoined() { due.append(joined) }
    #expect(due == [151, 302])
  }

  @Test
  mutating func `a sweep becomes due only if an observation may have lost its owner`() {
    for _ in 1...300 {
      let isDue = roster.observationJoined(mayLoseOwner: false)
      #expect(!isDue)
    }
    #expect(!roster.hasHadOwners)
    var due: [Int] = []
    for joined in 1...100 where roster.observationJoined(mayLoseOwner: joined == 1) { due.append(joined) }
    #expect(roster.hasHadOwners)
    #expect(due == [25, 90])
  }

  @Test
  mutating func `a cell that follows is registered once, until it leaves`() {
    let follower = Cell(0)
    for _ in 0..<2 { roster.followerJoined(follower) }
    #expect(roster.followers.count == 1)
    roster.followerLeft(ObjectIdentifier(follower))
    #expect(roster.followers.isEmpty)
  }

  @Test
  mutating func `readers are parked until they are taken out`() {
    let waiter = CountingWaiter()
    #expect(!roster.hasParkedReaders)
    roster.parked(waiter.waiter)
    #expect(roster.hasParkedReaders)
    roster.takeParked().wake()
    #expect(!roster.hasParkedReaders)
  }

  @Test
  mutating func `only the lane of the cell's own isolation is the host lane`() {
    let (host, other) = (CountingWaiter().waiter, CountingWaiter().waiter)
    roster.delivererJoined(other, .actor(ObjectIdentifier(other)))
    #expect(roster.hostLane == nil)
    roster.delivererJoined(host, .cell)
    #expect(roster.hostLane === host)
  }

  @Test
  mutating func `an input waiter waits once, and not for the writer of a cell that has ended`() {
    let waiter = CountingWaiter()
    for _ in 0..<2 { roster.inputWaiterParked(waiter.waiter) }
    #expect(roster.isParked(waiter.waiter))
    roster.takeParked().wake()
    #expect(waiter.wakes == 1)
    _ = roster.finished()
    roster.inputWaiterParked(waiter.waiter)
    #expect(!roster.isParked(waiter.waiter))
  }

  @Test
  mutating func `removing a deliverer does not remove a newer deliverer of the same context`() {
    let (old, new) = (CountingWaiter().waiter, CountingWaiter().waiter)
    for key in [ContextKey.cell, .actor(ObjectIdentifier(old))] {
      roster.delivererJoined(old, key)
      roster.delivererJoined(new, key)
      roster.delivererLeft(old, key)
      #expect(roster.delivererTable[key] === new)
    }
    #expect(roster.hostLane === new)
    roster.delivererLeft(new, .cell)
    #expect(roster.hostLane == nil && roster.delivererTable.count == 1)
  }

  private mutating func hasJoined() -> Bool {
    roster.readerJoined()
    return roster.observationJoined()
  }
}
