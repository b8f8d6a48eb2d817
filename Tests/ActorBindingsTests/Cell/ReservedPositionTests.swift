import ActorBindings
import Testing

/// Streams whose backlog is not `.latest` begin when they are made.
@Suite
struct ReservedPositionTests {
  private let cell = BindableActor(0)

  private func drain(_ iterator: inout BindingStream<CellCursor<Int>>.Iterator, _ count: Int) async -> [Int] {
    var values: [Int] = []
    for _ in 0..<count {
      if let value = await iterator.next() { values.append(value) }
    }
    return values
  }

  @Test(arguments: [(Backlog.unbounded, [0, 1, 2, 3]), (.bounded(2), [2, 3]), (.bounded(9), [0, 1, 2, 3])])
  func
    `the first iterator misses nothing since the stream was made, the second begins with the current value`(
      backlog: Backlog,
      expected: [Int]
    ) async
  {
    let all = cell.values(backlog: backlog)
    (1...3).forEach(cell.send)
    var first = all.makeAsyncIterator()
    #expect(await drain(&first, expected.count) == expected)
    var second = all.makeAsyncIterator()
    #expect(await drain(&second, 1) == [3])
  }

  @Test
  func `a stream that is not iterated counts, and gives up its position with its last copy`() {
    do {
      let all = cell.values(backlog: .unbounded)
      let copy = all
      #expect(cell.observerCount == 1)
      #expect(cell.cell.locked { state, _ in state.logReaders } == 1)
      withExtendedLifetime((all, copy)) {}
    }
    #expect(cell.observerCount == 0)
    #expect(cell.cell.locked { state, _ in state.logReaders } == 0)
  }

  @Test(arguments: [Backlog.bounded(1), .bounded(3), .unbounded])
  func `the first iterator replaces its stream in the count, others are added`(backlog: Backlog) async {
    let all = cell.updates(backlog: backlog)
    #expect(cell.observerCount == 1)
    do {
      var first = Optional(all.makeAsyncIterator())
      #expect(cell.observerCount == 1)
      let second = all.makeAsyncIterator()
      #expect(cell.observerCount == 2)
      withExtendedLifetime((first, second)) {}
      first = nil
      #expect(cell.observerCount == 1)
      withExtendedLifetime(second) {}
    }
    #expect(cell.observerCount == 0)
    withExtendedLifetime(all) {}
  }

  @Test
  func `a stream of a combination that is not iterated counts for each of its cells`() {
    let other = BindableActor(0)
    do {
      let all = combineLatest(cell, other).values(backlog: .unbounded)
      #expect(cell.observerCount == 1)
      #expect(other.observerCount == 1)
      withExtendedLifetime(all) {}
    }
    #expect(cell.observerCount == 0)
    #expect(other.observerCount == 0)
  }

  @Test
  func `a latest stream that is not iterated holds nothing, and does not count`() {
    let newest = cell.values
    #expect(cell.observerCount == 0)
    withExtendedLifetime(newest) {}
  }

  @Test
  func `copies of a stream share one position`() async {
    let all = cell.values(backlog: .unbounded)
    let copy = all
    cell.send(1)
    var (first, second) = (copy.makeAsyncIterator(), all.makeAsyncIterator())
    #expect(await drain(&first, 2) == [0, 1])
    #expect(await drain(&second, 1) == [1])
  }

  @Test
  func `while a loop runs, its stream reserves no position`() async {
    let freed = Counter()
    let cell = BindableActor<Mortal?>()
    let all = cell.values(backlog: .unbounded)
    var iterator = all.makeAsyncIterator()
    for _ in 0..<10 { cell.send(Mortal { freed.add() }) }
    cell.send(nil)
    #expect(freed.value == 0)
    for _ in 0..<12 { _ = await iterator.next() }
    #expect(freed.value == 10)
    withExtendedLifetime(all) {}
  }

  @Test
  func `if many tasks iterate at once, only one receives the reserved position`() async {
    for _ in 0..<200 {
      let cell = BindableActor(0)
      let all = cell.values(backlog: .unbounded)
      (1...10).forEach(cell.send)
      cell.finish()
      let lengths = Recorder<Int>()
      await concurrently(4) { _ in
        var length = 0
        for await _ in all { length += 1 }
        lengths.record(length)
      }
      #expect(lengths.elements.sorted() == [1, 1, 1, 11])
    }
  }

  @Test
  func `an operator's stream has a reserved position too`() async {
    let even = cell.filter { $0 % 2 == 0 }.updates(backlog: .unbounded)
    (1...4).forEach(cell.send)
    var iterator = even.makeAsyncIterator()
    var versions: [UInt64] = []
    for _ in 0..<3 {
      if let update = await iterator.next() { versions.append(update.version) }
    }
    #expect(versions == [0, 2, 4])
  }

  @Test
  func `a cancelled loop releases its backlog, though its iterator still exists`() async {
    let freed = Counter()
    let task = Task {
      let cell = BindableActor<Mortal?>()
      var iterator = cell.values(backlog: .unbounded).makeAsyncIterator()
      for _ in 0..<10 { cell.send(Mortal { freed.add() }) }
      cell.send(nil)
      await eventually { Task.isCancelled }
      let hasMore = await iterator.next() != nil
      #expect(!hasMore)
      #expect(freed.value == 10)
      withExtendedLifetime((iterator, cell)) {}
    }
    task.cancel()
    await task.value
  }
}
