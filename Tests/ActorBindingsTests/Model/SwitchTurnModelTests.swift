import ActorBindings
import Testing

/// Runs random programs over three inner sources and an outer source. The closures of operators write too, in the turn in
/// which the switch reads, so the sources change between two steps of one turn. Compares what the switch delivers with
/// the order of all writes.
@Suite
struct SwitchTurnModelTests {
  @Test(arguments: 0..<60)
  func `a switch whose turns write loses no value after it has looked at a source`(seed: UInt64) async {
    let program = SwitchProgram(seed: seed)
    for step in 0..<50 {
      program.act()
      await program.settle()
      if let problem = program.problem() {
        Issue.record("seed \(seed), step \(step): \(problem)")
        break
      }
    }
    await program.end()
  }
}

// One thread acts at a time: the test, then the turn of the switch. With `.immediate` that turn runs within the test's
// write. Otherwise it runs in a job, while the test waits in `settle`.
private final class SwitchProgram: Sendable {
  private enum Write {
    /// A value that no operator rejects.
    case value(Int, to: Int)
    /// A value that the operator of the inner source rejects.
    case rejected(by: Int)
    /// In one transaction with a value of the selected inner source, if there is one.
    case selection(of: Int, with: Int?)
    /// Not a write: the switch has looked at all that was written before.
    case settled
  }

  private struct State {
    var numbers: Numbers
    var writes: [Write] = [.selection(of: 0, with: nil)]
    var last = 0
    /// The number of acts that closures may still perform before the test acts again.
    var budget = 0
    /// The number of acts that closures have ended.
    var endedActs = 0

    mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }
  }

  /// What one act writes: a selection and values in one transaction, or rejected values, or an end.
  private struct Act {
    var selected: Int?
    var values: [Int: Int] = [:]
    var rejectionsOfOuter = 0
    var rejections: [Int: Int] = [:]
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
    guard acts else { return }
    perform(nextAct(isInTurn: true))
    state.withLock { $0.endedActs += 1 }
  }

  // Chooses the next act, and notes its writes before they are made. The writes of a transaction have one instant, so
  // what it writes to the old inner source counts as written after the switch.
  private func nextAct(isInTurn: Bool = false) -> Act {
    let open = rooms.map { !$0.isFinished }
    return state.withLock { state in
      var act = Act()
      let kind = state.random(16)
      if [0, 1, 2, 3].contains(kind) { act.selected = state.random(3) }
      if (2...11).contains(kind) {
        for _ in 0...state.random(2) {
          let room = state.random(3)
          guard open[room], act.values[room] == nil else { continue }
          state.last += 1
          act.values[room] = state.last
        }
      }
      if let selected = act.selected {
        state.writes.append(.selection(of: selected, with: act.values[selected]))
      }
      for (room, value) in act.values where room != act.selected {
        state.writes.append(.value(value, to: room))
      }
      // More updates than one turn reads. Only in a turn: otherwise closures would write between these writes.
      let times = isInTurn && state.random(100) == 0 ? 5_000 : 1
      if kind == 12 || kind == 13 { act.rejectionsOfOuter = times }
      if kind == 14 {
        let room = state.random(3)
        if open[room] {
          act.rejections[room] = times
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
    for _ in 0..<act.rejectionsOfOuter { outer.send(-1) }
    for (room, times) in act.rejections { for _ in 0..<times { rooms[room].send(-1) } }
    if let room = act.finished { rooms[room].finish() }
  }

  // MARK: Comparing

  /// Returns when the switch has delivered all that was written. Repeats until no act has ended during a whole round: an
  /// act may write a cell that this round has already waited for.
  func settle() async {
    var count = 0
    repeat {
      count = state.withLock { $0.endedActs }
      await outer.settled()
      for room in rooms { await room.settled() }
    } while count != state.withLock { $0.endedActs }
    context.run()
    state.withLock { $0.writes.append(.settled) }
  }

  /// Returns what is wrong with the delivered values; nil if they are right.
  ///
  /// A tenure is the time from one write of the outer source to the next. Of each tenure the switch may deliver nothing,
  /// if the next tenure came before the switch looked. Otherwise it delivers the value that the inner source had when the
  /// switch looked, and each later value of the tenure. So it delivers all values from after a look.
  func problem() -> String? {
    let writes = state.withLock { $0.writes }
    // The value of each room; nil if an operator rejects it.
    var current: [Int?] = [nil, nil, nil]
    var tenures: [(values: [Int], fewest: Int)] = []
    var (newest, isSettled) = (0, false)
    for write in writes {
      switch write {
      case .selection(let room, let value):
        if let value { current[room] = value }
        (newest, isSettled) = (room, false)
        tenures.append((current[room].map { [$0] } ?? [], 0))
      case .value(let value, let room):
        current[room] = value
        if room != newest { continue }
        tenures[tenures.count - 1].values.append(value)
        if isSettled { tenures[tenures.count - 1].fewest += 1 }
      case .rejected(let room): current[room] = nil
      case .settled: isSettled = true
      }
    }
    let delivered = seen.elements
    // How many of the delivered values the tenures so far may explain.
    var explained: Set<Int> = [0]
    if current[newest] != nil {
      tenures[tenures.count - 1].fewest = max(1, tenures[tenures.count - 1].fewest)
    }
    for (values, fewest) in tenures {
      var next: Set<Int> = []
      for count in explained {
        for length in fewest...values.count
        where values.suffix(length) == delivered.dropFirst(count).prefix(length) {
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
