import ActorBindings
import Testing

/// Runs random programs over three inner sources and an outer source. The closures of operators write too, in the turn in
/// which the switch reads, so the sources change between two steps of one turn. Compares what the switch delivers with
/// the order of all writes.
@Suite
struct SwitchTurnModelTests {
  @Test(arguments: 0..<60)
  func `a switch whose turns write delivers each tenure from a value to its end`(seed: UInt64) async {
    let program = SwitchProgram(seed: seed)
    for step in 0..<50 {
      program.act()
      await program.settle()
      if let problem = program.problem() {
        Issue.record("seed \(seed), step \(step): \(problem)")
        return
      }
    }
    await program.end()
  }
}

// One thread acts at a time: the test, or the turn of the switch while the test waits.
private final class SwitchProgram: Sendable {
  private enum Write {
    /// A value that no operator rejects.
    case value(Int, to: Int)
    /// A value that the operator of the inner source rejects.
    case rejected(by: Int)
    case selection(of: Int)
  }

  private struct State {
    var numbers: Numbers
    var writes: [Write] = [.selection(of: 0)]
    var last = 0
    /// The number of acts that closures may still perform before the test acts again.
    var budget = 0

    mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }
  }

  /// What one act writes, in one transaction.
  private struct Act {
    var selected: Int?
    var values: [Int: Int] = [:]
    /// How often it writes what the operator of the outer source rejects, and what those of the inner sources reject.
    var rejections = (ofOuter: 0, of: [Int: Int]())
    var finished: Int?
  }

  private let outer = BindableActor(0)
  private let rooms = (0..<3).map { _ in BindableActor(-1) }
  private let state: Guarded<State>
  private let seen = Recorder<Int>()
  private let context = ManualContext()
  private let bag = DisposeBag()

  init(seed: UInt64) {
    state = Guarded(State(numbers: Numbers(seed: seed)))
    outer.filter { [unowned self] in
      actInTurn()
      return $0 >= 0
    }
    .flatMapLatest { [unowned self] number in
      rooms[number].filter { [unowned self] in
        actInTurn()
        return $0 >= 0
      }
    }
    .observe(on: seed.isMultiple(of: 2) ? .immediate : context.delivery, backlog: .unbounded) { [seen] in
      seen.record($0)
    }
    .store(in: bag)
  }

  // MARK: Writing

  func act() {
    state.withLock { $0.budget = 6 }
    perform(nextAct())
  }

  private func actInTurn() {
    let acts = state.withLock { state in
      guard state.budget > 0, state.random(3) == 0 else { return false }
      state.budget -= 1
      return true
    }
    if acts { perform(nextAct()) }
  }

  // Chooses the next act, and notes its writes before they are made. The writes of a transaction have one instant, so
  // what it writes to the old inner source counts as written after the switch.
  private func nextAct() -> Act {
    let open = rooms.map { !$0.isFinished }
    return state.withLock { state in
      var act = Act()
      let kind = state.random(16)
      if [0, 1, 2, 3].contains(kind) { act.selected = state.random(3) }
      if let selected = act.selected { state.writes.append(.selection(of: selected)) }
      if (2...11).contains(kind) {
        for _ in 0...state.random(2) {
          let room = state.random(3)
          guard open[room], act.values[room] == nil else { continue }
          state.last += 1
          act.values[room] = state.last
          state.writes.append(.value(state.last, to: room))
        }
      }
      // Longer than a turn.
      let times = state.random(100) == 0 ? 5_000 : 1
      if kind == 12 || kind == 13 { act.rejections.ofOuter = times }
      if kind == 14 {
        let room = state.random(3)
        if open[room] {
          act.rejections.of[room] = times
          state.writes.append(.rejected(by: room))
        }
      }
      if kind == 15, state.random(8) == 0 { act.finished = state.random(3) }
      return act
    }
  }

  private func perform(_ act: Act) {
    if act.selected != nil || !act.values.isEmpty {
      BindingTransaction.run { transaction in
        if let selected = act.selected { transaction[outer] = selected }
        for (room, value) in act.values { transaction[rooms[room]] = value }
      }
    }
    for _ in 0..<act.rejections.ofOuter { outer.send(-1) }
    for (room, times) in act.rejections.of { for _ in 0..<times { rooms[room].send(-1) } }
    if let room = act.finished { rooms[room].finish() }
  }

  // MARK: Comparing

  /// Returns when the switch has delivered all that was written, also by closures meanwhile.
  func settle() async {
    var count = 0
    repeat {
      count = state.withLock { $0.writes.count }
      await outer.settled()
      for room in rooms { await room.settled() }
    } while count != state.withLock { $0.writes.count }
    context.run()
  }

  /// Returns what is wrong with the delivered values; nil if they are right.
  ///
  /// A tenure is the time from one write of the outer source to the next. Of each tenure the switch may deliver nothing,
  /// if the next tenure came before the switch looked. Otherwise it delivers the value that the inner source had when the
  /// switch looked, and each later value of the tenure.
  func problem() -> String? {
    let writes = state.withLock { $0.writes }
    // The value of each room; nil if an operator rejects it.
    var current: [Int?] = [nil, nil, nil]
    var tenures: [[Int]] = []
    var newest = 0
    for write in writes {
      switch write {
      case .selection(let room):
        newest = room
        tenures.append(current[room].map { [$0] } ?? [])
      case .value(let value, let room):
        current[room] = value
        if room == newest { tenures[tenures.count - 1].append(value) }
      case .rejected(let room): current[room] = nil
      }
    }
    let delivered = seen.elements
    // How many of the delivered values the tenures so far may explain.
    var explained: Set<Int> = [0]
    for (index, tenure) in tenures.enumerated() {
      var next: Set<Int> = []
      let isShown = index == tenures.count - 1 && current[newest] != nil
      for count in explained {
        for length in (isShown ? 1 : 0)...max(tenure.count, isShown ? 1 : 0)
        where tenure.suffix(length) == delivered.dropFirst(count).prefix(length) {
          next.insert(count + length)
        }
      }
      explained = next
    }
    return explained.contains(delivered.count)
      ? nil : "the tenures are \(tenures), and \(delivered) was delivered"
  }

  func end() async {
    bag.dispose()
    for cell in rooms + [outer] {
      await cell.settled()
      #expect(cell.observerCount == 0)
    }
  }
}
