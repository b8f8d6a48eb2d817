import ActorBindings
import Testing

@Suite
struct StreamTests {
  @Test
  func `a stream delivers the current value, then each new one, then the end`() async {
    let cell = BindableActor(1)
    let seen = Recorder<Int>()
    let loop = Task {
      for await value in cell.values { seen.record(value) }
    }
    await cell.parked(1)
    cell.send(2)
    await cell.parked(1)
    cell.finish()
    await loop.value
    #expect(seen.elements == [1, 2])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a finished cell: the last value, and the end`() async {
    let cell = BindableActor(1)
    cell.finish()
    for backlog in [Backlog.latest, .bounded(2), .unbounded] {
      var iterator = cell.values(backlog: backlog).makeAsyncIterator()
      #expect(await iterator.next() == 1)
      #expect(cell.observerCount == 1)
      #expect(await iterator.next() == nil)
      #expect(cell.observerCount == 0)
      #expect(await iterator.next() == nil)
    }
  }

  @Test(arguments: [
    (Backlog.latest, [0, 9]), (.bounded(1), [0, 9]), (.bounded(3), [0, 7, 8, 9]),
    (.unbounded, Array(0...9)),
  ])
  func `a busy loop receives what its backlog keeps`(backlog: Backlog, expected: [Int]) async {
    let cell = BindableActor(0)
    var iterator = cell.values(backlog: backlog).makeAsyncIterator()
    var seen = [await iterator.next() ?? -1]
    (1...9).forEach(cell.send)
    cell.finish()
    while let value = await iterator.next() { seen.append(value) }
    #expect(seen == expected)
  }

  @Test
  func `updates carry version, skipped and whether they are the initial one`() async {
    let cell = BindableActor("a")
    cell.send("b")
    var iterator = cell.updates().makeAsyncIterator()
    #expect(await iterator.next() == Update(value: "b", version: 1, skipped: 0, isInitial: true))
    ["c", "d", "e"].forEach(cell.send)
    #expect(await iterator.next() == Update(value: "e", version: 4, skipped: 2, isInitial: false))
  }

  @Test
  func `a first update that is newer than the start is not the initial one`() async {
    let cell = BindableActor("a")
    var iterator = cell.updates().makeAsyncIterator()
    cell.send("b")
    #expect(await iterator.next() == Update(value: "b", version: 1, skipped: 1, isInitial: false))
  }

  @Test
  func `several iterators of one stream are independent`() async {
    let cell = BindableActor(0)
    let values = cell.values
    var (first, second) = (values.makeAsyncIterator(), values.makeAsyncIterator())
    #expect(await first.next() == 0)
    cell.send(1)
    #expect(await first.next() == 1)
    #expect(await second.next() == 1)
    #expect(cell.observerCount == 2)
  }

  @Test
  func `a thousand loops end on the last value`() async {
    let cell = BindableActor(0)
    let last = Recorder<Int>()
    let loops = Task {
      await concurrently(1_000) { _ in
        var newest = -1
        for await value in cell.values { newest = value }
        last.record(newest)
      }
    }
    await cell.parked(1_000)
    (1...100).forEach(cell.send)
    cell.finish()
    await loops.value
    #expect(last.elements == Array(repeating: 100, count: 1_000))
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a stream of a source whose cell is deallocated: the last value, and the end`() async {
    let doubled: any BindingSource<Int>
    let values: BindingStream<CellCursor<Int>>
    let all: BindingStream<CellCursor<Int>>
    weak var gone: BindableActor<Int>?
    do {
      let cell = BindableActor(1)
      gone = cell
      values = cell.values
      all = cell.values(backlog: .unbounded)
      doubled = cell.map { $0 * 2 }
      cell.send(2)
    }
    #expect(gone == nil)
    #expect(await collect(values) == [2])
    #expect(await collect(all) == [1, 2])
    #expect(await collect(all) == [2])
    #expect(await collect(doubled) == [4])
  }

  @Test
  func `a waiting loop does not keep its cell alive, and ends with it`() async {
    let seen = Recorder<Int>()
    weak var gone: BindableActor<Int>?
    let loop: Task<Void, Never>
    do {
      let cell = BindableActor(1)
      gone = cell
      let values = cell.values
      loop = Task {
        for await value in values { seen.record(value) }
      }
      await cell.parked(1)
    }
    await loop.value
    #expect(gone == nil)
    #expect(seen.elements == [1])
  }

  private func collect<T>(_ source: some BindingSource<T>) async -> [T] {
    await collect(source.values)
  }

  private func collect<Cursor>(_ stream: BindingStream<Cursor>) async -> [Cursor.Element] {
    var values: [Cursor.Element] = []
    for await value in stream { values.append(value) }
    return values
  }
}
