import ActorBindings
import Testing

/// Runs random programs over three cells, and on a model that keeps every joint state. Readers of combinations, with
/// each backlog, must receive what the model predicts.
@Suite
struct CombiningModelTests {
  @Test(arguments: 0..<200)
  func `readers of combinations receive what the model predicts`(seed: UInt64) {
    var program = Program(seed: seed)
    for _ in 0..<400 { program.step() }
    program.end()
  }
}

private struct Refusal: Error {}

private struct Program {
  /// The values of the three cells that a reader sees.
  private typealias Read = @Sendable ([Int]) -> [Int]

  private final class Reader {
    let backlog: Backlog
    let read: Read
    let context = ManualContext()
    let seen = Recorder<[Int]>()
    var token: BindingToken?
    // The elements that, according to the model, are still to come.
    var waiting: [[Int]]
    var expected: [[Int]] = []

    init(_ source: some BindingSource<[Int]>, _ backlog: Backlog, _ read: @escaping Read, now: [Int]) {
      self.backlog = backlog
      self.read = read
      waiting = [read(now)]
      token = source.observe(on: context.delivery, backlog: backlog) { [seen] in seen.record($0) }
    }

    func changed(to state: [Int]) {
      waiting.append(read(state))
      waiting.removeFirst(max(0, waiting.count - Int(clamping: backlog.depth)))
    }

    func pump() {
      expected += waiting
      waiting = []
      context.run()
      #expect(seen.elements == expected)
    }
  }

  private let cells = (0..<3).map { _ in BindableActor(0) }
  private let sources: [(source: any BindingSource<[Int]>, cells: Set<Int>, read: Read)]
  private var state = [0, 0, 0]
  private var readers: [(reader: Reader, cells: Set<Int>)] = []
  private var numbers: Numbers
  private var number = 0

  init(seed: UInt64) {
    numbers = Numbers(seed: seed)
    let (a, b, c) = (cells[0], cells[1], cells[2])
    sources = [
      (combineLatest(a, b).map { [$0, $1] }, [0, 1], { [$0[0], $0[1]] }),
      (combineLatest(c, a).map { [$0, $1] }, [0, 2], { [$0[2], $0[0]] }),
      (combineLatest(a, b, c).map { [$0, $1, $2] }, [0, 1, 2], { $0 }),
      (combineLatest(b.map { -$0 }, b).map { [$0, $1] }, [1], { [-$0[1], $0[1]] }),
      (
        combineLatest(combineLatest(a, b).map { $0 + $1 }, combineLatest(b, c).map { $0 - $1 }).map {
          [$0, $1]
        },
        [0, 1, 2], { [$0[0] + $0[1], $0[1] - $0[2]] }
      ),
      (a.map { [$0] }, [0], { [$0[0]] }),
    ]
  }

  mutating func step() {
    switch Int.random(in: 0..<10, using: &numbers) {
    case 0: join()
    case 1: leave()
    case 2...4: pump()
    case 5, 6: send()
    default: transact()
    }
  }

  private mutating func join() {
    let (source, cells, read) = sources[Int.random(in: 0..<sources.count, using: &numbers)]
    let backlog = [Backlog.latest, .bounded(1), .bounded(3), .unbounded][
      Int.random(in: 0..<4, using: &numbers)
    ]
    readers.append((Reader(source, backlog, read, now: state), cells))
  }

  private mutating func leave() {
    guard !readers.isEmpty else { return }
    let (reader, _) = readers.remove(at: Int.random(in: 0..<readers.count, using: &numbers))
    reader.token?.cancel()
  }

  private mutating func pump() {
    guard !readers.isEmpty else { return }
    readers.randomElement(using: &numbers)?.reader.pump()
  }

  private mutating func send() {
    let index = Int.random(in: 0..<cells.count, using: &numbers)
    number += 1
    state[index] = number
    cells[index].send(number)
    changed([index])
  }

  private mutating func transact() {
    let written = Set(
      (0...Int.random(in: 0..<3, using: &numbers)).map { _ in Int.random(in: 0..<cells.count, using: &numbers)
      }
    )
    let isRefused = Int.random(in: 0..<4, using: &numbers) == 0
    let before = state
    number += 1
    try? BindingTransaction.run { [cells, number] (transaction: inout BindingTransaction) throws(Refusal) in
      for (index, cell) in cells.enumerated() {
        #expect(transaction[cell] == before[index])
        if written.contains(index) { transaction[cell] += number }
      }
      if isRefused { throw Refusal() }
    }
    if isRefused { return }
    for index in written { state[index] += number }
    changed(written)
  }

  private func changed(_ written: Set<Int>) {
    for (reader, cells) in readers where !cells.isDisjoint(with: written) { reader.changed(to: state) }
    #expect(cells.map(\.value) == state)
    for cell in cells { cell.cell.locked { $0.checkInvariants($1) } }
  }

  mutating func end() {
    for (reader, _) in readers { reader.pump() }
    #expect(sources.allSatisfy { isCurrent($0.source, $0.read) })
    for (reader, _) in readers { reader.token?.cancel() }
    for cell in cells {
      #expect(cell.observerCount == 0)
      cell.cell.locked { state, roster in
        #expect(!state.keepsHistory && roster.followers.isEmpty && roster.idle.members.isEmpty)
      }
    }
  }

  private func isCurrent(_ source: any BindingSource<[Int]>, _ read: Read) -> Bool {
    guard let state = source as? any StateSource<[Int]> else { return false }
    return state.value == read(self.state)
  }
}
