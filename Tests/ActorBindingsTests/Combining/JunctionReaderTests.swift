import ActorBindings
import Testing

/// What a junction does when readers join, look and leave.
@Suite
struct JunctionReaderTests {
  private let left = BindableActor(0)
  private let right = BindableActor(0)
  private let context = ManualContext()

  // MARK: Joining and leaving

  @Test
  func `a source can be read again after its last reader has left`() {
    let source = combineLatest(left, right)
    let seen = Recorder<Int>()
    for count in 1...2 {
      let token = source.observe(on: context.delivery) { seen.record($0 + $1) }
      context.run()
      #expect(seen.count == count)
      token.cancel()
    }
  }

  @Test
  func `a reader that begins while the last one ends receives the current values`() {
    let source = combineLatest(left, right)
    let (seen, later) = (Recorder<Int>(), ManualContext())
    let (first, second) = (Box<BindingToken>(), Box<BindingToken>())
    first.value = source.observe(on: context.delivery, backlog: .unbounded) { _, _ in
      first.value?.cancel()
      second.value = source.observe(on: later.delivery) { seen.record($0 + $1) }
    }
    context.run()
    later.run()
    #expect(seen.elements == [0])
    (first.value, second.value) = (nil, nil)
  }

  @Test
  func `a history that was read entirely leaves nothing to publish`() async {
    let source = combineLatest(left, right)
    var newest = source.updates().makeAsyncIterator()
    do {
      let all = source.values(backlog: .unbounded)
      withExtendedLifetime(all) {}
    }
    #expect(await newest.next()?.isInitial == true)
  }

  @Test
  func `only a reader that compares instants makes writers take them`() {
    let pairs = combineLatest(left, right).observe(on: context.delivery) { _ in }
    #expect(orderedReaders == 0)
    pairs.cancel()
    let merged = merge(left, right).observe(on: context.delivery) { _ in }
    #expect(orderedReaders == 1)
    merged.cancel()
    #expect(orderedReaders == 0)
  }

  private var orderedReaders: UInt32 { left.cell.locked { state, _ in state.orderedReaders } }

  @Test(arguments: [Backlog.latest, .bounded(2)])
  func `G5 a first element of nested combinations counts the updates since the reader began`(
    backlog: Backlog
  ) async {
    let third = BindableActor(0)
    left.send(1)
    let nested = combineLatest(combineLatest(left, right), third)
    var iterator = nested.updates(backlog: backlog).makeAsyncIterator()
    for value in 2...4 { left.send(value) }
    for value in 1...2 { right.send(value) }
    var accounted: UInt64 = 1
    var last: UInt64 = 0
    while last < 6, let update = await iterator.next() {
      accounted += UInt64(update.skipped) + 1
      last = update.version
      #expect(last == accounted - 1)
    }
  }

  // MARK: Relays

  @Test
  func `a relay in a combination reads its source just while the combination is read`() {
    let clock = ManualClock()
    let source = combineLatest(left.debounce(for: .seconds(3), clock: clock), right)
    let token = source.observe(on: context.delivery) { _ in }
    #expect(left.observerCount == 1)
    token.cancel()
    #expect(left.observerCount == 0)
  }

  @Test
  func `a relay in a combination begins before the reader of the combination has its position`() {
    let (joint, readers, clock) = (Box<AnyCell>(), Recorder<Int>(), ManualClock())
    let probed = Probed(base: left) {
      guard let cell = joint.value else { return }
      joint.value = nil
      readers.record(cell.locked { $0.readers })
    }
    let source = combineLatest(probed.debounce(for: .seconds(3), clock: clock), right)
    joint.value = source.cursor.root.cell
    source.observe(on: context.delivery) { _ in }.cancel()
    #expect(readers.elements == [0])
  }

  @Test(arguments: [Backlog.latest, .bounded(2)])
  func `a relay in a combination starts again for a reader that joins while the last one leaves`(
    backlog: Backlog
  ) {
    let clock = ManualClock()
    let source = combineLatest(left.debounce(for: .seconds(3), clock: clock), right)
    let all = Box(source.values(backlog: .unbounded))
    for value in 1...2 * AnyJunction.longestPortion { right.send(value) }
    // Woken between two portions of the step in which the new reader joins.
    let witness = EndWaiter { all.value = nil }
    source.cursor.root.cell.locked { $0.parked(witness) }
    let reader = source.values(backlog: backlog).makeAsyncIterator()
    #expect(all.value == nil)
    #expect(left.observerCount == 1)
    withExtendedLifetime(reader) {}
  }

  // MARK: Looking

  @Test
  func `a reader that has something to read parks nothing in the cells`() async {
    let source = combineLatest(left, right)
    var iterator = source.values.makeAsyncIterator()
    for value in 1...3 {
      left.send(value)
      #expect(await iterator.next()?.0 == value)
      // Nothing is new, so nothing looks.
      source.cursor.root.cell.refreshIfStale()
      #expect(left.cell.locked { $0.idle.members.isEmpty })
    }
  }

  @Test
  func `a wake-up looks at one cell only, and parks the waiter there again`() {
    let source = combineLatest(left, right)
    let seen = Recorder<Int>()
    let token = source.observe(on: context.delivery) { seen.record($0 * 10 + $1) }
    context.run()
    // While this thread holds the lock of this cell, a look at this cell would end the process.
    right.cell.locked { _ in
      for value in 1...2 {
        left.send(value)
        context.run()
      }
    }
    #expect(seen.elements == [0, 10, 20])
    right.send(1)
    context.run()
    #expect(seen.elements == [0, 10, 20, 21])
    token.cancel()
  }

  @Test
  func `a busy reader is woken for at most one write`() {
    let source = combineLatest(left, right)
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    for value in 1...3 { left.send(value) }
    // The lane is on its way. The first write parked the waiter again, and the second one has woken it in vain.
    #expect(left.cell.locked { $0.idle.members.isEmpty })
    context.run()
    #expect(left.cell.locked { $0.idle.members.count } == 1)
    token.cancel()
  }

  @Test
  func `a wake-up after a transaction sees both of its writes`() {
    let seen = Recorder<Int>()
    let token = combineLatest(left, right).observe(on: context.delivery) { seen.record($0 * 10 + $1) }
    context.run()
    for value in 1...2 {
      BindingTransaction.run { transaction in
        transaction[left] = value
        transaction[right] = value
      }
      context.run()
    }
    #expect(seen.elements == [0, 11, 22])
    token.cancel()
  }

  @Test
  func `a wake-up by the end of a cell looks at all cells`() {
    let seen = Recorder<Int>()
    let token = combineLatest(left, right).observe(on: context.delivery) { seen.record($0 * 10 + $1) }
    context.run()
    left.finish()
    right.send(1)
    context.run()
    right.finish()
    context.run()
    #expect(seen.elements == [0, 1])
    #expect(token.hasEnded)
  }

  @Test
  func `a waiter of former readers, woken late, parks nowhere`() {
    let source = combineLatest(left, right)
    let former = source.observe(on: context.delivery) { _ in }
    context.run()
    let waiter = left.cell.locked { $0.firstParked }
    former.cancel()
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    waiter?.wake()
    #expect(left.cell.locked { $0.idle.members.count } == 1)
    token.cancel()
    #expect(left.cell.locked { $0.idle.members.isEmpty })
  }

  @Test
  func `a reader of a combination does not spin, because no writer raises its version`() {
    let cell = combineLatest(left, right).cursor.root.cell
    #expect(!cell.spin(untilNewerThan: cell.watermark.version + 1))
  }

  @Test
  func `outside a pass a cursor looks when nothing is left to read`() {
    var cursor = combineLatest(left, right).cursor
    let cell = cursor.root.cell
    cursor.root.position = cell.read(for: .joining(depth: .max)) { state, roster in
      roster.readerJoined()
      return state.joined(depth: .max, at: roster.version, isJoint: true)
    }
    for value in 0...2 {
      if value > 0 { left.send(value) }
      guard case .element(let pair, _) = cursor.next(in: nil) else {
        Issue.record("there is no element for \(value)")
        break
      }
      #expect(pair.0 == value)
    }
    cell.read(for: .leaving) { state, roster in
      roster.readersLeft()
      _ = state.left(&cursor.root.position, at: roster.version, of: cell)
    }
  }

  @Test
  func `a history of one portion is read in one hold of the lock`() {
    let source = combineLatest(left, right)
    let all = source.values(backlog: .unbounded)
    for value in 1...AnyJunction.longestPortion { left.send(value) }
    let (cell, readers) = (source.cursor.root.cell, Recorder<Int>())
    // Woken after the first hold, in which the reader has joined already.
    let witness = EndWaiter { readers.record(cell.locked { $0.readers }) }
    cell.locked { $0.parked(witness) }
    let newest = source.values.makeAsyncIterator()
    #expect(readers.elements == [2])
    withExtendedLifetime((all, newest)) {}
  }

  @Test
  func `a step looks again if another reader has read what the step was reading`() {
    let source = combineLatest(left, right)
    let all = source.values(backlog: .unbounded)
    let writes = 2 * AnyJunction.longestPortion
    for value in 1...writes { left.send(value) }
    let cell = source.cursor.root.cell
    let begun = cell.watermark.version
    // Woken between two portions.
    let witness = EndWaiter { [left] in
      cell.refresh()
      left.send(0)
    }
    cell.locked { $0.parked(witness) }
    cell.refresh()
    #expect(cell.watermark.version - begun == UInt64(writes) + 1)
    withExtendedLifetime(all) {}
  }

  @Test
  func `G3 a look after a history has ended unread takes the newest values`() {
    let source = combineLatest(left, right)
    let all = Box(source.values(backlog: .unbounded))
    let newest = source.values.makeAsyncIterator()
    for value in 1...2 * AnyJunction.longestPortion { left.send(value) }
    let (cell, published) = (source.cursor.root.cell, Recorder<UInt64>())
    // Woken between two portions.
    let witness = EndWaiter {
      all.value = nil
      let former = cell.watermark.version
      cell.refreshIfStale()
      published.record(cell.watermark.version - former)
    }
    cell.locked { $0.parked(witness) }
    cell.refresh()
    #expect(published.elements == [1])
    withExtendedLifetime(newest) {}
  }
}

/// A source that calls a closure each time that its root is asked for.
private struct Probed<Base: BindingSource>: BindingSource {
  typealias Value = Base.Value

  let base: Base
  let rootWasAskedFor: @Sendable () -> Void

  var cursor: Cursor { Cursor(base: base.cursor, rootWasAskedFor: rootWasAskedFor) }

  struct Cursor: BindingCursor {
    typealias Element = Base.Value
    typealias Origin = Base.Cursor.Origin
    typealias Root = Base.Cursor.Root

    var base: Base.Cursor
    let rootWasAskedFor: @Sendable () -> Void

    var root: Root {
      get {
        rootWasAskedFor()
        return base.root
      }
      set { base.root = newValue }
    }

    mutating func next(in pass: PassSnapshot<Origin>?) -> Pull<Element> {
      base.next(in: pass)
    }
  }
}
