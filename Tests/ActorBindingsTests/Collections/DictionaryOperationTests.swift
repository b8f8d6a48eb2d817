import ActorBindings
import Testing

@Suite
struct DictionaryOperationTests {
  @Test(arguments: 0..<40)
  func `operators of a dictionary follow each change`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    let cell = BindableDictionary<Int, Int>()
    let context = ManualContext()
    let doubled = DictionaryReader(cell.mapElements { $0 * 2 }, context, .unbounded)
    let even = DictionaryReader(cell.filterElements { $0 % 2 == 0 }, context, .latest)
    let sorted = Guarded<[(key: Int, value: Int)]>([])
    let keys = Guarded<[Int]>([])
    let tokens = [
      cell.sorted { $0.value < $1.value }.changes.observe(on: context.delivery) { change in
        sorted.withLock { $0.apply(change) }
      },
      cell.keysSource.changes.observe(on: context.delivery, backlog: .bounded(2)) { change in
        keys.withLock { $0.apply(change) }
      },
    ]
    for _ in 0..<100 {
      for _ in 0..<Int.random(in: 1..<5, using: &numbers) {
        let key = Int.random(in: 0..<40, using: &numbers)
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0: cell.removeAll()
        case 1..<7: cell.removeValue(forKey: key)
        default: cell.set(Int.random(in: 0..<100, using: &numbers), forKey: key)
        }
      }
      context.run()
      let whole = Dictionary(cell.value)
      #expect(doubled.rows == whole.mapValues { $0 * 2 })
      #expect(even.rows == whole.filter { $0.value % 2 == 0 })
      #expect(sorted.withLock { $0.map(\.value) } == whole.values.sorted())
      #expect(sorted.withLock { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) } == whole)
      #expect(keys.withLock { $0.sorted() } == whole.keys.sorted())
      #expect(cell.countSource.value == whole.count)
    }
    for token in tokens { token.cancel() }
  }

  @Test
  func `keys and count do not change with values`() {
    let cell = BindableDictionary(["a": 1])
    let context = ManualContext()
    let keys = Recorder<[String]>()
    let counts = Recorder<Int>()
    let tokens = [
      cell.keysSource.observe(on: context.delivery) { keys.record($0.sorted()) },
      cell.countSource.observe(on: context.delivery) { counts.record($0) },
    ]
    context.run()
    cell.set(2, forKey: "a")
    context.run()
    cell.set(3, forKey: "b")
    context.run()
    cell.modify { cell in
      cell["b"] = nil
      cell["c"] = 4
    }
    context.run()
    #expect(keys.elements == [["a"], ["a", "b"], ["a", "c"]])
    #expect(counts.elements == [1, 2])
    for token in tokens { token.cancel() }
  }
}

/// A reader that rebuilds a dictionary from its changes.
private final class DictionaryReader: Sendable {
  private let current = Guarded<[Int: Int]>([:])
  private let token: BindingToken

  init(
    _ source: some BindingSource<PersistentDictionary<Int, Int>>,
    _ context: ManualContext,
    _ backlog: Backlog
  ) {
    token = source.changes.observe(on: context.delivery, backlog: backlog) { [current] change in
      current.withLock { $0.apply(change) }
    }
  }

  var rows: [Int: Int] { current.withLock { $0 } }
}
