import ActorBindings
import Testing

/// Tests what changes promise to readers that begin late and lag, with every backlog. A reader that applies a change
/// has the collection that the change names. A reader that has caught up has what the operator computes from the whole
/// collection.
@Suite
struct LateJoinerTests {
  @Test(arguments: 0..<16)
  func `G3 G5 G6 operators of an array`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    var script = RandomEdits(length: [0, 5, 40, 100][Int(seed % 4)])
    let cell = BindableActor(script.list)
    let limit = BindableActor(500)
    var readers: [any LateReader<Models>] = []
    for _ in 0..<100 {
      script.step(&numbers)
      cell.send(script.list)
      if numbers.happens(1, in: 8) { limit.send(Int.random(in: 0..<1000, using: &numbers)) }
      if numbers.happens(1, in: 4) { readers.append(joiner(cell, limit, &numbers)) }
      if readers.count > 8 { readers.removeFirst() }
      let models = Models(list: script.model, limit: limit.value)
      for reader in readers where numbers.happens(1, in: 6) { reader.catchUp(models) }
    }
    let models = Models(list: script.model, limit: limit.value)
    for reader in readers { reader.catchUp(models) }
  }

  private struct Models {
    let list: [Int]
    let limit: Int
  }

  private func joiner(
    _ cell: BindableActor<PersistentArray<Int>>,
    _ limit: BindableActor<Int>,
    _ numbers: inout Numbers
  ) -> any LateReader<Models> {
    func reader(
      _ source: some BindingSource<PersistentArray<Int>>,
      _ expected: @escaping (Models) -> [Int]
    ) -> any LateReader<Models> {
      ArrayReader(source, .random(&numbers), expected)
    }
    let predicates = limit.map { limit in { @Sendable (element: Int) in element < limit } }
    switch Int.random(in: 0..<7, using: &numbers) {
    case 0: return reader(cell) { $0.list }
    case 1: return reader(cell.mapElements { $0 * 2 }) { $0.list.map { $0 * 2 } }
    case 2: return reader(cell.filterElements { $0 % 3 == 0 }) { $0.list.filter { $0 % 3 == 0 } }
    case 3: return reader(cell.filterElements(by: predicates)) { now in now.list.filter { $0 < now.limit } }
    case 4: return reader(cell.sorted()) { $0.list.sorted() }
    case 5:
      return reader(cell.filterElements(by: predicates).sorted(by: >).mapElements { -$0 }) { now in
        now.list.filter { $0 < now.limit }.map { -$0 }.sorted()
      }
    default:
      return reader(combineLatest(cell.filterElements { $0 % 2 == 0 }, limit).map { $0.0 }) { now in
        now.list.filter { $0 % 2 == 0 }
      }
    }
  }

  @Test(arguments: 0..<16)
  func `G3 G5 G6 operators of a dictionary`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    let cell = BindableDictionary<Clumsy, Int>()
    let clumsiness = Clumsiness.allCases[Int(seed) % Clumsiness.allCases.count]
    var readers: [any LateReader<[Clumsy: Int]>] = []
    for _ in 0..<100 {
      let key = clumsiness.key(Int.random(in: 0..<40, using: &numbers))
      switch Int.random(in: 0..<40, using: &numbers) {
      case 0: cell.removeAll()
      case 1..<14: cell.removeValue(forKey: key)
      default: cell.set(Int.random(in: 0..<100, using: &numbers), forKey: key)
      }
      if numbers.happens(1, in: 4) { readers.append(joiner(cell, &numbers)) }
      if readers.count > 8 { readers.removeFirst() }
      let whole = Dictionary(cell.value)
      for reader in readers where numbers.happens(1, in: 6) { reader.catchUp(whole) }
    }
    let whole = Dictionary(cell.value)
    for reader in readers { reader.catchUp(whole) }
  }

  private func joiner(
    _ cell: BindableDictionary<Clumsy, Int>,
    _ numbers: inout Numbers
  ) -> any LateReader<[Clumsy: Int]> {
    func reader(
      _ source: some BindingSource<PersistentDictionary<Clumsy, Int>>,
      _ expected: @escaping ([Clumsy: Int]) -> [Clumsy: Int]
    ) -> any LateReader<[Clumsy: Int]> {
      DictionaryReader(source, .random(&numbers), expected)
    }
    switch Int.random(in: 0..<5, using: &numbers) {
    case 0: return reader(cell) { $0 }
    case 1: return reader(cell.mapElements { -$0 }) { $0.mapValues { -$0 } }
    case 2: return reader(cell.filterElements { $0 % 2 == 0 }) { $0.filter { $0.value % 2 == 0 } }
    case 3:
      let sorted = cell.sorted { ($0.value, $0.key.number) < ($1.value, $1.key.number) }
      return ArrayReader(sorted.mapElements(\.key.number), .random(&numbers)) { whole in
        whole.sorted { ($0.value, $0.key.number) < ($1.value, $1.key.number) }.map(\.key.number)
      }
    default:
      let keys = cell.keysSource.sorted { $0.number < $1.number }.mapElements(\.number)
      return ArrayReader(keys, .random(&numbers)) { $0.keys.map(\.number).sorted() }
    }
  }
}

extension Backlog {
  fileprivate static func random(_ numbers: inout Numbers) -> Backlog {
    [.latest, .bounded(2), .bounded(20), .unbounded][Int.random(in: 0..<4, using: &numbers)]
  }
}

extension Numbers {
  fileprivate mutating func happens(_ times: Int, in turns: Int) -> Bool {
    Int.random(in: 0..<turns, using: &self) < times
  }
}

/// A reader that rebuilds a collection from its changes, when a test says so.
private protocol LateReader<Models>: AnyObject {
  associatedtype Models
  /// Expects the rebuilt collection to equal what the operator computes from `elements`.
  func catchUp(_ models: Models)
}

private final class ArrayReader<Models>: LateReader {
  private let context = ManualContext()
  private let rows = Guarded<[Int]>([])
  private let token: BindingToken
  private let expected: (Models) -> [Int]

  init(
    _ source: some BindingSource<PersistentArray<Int>>,
    _ backlog: Backlog,
    _ expected: @escaping (Models) -> [Int]
  ) {
    self.expected = expected
    token = source.changes.observe(on: context.delivery, backlog: backlog) { [rows] change in
      rows.withLock { $0.apply(change) }
      #expect(rows.withLock { $0 } == Array(change.value))
    }
  }

  func catchUp(_ models: Models) {
    context.run()
    #expect(rows.withLock { $0 } == expected(models))
  }
}

private final class DictionaryReader: LateReader {
  private let context = ManualContext()
  private let rows = Guarded<[Clumsy: Int]>([:])
  private let token: BindingToken
  private let expected: ([Clumsy: Int]) -> [Clumsy: Int]

  init(
    _ source: some BindingSource<PersistentDictionary<Clumsy, Int>>,
    _ backlog: Backlog,
    _ expected: @escaping ([Clumsy: Int]) -> [Clumsy: Int]
  ) {
    self.expected = expected
    token = source.changes.observe(on: context.delivery, backlog: backlog) { [rows] change in
      rows.withLock { $0.apply(change) }
      #expect(rows.withLock { $0 } == Dictionary(change.value))
    }
  }

  func catchUp(_ models: [Clumsy: Int]) {
    context.run()
    #expect(rows.withLock { $0 } == expected(models))
  }
}
