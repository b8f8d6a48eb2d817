import ActorBindings
import Testing

/// Runs random programs over three inner sources, and an outer source that selects one of them. Readers of a
/// `switchToLatest`, with each backlog, must receive what a model predicts.
@Suite
struct SwitchModelTests {
  @Test(arguments: 0..<100)
  func `readers of a switch receive what the model predicts`(seed: UInt64) async {
    var program = Program(seed: seed)
    for _ in 0..<300 { await program.step() }
    await program.end()
  }
}

private struct Program {
  private final class Reader {
    private let backlog: Backlog
    private let context = ManualContext()
    private let seen = Recorder<Int>()
    private let token: BindingToken
    // The elements that, according to the model, are still to come.
    private var waiting: [Int]
    private var expected: [Int] = []

    init(_ source: some BindingSource<Int>, _ backlog: Backlog, now: Int) {
      self.backlog = backlog
      waiting = [now]
      token = source.observe(on: context.delivery, backlog: backlog) { [seen] in seen.record($0) }
    }

    func handedOn(_ value: Int) {
      waiting.append(value)
      waiting.removeFirst(max(0, waiting.count - Int(clamping: backlog.depth)))
    }

    func pump() {
      expected += waiting
      waiting = []
      context.run()
      #expect(seen.elements == expected)
    }

    func leave() {
      token.cancel()
    }
  }

  private let inner = (0..<3).map { BindableActor($0) }
  private let outer = BindableActor(0)
  private let switched: any BindingSource<Int>
  // The value of each inner source, and the indices of the inner sources that have finished.
  private var values = [0, 1, 2]
  private var finished: Set<Int> = []
  private var newest = 0
  private var readers: [Reader] = []
  private var numbers: Numbers
  private var number = 2

  init(seed: UInt64) {
    numbers = Numbers(seed: seed)
    let inner = inner
    // Both expressions make another source for each value, so a source that is followed again begins again.
    switched =
      seed.isMultiple(of: 2)
      ? outer.map { inner[$0].readOnly }.switchToLatest()
      : outer.flatMapLatest { index in inner[index].map { $0 } }
  }

  mutating func step() async {
    switch random(20) {
    case 0, 1: await join()
    case 2: await leave()
    case 3..<7: await pump()
    case 7..<10: await follow(random(3))
    case 10 where random(5) == 0: await finish(random(3))
    default: send(to: random(3))
    }
  }

  private mutating func random(_ count: Int) -> Int {
    Int.random(in: 0..<count, using: &numbers)
  }

  // Returns when the written values have been delivered to the readers.
  private func rest() async {
    await outer.settled()
    for cell in inner { await cell.settled() }
    // Only the switch observes the cells, and it observes only the newest inner source.
    #expect(outer.observerCount == (readers.isEmpty ? 0 : 1))
    for (index, cell) in inner.enumerated() where !finished.contains(index) {
      #expect(cell.observerCount == (readers.isEmpty || index != newest ? 0 : 1))
    }
  }

  private mutating func join() async {
    await rest()
    let backlog = [Backlog.latest, .bounded(1), .bounded(3), .unbounded][random(4)]
    readers.append(Reader(switched, backlog, now: values[newest]))
    await rest()
  }

  private mutating func leave() async {
    guard !readers.isEmpty else { return }
    readers.remove(at: random(readers.count)).leave()
    await rest()
  }

  private mutating func pump() async {
    guard !readers.isEmpty else { return }
    await rest()
    readers[random(readers.count)].pump()
  }

  private mutating func send(to index: Int) {
    number += 1
    inner[index].send(number)
    if finished.contains(index) { return }
    values[index] = number
    if index == newest { handedOn(number) }
  }

  // A value written to the old source after the switch is not delivered, even if no reader has reached the switch yet.
  private mutating func follow(_ index: Int) async {
    let old = newest
    outer.send(index)
    newest = index
    if index != old { for _ in 0..<random(3) { send(to: old) } }
    handedOn(values[index])
    await rest()
  }

  private mutating func finish(_ index: Int) async {
    inner[index].finish()
    finished.insert(index)
    await rest()
  }

  private func handedOn(_ value: Int) {
    for reader in readers { reader.handedOn(value) }
  }

  mutating func end() async {
    await join()
    outer.finish()
    send(to: newest)
    inner.forEach { $0.finish() }
    await outer.settled()
    for cell in inner { await cell.settled() }
    for reader in readers { reader.pump() }
    for cell in inner + [outer] {
      #expect(cell.observerCount == 0)
      cell.cell.locked { state, roster in
        state.checkInvariants(roster)
        #expect(!state.keepsHistory && roster.followers.isEmpty && roster.idle.members.isEmpty)
      }
    }
  }
}
