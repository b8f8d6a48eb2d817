import ActorBindings
import Foundation
import Testing

/// Runs random programs of writes, transactions, and readers of one list that come, read and leave. Compares what each
/// reader receives with what the cells held after each write.
@Suite
struct ListModelTests {
  private static let seeds =
    ProcessInfo.processInfo.environment["ACTORBINDINGS_SEEDS"].flatMap { Int($0) } ?? 300

  @Test
  func `each reader of a list receives what the cells held, within its backlog`() {
    for seed in 0..<Self.seeds {
      if let problem = ListModel(seed: UInt64(seed)).problem() {
        Issue.record("seed \(seed): \(problem)")
        return
      }
    }
  }
}

private final class ListModel {
  private final class Reader {
    let backlog: Backlog
    let context = ManualContext()
    let seen = Recorder<[Int]>()
    var token: BindingToken?
    var expected: [[Int]] = []
    /// The number of states that this reader has seen or skipped.
    var position: Int

    init(_ backlog: Backlog, at position: Int) {
      self.backlog = backlog
      self.position = position
    }
  }

  private var random: Generator
  private let cells: [BindableActor<Int>]
  private let source: any BindingSource<[Int]>
  private var states: [[Int]] = [[]]
  private var readers: [Reader] = []

  init(seed: UInt64) {
    random = Generator(state: seed &* 2 &+ 1)
    let cells = (0..<Int.random(in: 1...6, using: &random)).map { BindableActor($0) }
    self.cells = cells
    // Some elements of the list show two cells, or a cell that another element shows too.
    source =
      seed % 3 == 0
      ? combineLatest((0..<cells.count).map { combineLatest(cells[$0], cells[0]).map { pair in pair.0 } })
        .map { Array($0) }
      : combineLatest(cells).map { Array($0) }
    states = [cells.map(\.value)]
  }

  func problem() -> String? {
    for _ in 0..<60 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: write([cells.randomElement(using: &random)])
      case 4: write(cells.filter { _ in Bool.random(using: &random) })
      case 5: begin()
      case 6: leave()
      default: read(readers.randomElement(using: &random))
      }
      if let problem = mismatch() { return problem }
    }
    readers.forEach { read($0) }
    if let problem = mismatch() { return problem }
    while !readers.isEmpty { leave() }
    let left = cells.filter { cell in
      cell.observerCount > 0
        || cell.cell.locked { $1.writeObservers != nil || $0.keepsHistory || !$1.followers.isEmpty }
    }
    return left.isEmpty ? nil : "\(left.count) cells know readers that have left"
  }

  private func write(_ written: [BindableActor<Int>?]) {
    let written = written.compactMap(\.self)
    if written.isEmpty { return }
    let value = states.count * 100
    if written.count == 1, Bool.random(using: &random) {
      written[0].send(value)
    } else {
      BindingTransaction.run { transaction in
        for cell in written { transaction[cell] = value }
      }
    }
    states.append(cells.map(\.value))
  }

  private func begin() {
    let backlogs = [Backlog.latest, .bounded(1), .bounded(3), .unbounded]
    let reader = Reader(backlogs.randomElement(using: &random) ?? .latest, at: states.count - 1)
    reader.token = observe(source, reader)
    readers.append(reader)
  }

  private func observe(_ source: some BindingSource<[Int]>, _ reader: Reader) -> BindingToken {
    let seen = reader.seen
    return source.observe(on: reader.context.delivery, backlog: reader.backlog) { seen.record($0) }
  }

  private func read(_ reader: Reader?) {
    guard let reader else { return }
    reader.context.run()
    let unseen = states[reader.position...]
    reader.expected += unseen.suffix(Int(clamping: reader.backlog.depth))
    reader.position = states.count
  }

  private func leave() {
    guard !readers.isEmpty else { return }
    let reader = readers.remove(at: Int.random(in: 0..<readers.count, using: &random))
    reader.token?.cancel()
    reader.context.run()
  }

  private func mismatch() -> String? {
    for reader in readers where reader.seen.elements != reader.expected {
      return "\(reader.backlog) of \(states): received \(reader.seen.elements), and not \(reader.expected)"
    }
    return nil
  }

  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }
}
