import ActorBindings
import Foundation
import Testing

/// Takes random steps on a cell, its iterators and its observers, and the same steps on a simple model: both must agree
/// after every step.
@Suite
struct ModelTests {
  private static let seeds = Int(ProcessInfo.processInfo.environment["ACTORBINDINGS_SEEDS"] ?? "1000") ?? 1000

  @Test
  func `a cell does what its model does, step by step`() async {
    await concurrently(2) { half in
      for seed in stride(from: half, to: Self.seeds, by: 2) {
        let run = ModelRun(seed: UInt64(seed))
        for step in 0..<1000 {
          guard await run.step() else {
            Issue.record("seed \(seed), step \(step): \(run.disagreement ?? "")")
            return
          }
        }
      }
    }
  }
}

/// A simple model of a cell: all values that it ever had.
struct CellModel {
  var values = [0]
  var isFinished = false

  var version: Int { values.count - 1 }

  mutating func write(_ value: Int) {
    if !isFinished { values.append(value) }
  }
}

/// A simple model of a reader: what it has seen, and how much may wait.
struct ReaderModel {
  let start: Int
  let depth: Int
  var seen: Int

  init(at version: Int, depth: Int) {
    start = version
    self.depth = depth
    seen = version - 1
  }

  /// Returns the reader's next update, or nil if it has seen everything.
  mutating func next(of cell: CellModel) -> Update<Int>? {
    guard seen < cell.version else { return nil }
    let version = max(seen + 1, depth == .max ? 0 : cell.version - depth + 1)
    defer { seen = version }
    return Update(
      value: cell.values[version],
      version: UInt64(version),
      skipped: version - seen - 1,
      isInitial: version == start
    )
  }
}

private final class ModelRun {
  private struct Loop {
    var iterator: any AsyncIteratorProtocol<Update<Int>, Never>
    var model: ReaderModel
  }

  private struct Observer {
    let token: BindingToken
    let seen: Recorder<Update<Int>>
    let context: ManualContext
    var model: ReaderModel
    var expected: [Update<Int>] = []
  }

  private let cell = BindableActor(0)
  private var model = CellModel()
  private var loops: [Loop] = []
  private var observers: [Observer] = []
  private var generator: Numbers
  private(set) var disagreement: String?

  init(seed: UInt64) {
    generator = Numbers(seed: seed)
  }

  private func random(_ count: Int) -> Int {
    Int.random(in: 0..<count, using: &generator)
  }

  /// Takes one random step. Returns false if the cell and the model disagree after the step.
  func step() async -> Bool {
    switch random(100) {
    case 0..<30:
      let value = random(10)
      cell.send(value)
      model.write(value)
    case 30..<40:
      let summand = random(10)
      let last = model.values[model.version]
      expect(
        cell.modify {
          $0 += summand; return $0
        } == last + summand,
        "modify returned something else"
      )
      model.write(last + summand)
    case 40..<44:
      begin()
    case 44..<48:
      observe()
    case 48..<75:
      if !loops.isEmpty { await advance() }
    case 75..<90:
      if !observers.isEmpty { run() }
    case 90..<94:
      if !loops.isEmpty { drop() }
    case 94..<98:
      if !observers.isEmpty { end() }
    case 98 where random(20) == 0:
      cell.finish()
      model.isFinished = true
    default: break
    }
    expect(cell.value == model.values[model.version], "value \(cell.value)")
    expect(cell.version == UInt64(model.version), "version \(cell.version)")
    expect(cell.isFinished == model.isFinished, "isFinished \(cell.isFinished)")
    expect(cell.observerCount == loops.count + observers.count, "observerCount \(cell.observerCount)")
    return disagreement == nil
  }

  private func expect(_ agrees: Bool, _ message: @autoclosure () -> String) {
    if !agrees, disagreement == nil { disagreement = message() }
  }

  private func backlog() -> (Backlog, depth: Int) {
    switch random(4) {
    case 0: return (.latest, 1)
    case 1: return (.unbounded, .max)
    default:
      let depth = 1 + random(5)
      return (.bounded(depth), depth)
    }
  }

  private func begin() {
    let backlog = backlog()
    guard loops.count < 6 else { return }
    let iterator = cell.updates(backlog: backlog.0).makeAsyncIterator()
    loops.append(Loop(iterator: iterator, model: ReaderModel(at: model.version, depth: backlog.depth)))
  }

  private func observe() {
    let backlog = backlog()
    guard observers.count < 6 else { return }
    let context = ManualContext()
    let seen = Recorder<Update<Int>>()
    let token = cell.versioned().observe(on: context.delivery, backlog: backlog.0) { seen.record($0) }
    let reader = ReaderModel(at: model.version, depth: backlog.depth)
    observers.append(Observer(token: token, seen: seen, context: context, model: reader))
  }

  private func drop() {
    loops.remove(at: random(loops.count))
  }

  private func advance() async {
    let index = random(loops.count)
    let expected = loops[index].model.next(of: model)
    // Leaves out a call of `next` that would wait.
    if expected == nil, !model.isFinished { return }
    let update = await loops[index].iterator.next(isolation: nil)
    expect(
      update == expected,
      "a loop got \(String(describing: update)), not \(String(describing: expected))"
    )
    if update == nil { loops.remove(at: index) }
  }

  private func run() {
    let index = random(observers.count)
    observers[index].context.run()
    while let update = observers[index].model.next(of: model) { observers[index].expected.append(update) }
    let (seen, expected) = (observers[index].seen.elements, observers[index].expected)
    expect(seen == expected, "an observer got \(seen), not \(expected)")
    expect(!observers[index].token.isCancelled, "an observer was cancelled")
    if model.isFinished { observers.remove(at: index) }
  }

  private func end() {
    let observer = observers.remove(at: random(observers.count))
    observer.token.cancel()
    observer.context.run()
    expect(observer.seen.elements == observer.expected, "a cancelled observer was called")
    expect(observer.token.isCancelled, "a cancelled observer does not say so")
  }
}
