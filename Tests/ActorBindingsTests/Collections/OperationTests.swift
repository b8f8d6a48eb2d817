import ActorBindings
import Testing

/// Tests that after each step the result of an operator equals what it computes from the whole collection.
@Suite
struct OperationTests {
  @Test(arguments: 0..<60)
  func `operators of an array follow each change`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    var script = RandomEdits(length: [0, 5, 40, 300][Int(seed % 4)])
    let context = ManualContext()
    let cell = BindableActor(script.list)
    let threshold = BindableActor(500)
    let predicates = threshold.map { threshold in { @Sendable (element: Int) in element < threshold } }
    let exact = [
      ListReader(cell.mapElements { $0 * 2 }, context) { list, _ in list.map { $0 * 2 } },
      ListReader(cell.filterElements { $0 % 3 == 0 }, context) { list, _ in list.filter { $0 % 3 == 0 } },
      ListReader(cell.filterElements(by: predicates), context) { list, limit in list.filter { $0 < limit } },
      ListReader(cell.sorted(), context) { list, _ in list.sorted() },
      ListReader(
        cell.filterElements { $0 % 2 == 0 }.mapElements { $0 / 2 }.sorted { $0 > $1 },
        context,
        .unbounded
      ) {
        list,
        _ in list.filter { $0 % 2 == 0 }.map { $0 / 2 }.sorted(by: >)
      },
    ]
    // The order of numbers with the same tens digit is not checked.
    let byTens = ListReader(
      cell.sorted { $0 / 10 < $1 / 10 }.filterElements(by: predicates),
      context,
      .bounded(2)
    ) {
      list,
      limit in list.filter { $0 < limit }.sorted()
    }
    for _ in 0..<100 {
      for _ in 0..<Int.random(in: 1..<4, using: &numbers) {
        script.step(&numbers)
        cell.send(script.list)
      }
      if Int.random(in: 0..<5, using: &numbers) == 0 {
        threshold.send(Int.random(in: 0..<1000, using: &numbers))
      }
      context.run()
      for reader in exact { #expect(reader.rows == reader.expected(script.model, threshold.value)) }
      #expect(byTens.rows.sorted() == byTens.expected(script.model, threshold.value))
      #expect(byTens.rows.map { $0 / 10 } == byTens.rows.map { $0 / 10 }.sorted())
    }
  }

  @Test
  func `each element is transformed once`() {
    let cell = BindableArray(Array(0..<1000))
    let context = ManualContext()
    let transformed = Counter()
    let token = cell.mapElements { element in
      transformed.add(1)
      return element
    }.changes.observe(on: context.delivery) { _ in }
    context.run()
    #expect(transformed.value == 1000)
    cell.append(1)
    cell.move(from: 3, to: 900)
    cell.remove(at: 5)
    cell.update(7, at: 500)
    context.run()
    #expect(transformed.value == 1002)
    token.cancel()
  }

  @Test
  func `an update that concerns no included element is left out`() {
    let cell = BindableArray([1, 2, 3])
    let context = ManualContext()
    let seen = Recorder<ArrayChange<Int>>()
    let token = cell.filterElements { $0 > 1 }.changes.observe(on: context.delivery) { seen.record($0) }
    context.run()
    cell.update(0, at: 0)
    context.run()
    #expect(seen.count == 1)
    cell.update(5, at: 0)
    context.run()
    #expect(seen.elements.last.map { Array($0.value) } == [5, 2, 3])
    #expect(seen.elements.last?.skipped == 0)
    token.cancel()
  }

  @Test
  func `a predicate is called once for each element of one instant`() {
    let (cell, generation) = (BindableArray([0, 0]), BindableActor(0))
    let asked = Recorder<[Int]>()
    let predicates = generation.map { generation in
      { @Sendable (element: Int) in
        asked.record([generation, element])
        return element == generation
      }
    }
    let context = ManualContext()
    let seen = Recorder<PersistentArray<Int>>()
    let token = cell.filterElements(by: predicates).observe(on: context.delivery) { seen.record($0) }
    context.run()
    BindingTransaction.run { transaction in
      transaction[cell].append(1)
      transaction[cell][0] = 1
      transaction[generation] = 1
    }
    context.run()
    cell.append(1)
    context.run()
    #expect(asked.elements == [[0, 0], [0, 0], [1, 1], [1, 0], [1, 1], [1, 1]])
    #expect(seen.elements == [[0, 0], [1, 1], [1, 1, 1]])
    token.cancel()
  }

  @Test
  func `elements that compare as equal stay in the order in which the reader received them`() {
    let cell = BindableArray(["a1"])
    let sorted = cell.sorted { $0.prefix(1) < $1.prefix(1) }
    let context = ManualContext()
    let seen = Recorder<PersistentArray<String>>()
    let token = sorted.observe(on: context.delivery) { seen.record($0) }
    context.run()
    cell.insert("a2", at: 0)
    cell.move(from: 1, to: 0)
    cell.append("a0")
    context.run()
    #expect(seen.last == ["a1", "a2", "a0"])
    cell.move(from: 2, to: 0)
    context.run()
    #expect(seen.last == ["a1", "a2", "a0"])
    #expect(sorted.value == ["a0", "a1", "a2"])
    token.cancel()
  }

  @Test
  func `an inconsistent order loses no element`() {
    let cell = BindableArray([3, .nan, 1, .nan, 2])
    let sorted = cell.sorted()
    #expect(sorted.value.count == 5)
    let context = ManualContext()
    let seen = Recorder<PersistentArray<Double>>()
    let token = sorted.observe(on: context.delivery) { seen.record($0) }
    context.run()
    for _ in 0..<5 {
      cell.remove(at: cell.count / 2)
      context.run()
    }
    #expect(seen.last?.isEmpty == true)
    token.cancel()
  }

  @Test
  func `an operator of a state is a state`() {
    let cell = BindableArray([3, 1, 2])
    #expect(Array(cell.sorted().value) == [1, 2, 3])
    #expect(Array(cell.mapElements { -$0 }.filterElements { $0 < -1 }.value) == [-3, -2])
    let isOdd = BindableActor<@Sendable (Int) -> Bool> { $0 % 2 == 1 }
    #expect(Array(cell.filterElements(by: isOdd).value) == [3, 1])
  }
}

/// A reader that rebuilds a collection from its changes.
private final class ListReader: Sendable {
  private let current = Guarded<[Int]>([])
  private let token: BindingToken
  let expected: @Sendable ([Int], Int) -> [Int]

  init(
    _ source: some BindingSource<PersistentArray<Int>>,
    _ context: ManualContext,
    _ backlog: Backlog = .latest,
    expected: @escaping @Sendable ([Int], Int) -> [Int]
  ) {
    self.expected = expected
    token = source.changes.observe(on: context.delivery, backlog: backlog) { [current] change in
      current.withLock { $0.apply(change) }
    }
  }

  var rows: [Int] { current.withLock { $0 } }
}
