import ActorBindings
import Testing

/// Streams whose backlog is not `.latest` begin where they were made.
@Suite
struct PinTests {
  private let cell = BindableActor(0)

  private func drain(_ iterator: inout BindingStream<CellCursor<Int>>.Iterator, _ count: Int) async -> [Int] {
    var values: [Int] = []
    for _ in 0..<count {
      if let value = await iterator.next() { values.append(value) }
    }
    return values
  }

  @Test(arguments: [(Backlog.unbounded, [0, 1, 2, 3]), (.bounded(2), [2, 3]), (.bounded(9), [0, 1, 2, 3])])
  func `the first iterator misses nothing that was sent since, the second begins now`(
    backlog: Backlog,
    expected: [Int]
  ) async {
    let all = cell.values(backlog: backlog)
    (1...3).forEach(cell.send)
    var first = all.makeAsyncIterator()
    #expect(await drain(&first, expected.count) == expected)
    var second = all.makeAsyncIterator()
    #expect(await drain(&second, 1) == [3])
  }

  @Test
  func `a stream that nobody iterates does not count, and gives its place up with its last copy`() {
    do {
      let all = cell.values(backlog: .unbounded)
      let copy = all
      #expect(cell.observerCount == 0)
      #expect(cell.cell.locked { state, _ in state.logReaders } == 1)
      withExtendedLifetime((all, copy)) {}
    }
    #expect(cell.cell.locked { state, _ in state.logReaders } == 0)
  }

  @Test
  func `copies of a stream have one place between them`() async {
    let all = cell.values(backlog: .unbounded)
    let copy = all
    cell.send(1)
    var (first, second) = (copy.makeAsyncIterator(), all.makeAsyncIterator())
    #expect(await drain(&first, 2) == [0, 1])
    #expect(await drain(&second, 1) == [1])
  }

  @Test
  func `while a loop runs the stream pins no history`() async {
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
  func `of many tasks that iterate at once just one gets the place`() async {
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
  func `an operator's stream is pinned too`() async {
    let even = cell.filter { $0 % 2 == 0 }.updates(backlog: .unbounded)
    (1...4).forEach(cell.send)
    var iterator = even.makeAsyncIterator()
    var versions: [UInt64] = []
    for _ in 0..<3 {
      if let update = await iterator.next() { versions.append(update.version) }
    }
    #expect(versions == [0, 2, 4])
  }
}
