import ActorBindings
import Testing

/// Tests `sorted(by:)` and `filterElements(by:)` with sources of orders and predicates.
@Suite
struct NewestOrderTests {
  private typealias Entry = (key: Int, value: Int)

  @Test(arguments: 0..<40)
  func `the elements are in the newest order after each change`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    var script = RandomEdits(length: [0, 5, 40, 300][Int(seed % 4)])
    let context = ManualContext()
    let (cell, isDescending) = (BindableActor(script.list), BindableActor(false))
    let orders = isDescending.map { descending in
      { @Sendable (one: Int, other: Int) in descending ? one > other : one < other }
    }
    let sorted = cell.sorted(by: orders)
    let mirrors = [Backlog.latest, .bounded(2), .unbounded].map { ArrayMirror(sorted, context, $0) }
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 0..<4, using: &numbers) {
        script.step(&numbers)
        cell.send(script.list)
      }
      if Int.random(in: 0..<4, using: &numbers) == 0 { isDescending.modify { $0.toggle() } }
      context.run()
      let expected = script.model.sorted(by: isDescending.value ? (>) : (<))
      for mirror in mirrors { #expect(mirror.rows == expected) }
      #expect(Array(sorted.value) == expected)
    }
  }

  @Test(arguments: 0..<40)
  func `the entries satisfy the newest predicate, in the newest order, after each change`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    let context = ManualContext()
    let (cell, limit) = (BindableDictionary<Int, Int>(), BindableActor(50))
    let included = cell.filterElements(
      by: limit.map { limit in { @Sendable (element: Int) in element < limit } }
    )
    // The distance from the limit, and then the key, decides the order.
    let sorted = cell.sorted(
      by: limit.map { limit in
        { @Sendable (one: Entry, other: Entry) in
          (abs(one.value - limit), one.key) < (abs(other.value - limit), other.key)
        }
      }
    )
    let filtered = [Backlog.latest, .unbounded].map { DictionaryMirror(included, context, $0) }
    let rows = ArrayMirror(sorted, context)
    for _ in 0..<60 {
      cell.scramble(&numbers)
      if Int.random(in: 0..<4, using: &numbers) == 0 { limit.send(Int.random(in: 0..<100, using: &numbers)) }
      context.run()
      let (whole, limit) = (Dictionary(cell.value), limit.value)
      for mirror in filtered { #expect(mirror.rows == whole.filter { $0.value < limit }) }
      let expected = whole.map { $0 }.sorted {
        (abs($0.value - limit), $0.key) < (abs($1.value - limit), $1.key)
      }
      #expect(rows.rows.elementsEqual(expected) { $0 == $1 })
    }
  }

  @Test
  func `a predicate is called once for each entry of one instant`() {
    let (cell, generation) = (BindableDictionary(["a": 0]), BindableActor(0))
    let asked = Recorder<[Int]>()
    let included = cell.filterElements(
      by: generation.map { generation in
        { @Sendable (element: Int) in
          asked.record([generation, element])
          return element == generation
        }
      }
    )
    let context = ManualContext()
    let mirror = DictionaryMirror(included, context, .unbounded)
    context.run()
    BindingTransaction.run { transaction in
      transaction[cell]["a"] = 1
      transaction[generation] = 1
    }
    context.run()
    #expect(asked.elements == [[0, 0], [1, 1]])
    #expect(mirror.rows == ["a": 1])
    #expect(mirror.lastEdits == [.update(key: "a", value: 1, old: 0)])
    cell.set(2, forKey: "b")
    context.run()
    #expect(asked.elements.last == [1, 2])
    #expect(mirror.changeCount == 2)
  }

  @Test
  func `a new predicate makes a change only of the entries that come and go`() {
    let (cell, limit) = (BindableDictionary<Int, Int>(), BindableActor(10))
    cell.send(Dictionary(uniqueKeysWithValues: (0..<20).map { ($0, $0) }))
    let context = ManualContext()
    let mirror = DictionaryMirror(
      cell.filterElements(by: limit.map { limit in { @Sendable (element: Int) in element < limit } }),
      context
    )
    context.run()
    limit.send(11)
    context.run()
    #expect(mirror.lastEdits == [.insert(key: 10, value: 10)])
    limit.send(11)
    context.run()
    #expect(mirror.changeCount == 2)
  }

  @Test
  func `an order that comes with no elements removes those of before`() {
    let (cell, order) = (BindableArray([2, 1]), BindableActor<@Sendable (Int, Int) -> Bool> { $0 < $1 })
    let context = ManualContext()
    let mirror = ArrayMirror(cell.sorted(by: order), context)
    context.run()
    #expect(mirror.rows == [1, 2])
    BindingTransaction.run { transaction in
      transaction[cell] = []
      transaction[order] = { $0 > $1 }
    }
    context.run()
    #expect(mirror.rows == [])
    #expect(mirror.changeCount == 2)
  }
}

extension BindableDictionary<Int, Int> {
  /// Writes a few random keys.
  nonisolated func scramble(_ numbers: inout Numbers) {
    for _ in 0..<Int.random(in: 0..<5, using: &numbers) {
      let key = Int.random(in: 0..<40, using: &numbers)
      switch Int.random(in: 0..<20, using: &numbers) {
      case 0: removeAll()
      case 1..<7: removeValue(forKey: key)
      default: set(Int.random(in: 0..<100, using: &numbers), forKey: key)
      }
    }
  }
}
