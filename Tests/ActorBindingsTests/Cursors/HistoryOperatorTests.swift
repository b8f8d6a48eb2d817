import ActorBindings
import Testing

/// `scan`, `withPrevious`, `dropFirst`: operators that remember what a reader received.
@Suite
struct HistoryOperatorTests {
  private let cell = BindableActor(1)

  @Test
  func `scan combines each value with the previous result`() async {
    var sums = cell.scan(0, +).values(backlog: .unbounded).makeAsyncIterator()
    for value in 2...4 { cell.send(value) }
    for expected in [1, 3, 6, 10] { #expect(await sums.next() == expected) }
  }

  @Test
  func `each reader of scan has its own result`() async {
    let sums = cell.scan(100, +)
    var first = sums.values(backlog: .unbounded).makeAsyncIterator()
    cell.send(2)
    var second = sums.values(backlog: .unbounded).makeAsyncIterator()
    cell.send(3)
    for expected in [101, 103, 106] { #expect(await first.next() == expected) }
    for expected in [102, 105] { #expect(await second.next() == expected) }
  }

  @Test
  func `withPrevious delivers the previous value, and nil at first`() async {
    var pairs = cell.withPrevious().values(backlog: .unbounded).makeAsyncIterator()
    cell.send(2)
    cell.send(2)
    for expected in [(nil, 1), (1, 2), (2, 2)] as [(Int?, Int)] {
      let pair = await pairs.next()
      #expect(pair?.old == expected.0)
      #expect(pair?.new == expected.1)
    }
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `dropFirst delivers only changes`(backlog: Backlog) {
    let context = ManualContext()
    let seen = Recorder<Int>()
    let token = cell.dropFirst().observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    context.run()
    #expect(seen.elements.isEmpty)
    cell.send(2)
    context.run()
    cell.send(3)
    context.run()
    #expect(seen.elements == [2, 3])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `dropFirst: the value that it leaves out does not count as skipped`(backlog: Backlog) {
    let cell = BindableActor(0)
    let context = ManualContext()
    let (served, late) = (Recorder<Int>(), Recorder<Int>())
    let first = cell.dropFirst().versioned().observe(on: context.delivery, backlog: backlog) {
      served.record($0.value - $0.skipped)
    }
    context.run()
    for value in 1...5 { cell.send(value) }
    let second = cell.filter { $0 > 6 }.dropFirst().versioned().observe(
      on: context.delivery,
      backlog: backlog
    ) {
      late.record($0.skipped)
    }
    cell.send(6)
    context.run()
    #expect(served.elements.first == 1)
    cell.send(7)
    context.run()
    // The second observer began at the value 5, and examined and rejected 6.
    #expect(late.elements == [0])
    first.cancel()
    second.cancel()
  }

  @Test
  func `dropFirst does not drop a change that is the first value of a late reader`() {
    let context = ManualContext()
    let seen = Recorder<Int>()
    let other = BindableActor(0)
    let tokens = [
      cell.dropFirst().observe(on: context.delivery) { seen.record($0) },
      combineLatest(cell.dropFirst(), other).observe(on: context.delivery) { seen.record($0.0 * 10) },
    ]
    cell.send(2)
    context.run()
    #expect(seen.elements == [2, 20])
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `dropFirst: a late reader's first change is not initial, so a second dropFirst delivers it too`() {
    let (once, twice) = (cell.dropFirst(), cell.dropFirst().dropFirst())
    let readers = [ObservingReader(once, .latest), ObservingReader(twice, .latest)]
    cell.send(2)
    for reader in readers {
      reader.read()
      #expect(reader.readings == [Reading(2, version: 1)])
    }
  }

  @Test
  func `dropFirst after a rejected initial value: each skipped update counts`() {
    let reader = ObservingReader(cell.filter { $0 > 4 }.dropFirst(), .latest)
    reader.read()
    for value in 2...6 { cell.send(value) }
    reader.read()
    #expect(reader.readings == [Reading(6, version: 5, skipped: 4)])
  }

  @Test
  func `dropFirst leaves out the initial value of each merged source`() {
    let other = BindableActor(10)
    let reader = ObservingReader(merge(cell, other).dropFirst(), .unbounded)
    reader.read()
    #expect(reader.readings.isEmpty)
    other.send(20)
    cell.send(2)
    reader.read()
    #expect(reader.readings.map(\.value) == [20, 2])
  }
}
