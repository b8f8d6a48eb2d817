#if Explorer
  import Foundation

  /// Runs a program under many schedules, and throws the first schedule under which it fails.
  ///
  /// ```swift
  /// try explore("two transfers") { world in
  ///   let bank = Bank(balances: [100, 0])
  ///   world.task("one") { await bank.transfer(80, from: 0, to: 1) }
  ///   world.task("two") { await bank.transfer(80, from: 0, to: 1) }
  ///   world.finally { world.expect(bank.isInCredit, "an account is overdrawn") }
  /// }
  /// ```
  ///
  /// The program fails if an expectation of the world fails, if its tasks wait for each other, if a task waits for
  /// something that never comes, or if a task runs for ever. It must do the same in each run, except for what the schedule
  /// decides: it must use no random numbers, no system clock and no state from the run before.
  ///
  /// The function returns when all schedules have run, and it blocks its thread until then. It says on the standard output
  /// how many schedules it ran. Only one exploration runs at a time in a process: a second one waits.
  ///
  /// - Parameters:
  ///   - name: What the program does. A failure prints it, and `ACTORBINDINGS_REPLAY` selects the exploration by it.
  ///   - budget: How many schedules to run.
  ///   - grain: Where another task may run.
  ///   - program: The program, as the body of a task with the name "program".
  /// - Throws: ``ScheduleFailure``, with the shortest schedule that could be found for this failure.
  @discardableResult
  public func explore(
    _ name: String,
    within budget: ExplorationBudget = ExplorationBudget(),
    grain: ExplorationGrain = .fine,
    _ program: @escaping @Sendable (ExplorationWorld) async -> Void
  ) throws(ScheduleFailure) -> ExplorationCoverage {
    try Exploration.exclusively { () throws(ScheduleFailure) in
      let trial = Trial(name: name, grain: grain, program: program)
      if let given = Exploration.environment["ACTORBINDINGS_REPLAY"] {
        if let separator = given.lastIndex(of: "="), given[..<separator] == name {
          try trial.replay(String(given[given.index(after: separator)...]))
        }
        return ExplorationCoverage()
      }
      if Exploration.isOver || Exploration.isElsewhere(name) { return ExplorationCoverage() }
      var exploration = Exploration(of: trial, within: budget)
      try exploration.run()
      return exploration.coverage
    } ?? ExplorationCoverage()
  }

  /// Runs a program under one schedule: the one with the given choices, in the form that a failure prints.
  ///
  /// - Throws: ``ScheduleFailure`` if the program fails, or if it has no such schedule because it has changed.
  public func replay(
    _ name: String,
    _ choices: String,
    grain: ExplorationGrain = .fine,
    _ program: @escaping @Sendable (ExplorationWorld) async -> Void
  ) throws(ScheduleFailure) {
    _ = try Exploration.exclusively { () throws(ScheduleFailure) in
      try Trial(name: name, grain: grain, program: program).replay(choices)
    }
  }

  /// The schedules of one program, which are run one after the other.
  struct Exploration {
    private let trial: Trial
    private let budget: ExplorationBudget
    private(set) var coverage = ExplorationCoverage()
    private var progress: Progress
    // The number of choices of the longest schedule so far.
    private var length = 1

    init(of trial: Trial, within budget: ExplorationBudget) {
      self.trial = trial
      self.budget = budget.times(Self.environment["ACTORBINDINGS_SCHEDULES"].flatMap { Double($0) } ?? 1)
      progress = Progress(name: trial.name)
    }

    /// Runs the schedules: at random, then by random priorities, then depth first.
    mutating func run() throws(ScheduleFailure) {
      var seed: UInt64 = 0
      while coverage.random < budget.random, isInTime(share: 1) {
        let trace = try attempt("random seed \(seed)", RandomWalk(generator: SeededGenerator(seed: seed)))
        length = max(length, trace.count)
        coverage.random += 1
        seed += 1
      }
      seed = 0
      while coverage.priority < budget.priority, isInTime(share: 2) {
        _ = try attempt("priority seed \(seed)", PriorityWalk(seed: seed, changes: 3, length: length))
        coverage.priority += 1
        seed += 1
      }
      var depthFirst = DepthFirst(bound: budget.preemptions)
      while let prefix = depthFirst.prefix, coverage.depthFirst < budget.depthFirst, isInTime(share: 3) {
        let trace = try attempt("depth-first search", Replay(choices: prefix))
        coverage.depthFirst += 1
        depthFirst.advance(after: trace)
      }
      coverage.isExhausted = depthFirst.prefix == nil
      print("explored \(trial.name): \(coverage)")
    }

    // Whether the strategy with this number, of three, may begin another schedule.
    private func isInTime(share: Double) -> Bool {
      budget.time.map { progress.elapsed < $0 * (share / 3) } ?? true
    }

    private mutating func attempt(_ strategy: String, _ choosing: any Strategy) throws(ScheduleFailure)
      -> [Choice]
    {
      let run = trial.run(choosing)
      progress.ran(coverage.schedules + 1)
      guard let verdict = run.verdict else { return run.trace }
      Self.setOver()
      throw trial.failure(verdict, run.trace.map(\.taken), strategy, schedules: coverage.schedules + 1)
    }
  }
#endif
