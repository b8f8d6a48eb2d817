import ActorBindings
import Synchronization
import Testing

@Suite
struct WaitListTests {
  private var list = WaitList()
  private let waiters = (0..<4).map { _ in CountingWaiter() }

  private mutating func appendAll() {
    for waiter in waiters { list.append(waiter.waiter) }
  }

  private func names(_ indices: some Sequence<Int>) -> [ObjectIdentifier] {
    indices.map { ObjectIdentifier(waiters[$0].waiter) }
  }

  @Test
  mutating func `append in the away state: parked`() {
    #expect(!list.contains(waiters[0].waiter))
    list.append(waiters[0].waiter)
    #expect(list.contains(waiters[0].waiter))
    #expect(list.members.count == 1)
  }

  @Test
  func `append in the parked state: a trap`() async {
    await #expect(processExitsWith: .failure) {
      var list = WaitList()
      let waiter = CountingWaiter()
      list.append(waiter.waiter)
      list.append(waiter.waiter)
    }
  }

  @Test(arguments: 0..<4)
  mutating func `remove in the parked state: away, at any position, and the others stay`(index: Int) {
    appendAll()
    let wasParked = list.remove(waiters[index].waiter)
    #expect(wasParked)
    #expect(!list.contains(waiters[index].waiter))
    #expect(list.members.count == 3)
    list.takeAll().wake()
    #expect(waiters.map(\.wakes) == (0..<4).map { $0 == index ? 0 : 1 })
  }

  @Test(arguments: 0..<4)
  mutating func `removed and parked again: last in the list, and each can still be removed`(index: Int) {
    appendAll()
    let again = waiters[index].waiter
    let wasParked = list.remove(again)
    #expect(wasParked)
    list.append(again)
    let order = (0..<4).filter { $0 != index } + [index]
    #expect(list.members.map(ObjectIdentifier.init) == names(order))
    for (left, place) in order.enumerated() {
      let wasParked = list.remove(waiters[place].waiter)
      #expect(wasParked)
      #expect(list.members.map(ObjectIdentifier.init) == names(order.dropFirst(left + 1)))
    }
    list.append(again)
    #expect(list.members.count == 1)
  }

  @Test
  mutating func `remove in the away state: false`() {
    appendAll()
    let wasParked = list.remove(waiters[1].waiter)
    #expect(wasParked)
    let wasParkedStill = list.remove(waiters[1].waiter)
    #expect(!wasParkedStill)
    let wasEverParked = list.remove(CountingWaiter().waiter)
    #expect(!wasEverParked)
    #expect(list.members.count == 3)
  }

  @Test
  mutating func `remove in the taken state: false, and it is woken`() {
    appendAll()
    let woken = list.takeAll()
    let wasParked = list.remove(waiters[1].waiter)
    #expect(!wasParked)
    woken.wake()
    #expect(waiters.map(\.wakes) == [1, 1, 1, 1])
  }

  @Test
  mutating func `take all: an empty list`() {
    list.takeAll().wake()
    appendAll()
    list.takeAll().wake()
    #expect(list.members.count == 0)
    list.takeAll().wake()
    #expect(waiters.map(\.wakes) == [1, 1, 1, 1])
  }

  @Test(arguments: 0...2)
  mutating func `take all before others: the others are woken too`(count: Int) {
    var others = WaitList()
    let otherWaiters = (0..<2).map { _ in CountingWaiter() }
    for waiter in otherWaiters { others.append(waiter.waiter) }
    for waiter in waiters.prefix(count) { list.append(waiter.waiter) }
    list.takeAll(before: others.takeAll()).wake()
    #expect(otherWaiters.map(\.wakes) == [1, 1])
    #expect(waiters.map(\.wakes) == (0..<4).map { $0 < count ? 1 : 0 })
    #expect(list.members.count == 0)
  }

  @Test
  mutating func `append in the taken state: away until it is woken, and no other waiter is lost`() {
    appendAll()
    let woken = list.takeAll()
    list.append(waiters[1].waiter)
    #expect(list.members.count == 0)
    let other = CountingWaiter()
    list.append(other.waiter)
    woken.wake()
    #expect(waiters.map(\.wakes) == [1, 1, 1, 1])
    #expect(other.wakes == 0)
    list.append(waiters[1].waiter)
    #expect(list.members.count == 2)
    list.takeAll().wake()
    #expect(waiters.map(\.wakes) == [1, 2, 1, 1])
    #expect(other.wakes == 1)
  }

  @Test
  func `waiters are woken in the order in which they were parked, and may be parked again at once`() {
    final class Fixture: Sendable {
      let list = Mutex(WaitList())
      let waiters = Mutex<[CountingWaiter]>([])
      let order = Recorder<Int>()

      func park(_ index: Int) {
        let waiter = waiters.withLock { $0[index].waiter }
        list.withLock { $0.append(waiter) }
      }
    }
    let fixture = Fixture()
    for index in 0..<3 {
      let waiter = CountingWaiter { [unowned fixture] in
        fixture.order.record(index)
        fixture.park(index)
      }
      fixture.waiters.withLock { $0.append(waiter) }
      fixture.park(index)
    }
    for _ in 1...3 {
      let woken = fixture.list.withLock { $0.takeAll() }
      woken.wake()
      #expect(fixture.list.withLock { $0.members.count } == 3)
    }
    #expect(fixture.order.elements == [0, 1, 2, 0, 1, 2, 0, 1, 2])
  }

  @Test
  mutating func `a list releases waiters that were taken or removed`() {
    weak var removed: Waiter?
    weak var taken: Waiter?
    do {
      let (one, two) = (CountingWaiter(), CountingWaiter())
      removed = one.waiter
      taken = two.waiter
      list.append(one.waiter)
      list.append(two.waiter)
      let wasParked = list.remove(one.waiter)
      #expect(wasParked)
      list.takeAll().wake()
    }
    #expect(removed == nil)
    #expect(taken == nil)
  }
}
