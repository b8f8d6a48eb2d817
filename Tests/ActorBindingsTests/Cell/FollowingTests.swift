import ActorBindings
import Testing

/// Cells that follow other cells: what they follow, whose they are, and what they hold.
@Suite
struct FollowingTests {
  private let first = BindableActor(1)
  private let second = BindableActor(2)
  private let third = BindableActor(3)

  @Test
  func `a combination of combinations follows the cells that are written`() {
    let source = combineLatest(combineLatest(first, second), third)
    let joint: AnyCell = source.cursor.root.cell
    let context = ManualContext()
    let token = source.observe(on: context.delivery) { _ in }
    for cell in [first, second, third] {
      #expect(cell.observerCount == 1)
      #expect(cell.cell.withFollowers.first === cell.cell)
      #expect(cell.cell.withFollowers.last === joint)
    }
    token.cancel()
    context.run()
    for cell in [first, second, third] { #expect(cell.cell.withFollowers.count == 1) }
  }

  @Test
  func `a combination belongs to the actor of its first cell`() {
    #expect(combineLatest(first, second).cursor.root.cell.host === first)
  }

  @Test
  func `a combination without readers shows what its cells hold`() {
    let joint = Cell(joining: first.cursor, second.cursor, for: "test")
    first.send(5)
    #expect(joint.snapshot?.left.value == 5)
    #expect(joint.snapshot?.right.value == 2)
  }

  @Test
  func `a step that shows a value and the end wakes the parked reader and the waiters for the end`() {
    let joint = Cell(joining: first.cursor, second.cursor, for: "test")
    var position = joint.read(for: .joining(depth: 1)) { state, roster in
      roster.readerJoined()
      return state.joined(depth: 1, at: roster.version, isJoint: true)
    }
    let woken = Recorder<String>()
    let reader = EndWaiter { woken.record("reader") }
    let ends = (0..<2).map { _ in EndWaiter { woken.record("end") } }
    joint.locked { $0.parked(reader) }
    for end in ends { joint.joinEnd(end) }
    // No input waiter is parked, because the first look found something new. So the next look finds all of this.
    first.send(5)
    first.finish()
    second.finish()
    joint.refresh()
    #expect(joint.value.left.value == 5)
    #expect(joint.isFinished)
    #expect(woken.elements.sorted() == ["end", "end", "reader"])
    joint.read(for: .leaving) { state, roster in
      roster.readersLeft()
      _ = state.left(&position, at: roster.version, of: joint)
    }
  }

  @Test
  func `a latest reader of a key does not hold the value with which it began`() async {
    let census = Census()
    let citizens = BindableDictionary(["a": census.citizen(1)])
    var values = citizens.source(forKey: "a").map { $0?.number }.values.makeAsyncIterator()
    #expect(await values.next() == 1)
    citizens.set(census.citizen(2), forKey: "a")
    #expect(await values.next() == 2)
    #expect(census.alive == 1)
    withExtendedLifetime((values, citizens)) {}
  }

  @Test
  func `a change log does not hold the waiters that a writer has woken`() {
    let context = ManualContext()
    let seen = Recorder<Int?>()
    let prices = BindableDictionary(["a": 0])
    weak var left: AnyCell?
    do {
      let source = prices.source(forKey: "a")
      left = source.cursor.root.cell
      let token = source.observe(on: context.delivery) { seen.record($0) }
      context.run()
      prices.set(1, forKey: "a")
      context.run()
      token.cancel()
      context.run()
    }
    #expect(seen.elements == [0, 1])
    #expect(left == nil)
    withExtendedLifetime(prices) {}
  }
}
