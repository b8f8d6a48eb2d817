import ActorBindings
import Testing

/// Tests of `merge` and `zip` of a list.
@Suite
struct MergeListTests {
  private let cells = (1...3).map { BindableActor($0) }
  private let context = ManualContext()
  private let seen = Recorder<Int>()

  @Test
  func `the values of all sources come in the order of the writes`() async {
    let stream = merge(cells).values(backlog: .unbounded)
    cells[2].send(30)
    cells[0].send(10)
    BindingTransaction.run { transaction in
      transaction[cells[2]] = 31
      transaction[cells[1]] = 21
    }
    cells[0].send(11)
    cells.forEach { $0.finish() }
    #expect(await stream.elements() == [1, 2, 3, 30, 10, 21, 31, 11])
  }

  @Test
  func `a reader of the newest value receives that of each written source, the oldest first`() {
    let token = merge(cells).observe(on: context.delivery) { [seen] in seen.record($0) }
    context.run()
    for (index, value) in [(2, 30), (0, 10), (2, 31), (1, 20)] { cells[index].send(value) }
    context.run()
    cells[1].send(21)
    context.run()
    #expect(seen.elements == [1, 2, 3, 10, 31, 20, 21])
    token.cancel()
    #expect(cells.allSatisfy { $0.observerCount == 0 })
  }

  @Test
  func `merged lists can be merged`() async {
    let stream = merge(merge([cells[0], cells[1]]), cells[2]).values(backlog: .unbounded)
    for (index, value) in [(2, 30), (0, 10), (1, 20), (2, 31)] { cells[index].send(value) }
    cells.forEach { $0.finish() }
    #expect(await stream.elements() == [1, 2, 3, 30, 10, 20, 31])
  }

  @Test
  func `without sources, the result ends at once`() async {
    let none: [BindableActor<Int>] = []
    #expect(await merge(none).values.elements() == [])
    #expect(await zip(none).values(backlog: .unbounded).elements() == [])
  }

  @Test
  func `zip groups the first values of all sources, then the second values`() async {
    let stream = zip(cells).values(backlog: .unbounded)
    for value in [10, 11, 12] { cells[0].send(value) }
    for value in [30, 31] { cells[2].send(value) }
    for value in [20, 21, 22] { cells[1].send(value) }
    cells.forEach { $0.finish() }
    #expect(await stream.elements() == [[1, 2, 3], [10, 20, 30], [11, 21, 31]])
  }

  @Test
  func `an update that brings several values makes several groups, of which the first is initial`() async {
    let sources = [merge(cells[0], cells[1]), merge(cells[1], cells[2])]
    let stream = zip(sources).updates(backlog: .unbounded)
    cells.forEach { $0.finish() }
    let groups = await stream.elements()
    #expect(groups.map(\.value) == [[1, 2], [2, 3]])
    #expect(groups.map(\.isInitial) == [true, false])
  }

  @Test
  func `zip waits for the first value of a source that begins without a value`() async {
    let stream = zip(cells.prefix(2).map { $0.filter { $0 > 1 } }).values(backlog: .unbounded)
    cells[1].send(3)
    cells[0].send(0)
    cells[0].send(4)
    cells.forEach { $0.finish() }
    #expect(await stream.elements() == [[4, 2]])
  }
}
