import ActorBindings
import Testing

@Suite
struct CombineLatestListTests {
  private let cells = (1...5).map { BindableActor($0) }
  private let context = ManualContext()
  private let seen = Recorder<[Int]>()

  @Test
  func `readers receive the newest values of all sources, in the order of the sources`() async {
    let source = combineLatest(cells)
    #expect(Array(source.value) == [1, 2, 3, 4, 5])
    let token = source.observe(on: context.delivery) { [seen] in seen.record(Array($0)) }
    context.run()
    cells[1].send(20)
    cells[4].send(50)
    context.run()
    cells[0].send(10)
    context.run()
    #expect(seen.elements == [[1, 2, 3, 4, 5], [1, 20, 3, 4, 50], [10, 20, 3, 4, 50]])
    #expect(Array(source.value) == [10, 20, 3, 4, 50])
    token.cancel()
    #expect(cells.allSatisfy { $0.observerCount == 0 && $0.cell.locked { $0.writeObservers == nil } })
  }

  @Test(arguments: [Backlog.latest, .bounded(10), .unbounded])
  func `a transaction is one element, whatever it writes`(backlog: Backlog) {
    let token = combineLatest(cells).observe(on: context.delivery, backlog: backlog) { [seen] in
      seen.record(Array($0))
    }
    context.run()
    for number in 1...3 {
      BindingTransaction.run { transaction in
        for cell in cells { transaction[cell] = number }
      }
      if backlog == .latest { context.run() }
    }
    context.run()
    #expect(seen.elements.dropFirst() == [1, 2, 3].map { Array(repeating: $0, count: 5) }[...])
    token.cancel()
  }

  @Test
  func `a reader with a backlog receives what the cells held at each instant`() {
    var tokens: [BindingToken] = []
    let bounded = Recorder<[Int]>()
    let source = combineLatest(cells.prefix(2))
    for (backlog, seen) in [(Backlog.unbounded, seen), (.bounded(2), bounded)] {
      tokens.append(source.observe(on: context.delivery, backlog: backlog) { seen.record(Array($0)) })
    }
    context.run()
    cells[0].send(10)
    cells[1].send(20)
    cells[1].send(21)
    cells[0].send(11)
    context.run()
    #expect(seen.elements == [[1, 2], [10, 2], [10, 20], [10, 21], [11, 21]])
    #expect(bounded.elements == [[1, 2], [10, 21], [11, 21]])
    tokens.forEach { $0.cancel() }
    #expect(cells.allSatisfy { !$0.cell.locked { state, _ in state.keepsHistory } })
  }

  @Test
  func `a combination of no sources is the empty array, and ends`() async {
    let none = combineLatest([BindableActor<Int>]())
    #expect(none.value.isEmpty)
    for backlog in [Backlog.latest, .unbounded] {
      #expect(await none.values(backlog: backlog).elements().map(Array.init) == [[]])
    }
  }

  @Test
  func `the combination begins when all sources have a value, and ends with the last of them`() async {
    let optionals = (1...3).map { _ in BindableActor<Int?>(nil) }
    let stream = combineLatest(optionals.map { $0.compactMap(\.self) }).values(backlog: .unbounded)
    for (index, cell) in optionals.enumerated() { cell.send(index) }
    optionals[1].finish()
    optionals[0].send(10)
    optionals[0].finish()
    optionals[2].send(20)
    optionals[2].finish()
    #expect(await stream.elements().map(Array.init) == [[0, 1, 2], [10, 1, 2], [10, 1, 20]])
  }

  @Test
  func `a parked loop over many sources is woken by each of them, and by their end`() async {
    let cells = (0..<300).map { BindableActor($0) }
    let sums = Recorder<Int>()
    let loop = Task { [cells] in
      for await values in combineLatest(cells).values { sums.record(values.reduce(0, +)) }
    }
    await sums.reached(1)
    for (number, cell) in cells.enumerated() {
      cell.modify { $0 += 1 }
      await sums.reached(number + 2)
    }
    let start = (0..<300).reduce(0, +)
    #expect(sums.elements == (0...300).map { start + $0 })
    cells.forEach { $0.finish() }
    await loop.value
  }

  @Test
  func `sources that read the same cell agree`() {
    let cell = BindableActor(1)
    let token = combineLatest((1...4).map { factor in cell.map { $0 * factor } })
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record(Array($0)) }
    context.run()
    cell.send(2)
    context.run()
    #expect(seen.elements == [[1, 2, 3, 4], [2, 4, 6, 8]])
    token.cancel()
  }

  @Test(arguments: [Backlog.latest, .bounded(10), .unbounded])
  func `combinations can be combined as a list, and a list can be combined`(backlog: Backlog) {
    let pairs = zip(cells, cells.dropFirst()).map { combineLatest($0, $1).map { 10 * $0 + $1 } }
    let other = BindableActor(0)
    let lists = combineLatest([combineLatest(pairs), combineLatest(pairs.reversed())])
    let token = combineLatest(lists, other)
      .observe(on: context.delivery, backlog: backlog) { [seen] lists, other in
        seen.record(lists.flatMap(\.self) + [other])
      }
    context.run()
    cells[2].send(9)
    context.run()
    other.send(1)
    context.run()
    let (before, after) = ([12, 23, 34, 45], [12, 29, 94, 45])
    #expect(
      seen.elements == [
        before + before.reversed() + [0], after + after.reversed() + [0], after + after.reversed() + [1],
      ]
    )
    token.cancel()
    #expect(cells.allSatisfy { $0.observerCount == 0 && $0.cell.locked { $0.followers.isEmpty } })
  }

  @Test
  func `nothing is kept of replaced values, nor of any value without readers`() async {
    let census = Census()
    let cells = (0..<3).map { BindableActor(census.citizen($0)) }
    let source = combineLatest(cells)
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    for number in 0..<10 { cells[number % 3].send(census.citizen()) }
    context.run()
    #expect(census.alive <= 7)
    token.cancel()
    context.run()
    #expect(census.alive == 3)
  }

  @Test
  func `versions count the writes of all cells, and skipped writes are counted`() {
    let updates = Recorder<[Int]>()
    let token = combineLatest(cells).versioned().observe(on: context.delivery) { update in
      updates.record([Int(update.version), update.skipped])
    }
    context.run()
    for number in 0..<4 { cells[0].send(number) }
    cells[1].send(0)
    context.run()
    cells[2].send(0)
    context.run()
    #expect(updates.elements == [[0, 0], [5, 3], [6, 0]])
    token.cancel()
  }

  @Test
  func `a handler on the isolation of the first cell receives the values`() async {
    let token = combineLatest(cells).observe(on: .cell) { [seen] in seen.record(Array($0)) }
    await seen.reached(1)
    cells[3].send(40)
    await seen.reached(2)
    #expect(seen.last == [1, 2, 3, 40, 5])
    token.cancel()
  }

  @Test
  func `settled of a source waits for the readers of the list`() async {
    let queue = Station()
    let token = combineLatest(cells).observe(on: .queue(queue.queue)) { [seen] in seen.record(Array($0)) }
    cells[2].send(30)
    await cells[2].settled()
    #expect(seen.last == [1, 2, 30, 4, 5])
    token.cancel()
  }
}
