#if EXPLORER
  import Foundation
  import Synchronization

  /// A schedule under which a program failed.
  package struct ScheduleFailure: Error, CustomStringConvertible {
    package let scenario: String
    package let strategy: String
    package let message: String
    package let choices: [Int]
    /// The number of schedules of this scenario that were run, including the failed one.
    package let schedules: Int

    package var description: String {
      """
      \(scenario): \(message)
      found by \(strategy), in schedule \(schedules); to run exactly this schedule again:
      ACTORBINDINGS_REPLAY='\(scenario)=\(Self.encoded(choices))'
      """
    }

    /// Encodes choices as text, with a run of zeros as `z` and its length.
    static func encoded(_ choices: [Int]) -> String {
      var parts: [String] = []
      var zeros = 0
      for choice in choices {
        if choice == 0 {
          zeros += 1
          continue
        }
        if zeros > 0 { parts.append("z\(zeros)") }
        zeros = 0
        parts.append("\(choice)")
      }
      return parts.joined(separator: ".")
    }

    /// Returns the choices that `text` encodes, or nil if it encodes none.
    static func decoded(_ text: some StringProtocol) -> [Int]? {
      var choices: [Int] = []
      for part in text.split(separator: ".") {
        let isRun = part.hasPrefix("z")
        guard let number = Int(isRun ? part.dropFirst() : part), number >= 0 else { return nil }
        choices += isRun ? Array(repeating: 0, count: number) : [number]
      }
      return choices
    }
  }

  /// The number of schedules that were run.
  package struct Coverage: Sendable {
    package var depthFirst = 0
    package var isExhausted = false
    package var random = 0
    package var priority = 0

    package var schedules: Int { depthFirst + random + priority }
  }

  /// The number of schedules to run. `ACTORBINDINGS_SCHEDULES=10` runs ten times as many schedules, and `0.1` a tenth
  /// of them.
  package struct Effort: Sendable {
    package var depthFirst: Int
    package var preemptions: Int
    package var random: Int
    package var priority: Int

    package init(depthFirst: Int = 4_000, preemptions: Int = 2, random: Int = 1_000, priority: Int = 500) {
      self.depthFirst = depthFirst
      self.preemptions = preemptions
      self.random = random
      self.priority = priority
    }

    /// An effort that runs every schedule with at most two preemptions, if a program has fewer than 20,000 such
    /// schedules.
    package static var toItsEnd: Effort { Effort(depthFirst: 20_000) }

    /// Multiplies the numbers by a factor, but keeps at least a few schedules of each strategy.
    func times(_ factor: Double) -> Effort {
      func scaled(_ count: Int) -> Int { count == 0 ? 0 : max(10, Int(Double(count) * factor)) }
      return Effort(
        depthFirst: scaled(depthFirst),
        preemptions: preemptions,
        random: scaled(random),
        priority: scaled(priority)
      )
    }
  }

  private let environment = ProcessInfo.processInfo.environment
  // With `ACTORBINDINGS_HUNT=1` the process ends at the first failure, which has found a planted fault.
  private let isHunt = environment["ACTORBINDINGS_HUNT"] != nil
  private let isOver = Atomic(false)

  private let claimed = Mutex<Set<String>>([])

  // Returns whether another process explores the scenario. Several processes divide the scenarios: a process claims a
  // scenario by a file with the scenario's name in the folder `ACTORBINDINGS_SHARE`.
  private func isElsewhere(_ scenario: String) -> Bool {
    guard let folder = environment["ACTORBINDINGS_SHARE"] else { return false }
    let file = "\(folder)/\(scenario.replacing("/", with: "_"))"
    let descriptor = open(file, O_CREAT | O_EXCL | O_WRONLY, 0o644)
    if descriptor >= 0 { close(descriptor) }
    return descriptor < 0 && errno == EEXIST
  }

  /// Runs `program` under many schedules: at random, then by random priorities, then depth first within the bound of
  /// preemptions. Throws the first schedule under which an expectation fails or no strand can continue.
  @discardableResult
  package func explore(
    _ scenario: String,
    _ effort: Effort = Effort(),
    _ program: @escaping @Sendable (World) async -> Void
  ) throws(ScheduleFailure) -> Coverage {
    var coverage = Coverage()
    if isHunt, isOver.load(ordering: .relaxed) { return coverage }
    func attempt(_ name: String, _ strategy: any Strategy) throws(ScheduleFailure) -> [Choice] {
      let (outcome, message) = run(strategy, program)
      let trace = outcome.trace
      guard let message else { return trace }
      isOver.store(true, ordering: .relaxed)
      throw ScheduleFailure(
        scenario: scenario,
        strategy: name,
        message: message,
        choices: trace.map(\.taken),
        schedules: coverage.schedules + 1
      )
    }
    if let given = environment["ACTORBINDINGS_REPLAY"] {
      guard let separator = given.lastIndex(of: "="), given[..<separator] == scenario else {
        return coverage
      }
      try replay(scenario, String(given[given.index(after: separator)...]), program)
      return coverage
    }
    precondition(
      claimed.withLock { $0.insert(scenario).inserted },
      "two explorations have the name '\(scenario)'"
    )
    if isElsewhere(scenario) { return coverage }
    let effort = effort.times(environment["ACTORBINDINGS_SCHEDULES"].flatMap { Double($0) } ?? 1)

    // The number of choices of the longest schedule so far.
    var length = 1
    for seed in 0..<UInt64(effort.random) {
      let trace = try attempt("random seed \(seed)", RandomWalk(generator: SeededGenerator(seed: seed)))
      length = max(length, trace.count)
      coverage.random += 1
    }
    for seed in 0..<UInt64(effort.priority) {
      _ = try attempt("priority seed \(seed)", PriorityWalk(seed: seed, changes: 3, length: length))
      coverage.priority += 1
    }
    var depthFirst = DepthFirst(bound: effort.preemptions)
    while let prefix = depthFirst.prefix, coverage.depthFirst < effort.depthFirst {
      let trace = try attempt("depth-first search", Replay(choices: prefix))
      coverage.depthFirst += 1
      depthFirst.advance(after: trace)
    }
    coverage.isExhausted = depthFirst.prefix == nil

    let extent = coverage.isExhausted ? " (all)" : ""
    print(
      "explored \(scenario): \(coverage.depthFirst) depth-first\(extent),",
      "\(coverage.random) random, \(coverage.priority) by priority"
    )
    return coverage
  }

  /// Runs `program` under the schedule with the given `choices`, in the form that a failure prints. Throws if the
  /// program fails, or if it has no such schedule because it has changed.
  package func replay(
    _ scenario: String,
    _ choices: String,
    _ program: @escaping @Sendable (World) async -> Void
  ) throws(ScheduleFailure) {
    func failure(_ message: String, _ choices: [Int]) -> ScheduleFailure {
      ScheduleFailure(
        scenario: scenario,
        strategy: "replay",
        message: message,
        choices: choices,
        schedules: 1
      )
    }
    guard let given = ScheduleFailure.decoded(choices) else {
      throw failure("'\(choices)' are no choices", [])
    }
    let (outcome, message) = run(Replay(choices: given), program)
    if let misfit = outcome.misfit {
      throw failure("no schedule of this program, which has changed since: \(misfit)", given)
    }
    if let message { throw failure(message, outcome.trace.map(\.taken)) }
    print("replayed \(scenario): nothing went wrong")
  }

  // Runs the program once. Returns the outcome, and a message if the program failed.
  private func run(
    _ strategy: any Strategy,
    _ program: @escaping @Sendable (World) async -> Void
  ) -> (outcome: Explorer.Outcome, message: String?) {
    let world = World()
    let outcome = Explorer.shared.run(with: strategy) {
      world.task("program") { await program(world) }
    }
    if outcome.standstill == nil { world.looksBack() }
    let unfinished = world.whoIsNotDone.joined(separator: ", ")
    let message: String? =
      if let failure = world.firstFailure {
        failure
      } else if let standstill = outcome.standstill {
        "deadlock: \(standstill); not done: \(unfinished)"
      } else if !unfinished.isEmpty {
        "lost wake-up: no task can run, and these are not done: \(unfinished)"
      } else {
        nil
      }
    return (outcome, message)
  }
#endif
