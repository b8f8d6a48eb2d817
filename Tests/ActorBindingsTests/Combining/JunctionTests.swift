import ActorBindings
import Testing

/// Tests of a junction, the object that follows several cells: what the junction holds, when, and for which readers.
@Suite
struct JunctionTests {
  private final class Owner: Sendable {}

  @Test
  func `a job that runs after all readers have left keeps no value`() {
    let census = Census()
    let citizens = BindableActor(census.citizen(1))
    let source = combineLatest(citizens, BindableActor(0))
    let context = ManualContext()
    source.observe(on: context.delivery) { _ in }.cancel()
    context.run()
    citizens.send(census.citizen(2))
    #expect(census.alive == 1)
    withExtendedLifetime(source) {}
  }

  @Test
  func `the context .cell of a combination is the first cell, whichever address is lower`() async {
    let cells = (0..<4).map { _ in BindableActor(0) }
    for (first, second) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
      let source = combineLatest(cells[first], combineLatest(cells[second], cells[first]))
      #expect(source.cursor.root.cell.host === cells[first])
    }
  }

  @Test
  func
    `G9 on combinations of cells that are never written, dead observations do not outnumber the others by much`()
  {
    let (left, right) = (BindableActor(0), BindableActor(0))
    let context = ManualContext()
    let alive = (0..<10).map { _ in Owner() }
    alive.forEach { combineLatest(left, right).observe($0, on: context.delivery) { _, _ in } }
    for _ in 0..<5_000 {
      let owner = Owner()
      combineLatest(left, right).observe(owner, on: context.delivery) { _, _ in }
      context.run()
      #expect(left.observerCount <= 10 + 2 * 65)
    }
    withExtendedLifetime((alive, right)) {}
  }

  @Test
  func `a long history is read in portions, and the lock is released between them`() async {
    let (left, right) = (BindableActor(0), BindableActor(0))
    let source = combineLatest(left, right)
    let all = source.values(backlog: .unbounded)
    let writes = 4 * AnyJunction.longestPortion
    for value in 1...writes { left.send(value) }
    // A waiter of the joint cell is woken after the first portion. If the lock were held for all portions, nothing
    // would be left to read.
    let cell = source.cursor.root.cell
    let begun = cell.watermark.version
    let read = Recorder<UInt64>()
    let witness = EndWaiter { read.record(cell.watermark.version - begun) }
    cell.locked { $0.parked(witness) }
    var newest = source.values.makeAsyncIterator()
    #expect(await newest.next()?.0 == writes)
    #expect(read.elements == [UInt64(AnyJunction.longestPortion)])
    left.finish()
    right.finish()
    #expect(await all.elements().map(\.0) == Array(0...writes))
  }

  @Test
  func `a step reads what existed when it began, while writers continue`() async {
    let (left, right) = (BindableActor(0), BindableActor(0))
    let source = combineLatest(left, right)
    let all = source.values(backlog: .unbounded)
    let portion = AnyJunction.longestPortion
    for value in 1...4 * portion { left.send(value) }
    let (cell, wakes, witness) = (source.cursor.root.cell, Counter(), Box<EndWaiter>())
    witness.value = EndWaiter {
      wakes.add()
      if wakes.value > 100 { return }
      for value in 1...portion { left.send(value) }
      if let witness = witness.value { cell.locked { $0.parked(witness) } }
    }
    cell.locked { $0.parked(witness.value!) }
    var newest = source.values.makeAsyncIterator()
    // The iterator takes its position in one step, and reads in the next step. That step finds what was written during
    // the first step.
    let first = await newest.next()?.0
    #expect(first == portion)
    #expect(wakes.value == 8)
    // The witness and the cell hold each other.
    if let witness = witness.value { cell.locked { _ = $0.unparked(witness) } }
    witness.value = nil
    withExtendedLifetime((all, right)) {}
  }

  @Test
  func `G3 the last value arrives if the only unbounded reader leaves within a step`() async {
    let (left, right) = (BindableActor(0), BindableActor(0))
    let source = combineLatest(left, right)
    let all = Box(source.values(backlog: .unbounded))
    var newest = source.values.makeAsyncIterator()
    #expect(await newest.next()?.0 == 0)
    let portion = AnyJunction.longestPortion
    for value in 1...4 * portion { left.send(value) }
    // This waiter is woken between two portions.
    let witness = EndWaiter { all.value = nil }
    source.cursor.root.cell.locked { $0.parked(witness) }
    #expect(await newest.next()?.0 == 4 * portion)
    #expect(all.value == nil)
    withExtendedLifetime(right) {}
  }

  @Test(arguments: [Backlog.latest, .bounded(2)])
  func `G5 a first element counts the updates of the cells since the reader began`(
    backlog: Backlog
  ) async {
    let (left, right) = (BindableActor(0), BindableActor(0))
    left.send(1)
    var iterator = combineLatest(left, right).updates(backlog: backlog).makeAsyncIterator()
    for value in 2...4 { left.send(value) }
    for value in 1...2 { right.send(value) }
    var accounted: UInt64 = 1
    var last: UInt64 = 0
    while last < 6, let update = await iterator.next() {
      accounted += UInt64(update.skipped) + 1
      last = update.version
      #expect(last == accounted - 1)
      #expect(!update.isInitial)
    }
  }

  // The longer log is read in several holds of the lock.
  @Test(arguments: [100, 4 * AnyJunction.longestPortion])
  func `a bounded reader that remains after an unbounded one lets no log grow`(writes: Int) {
    let census = Census()
    let citizens = BindableActor(census.citizen())
    let source = combineLatest(citizens, BindableActor(0))
    let bounded = source.values(backlog: .bounded(2))
    do {
      let unbounded = source.values(backlog: .unbounded)
      for number in 1...writes { citizens.send(census.citizen(number)) }
      #expect(census.alive == writes + 1)
      withExtendedLifetime(unbounded) {}
    }
    #expect(census.alive <= 4)
    withExtendedLifetime(bounded) {}
  }
}
