import ActorBindings
import Testing

/// What a junction finds when it looks, and which looks it can do without.
///
/// If the thread of a test holds the lock of a cell, a look at that cell ends the process.
@Suite
struct JunctionLookTests {
  private let left = BindableActor(0)
  private let right = BindableActor(0)
  private let context = ManualContext()

  // MARK: What a look finds

  @Test
  func `a look before the wake-up of a waiter finds the write`() {
    let source = combineLatest(left, right)
    let (cell, versions) = (source.cursor.root.cell, Recorder<UInt64>())
    // Parked before the input waiter, so the writer wakes it first.
    let witness = EndWaiter {
      cell.refreshIfStale()
      versions.record(cell.watermark.version)
    }
    left.cell.locked { $0.parked(witness) }
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    let begun = cell.watermark.version
    left.send(1)
    #expect(versions.elements == [begun + 1])
    token.cancel()
  }

  @Test
  func `each look at one cell publishes one version, and a look at all cells after that finds nothing new`() {
    let source = combineLatest(left, right)
    let cell = source.cursor.root.cell
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    let begun = cell.watermark.version
    for value in 1...2 {
      left.send(value)
      #expect(cell.watermark.version == begun + UInt64(value))
      context.run()
    }
    right.finish()
    #expect(cell.watermark.version == begun + 2)
    token.cancel()
  }

  @Test
  func `a reader that is woken for a transaction finds both of its writes`() {
    let source = combineLatest(left, right)
    let (cell, seen) = (source.cursor.root.cell, Recorder<[Int?]>())
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    let witness = EndWaiter { seen.record([cell.value.left.value, cell.value.right.value]) }
    cell.locked { $0.parked(witness) }
    BindingTransaction.run { [left, right] transaction in
      transaction[left] = 1
      transaction[right] = 1
    }
    #expect(seen.elements == [[1, 1]])
    token.cancel()
  }

  @Test(arguments: [true, false])
  func `a combination ends with the second of its cells, whichever that is`(isLowerFirst: Bool) {
    let token = combineLatest(left, right).observe(on: context.delivery) { _ in }
    context.run()
    // A look goes through the cells in the order of their addresses.
    let cells = [left, right].sorted { ObjectIdentifier($0.cell) < ObjectIdentifier($1.cell) }
    cells[isLowerFirst ? 0 : 1].finish()
    context.run()
    #expect(!token.hasEnded)
    cells[isLowerFirst ? 1 : 0].finish()
    context.run()
    #expect(token.hasEnded)
  }

  @Test
  func `a step that publishes a write and the end wakes the readers and the waiters for the end`() {
    let source = combineLatest(left, right)
    let (cell, woken) = (source.cursor.root.cell, Recorder<String>())
    let values = source.values.makeAsyncIterator()
    left.send(1)
    left.finish()
    right.finish()
    let (reader, end) = (EndWaiter { woken.record("reader") }, EndWaiter { woken.record("end") })
    cell.locked { $0.parked(reader) }
    cell.locked { _ = $0.endWaiterJoined(end) }
    cell.refresh()
    #expect(Set(woken.elements) == ["reader", "end"])
    withExtendedLifetime(values) {}
  }

  @Test(arguments: [Backlog.bounded(4), .unbounded])
  func `a reader with a backlog that joins beside an idle one receives each value`(backlog: Backlog) {
    let source = combineLatest(left, right).map { $0 + $1 }
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    let reader = StreamingReader(source, backlog)
    for value in 1...3 { left.send(value) }
    reader.read()
    #expect(reader.readings.map(\.value) == [0, 1, 2, 3])
    token.cancel()
  }

  // MARK: Looks that are not needed

  @Test
  func `with a history that is read, a reader needs no look`() {
    let source = combineLatest(left, right)
    let cell = source.cursor.root.cell
    let token = source.observe(on: context.delivery, backlog: .unbounded) { _ in }
    context.run()
    left.send(1)
    context.run()
    right.cell.locked { _ in cell.refresh() }
    token.cancel()
  }

  @Test
  func `a reader of the newest value that joins beside an idle one needs no look`() {
    let source = combineLatest(left, right)
    let cell = source.cursor.root.cell
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    right.cell.locked { _ in
      cell.read(for: .joining(depth: 1)) { $0.readerJoined() }
      cell.read(for: .leaving) { $0.readersLeft() }
    }
    token.cancel()
  }

  @Test
  func `the look of a wake-up saves the woken readers a look`() {
    let (merged, seen) = (merge(left, right), Recorder<Int>())
    let token = merged.observe(on: context.delivery) { seen.record($0) }
    context.run()
    // A merge compares instants, so the wake-up looks at all cells.
    left.send(1)
    right.cell.locked { _ in context.run() }
    #expect(seen.last == 1)
    token.cancel()
  }
}
