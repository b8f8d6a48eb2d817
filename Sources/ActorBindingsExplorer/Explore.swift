#if Explorer
  import Foundation

  /// Runs a program under many schedules, and throws the first schedule under which it fails.
  ///
  /// ```swift
  /// try explore("two transfers") { world in
  ///   let bank = Bank(balances: [100, 0])
  ///   let transfers = (1...2).map { number in
  ///     world.task("transfer \(number)") {
  ///       await bank.transfer(80, from: 0, to: 1)
  ///     }
  ///   }
  ///   for transfer in transfers { await transfer.value }
  ///   world.expect(await bank.isInCredit, "an account is overdrawn")
  /// }
  /// ```
  ///
  /// The program fails if an expectation of the world fails, if tasks are in a deadlock, if a task of the world never ends,
  /// or if the program runs for ever. Its runs may differ only by the schedule: it must use no random numbers, no clock of
  /// the system and no state from the run before.
  ///
  /// The function blocks the calling thread until the budget is used up or a schedule fails. It says on the standard output
  /// how many schedules it ran. Only one exploration runs at a time in a process: a second one waits.
  ///
  /// - Parameters:
  ///   - name: What the program does. A failure prints it, and `ACTORBINDINGS_REPLAY` selects the exploration by it.
  ///   - budget: How many schedules to run.
  ///   - grain: At how many points the explorer may let another task run.
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
        guard let separator = given.lastIndex(of: "=") else {
          throw trial.refusal(
            "ACTORBINDINGS_REPLAY is '\(given)', and must have the form 'name=choices'",
            given
          )
        }
        if given[..<separator] == name {
          try trial.replay(String(given[given.index(after: separator)...]))
        } else {
          print("not explored, because ACTORBINDINGS_REPLAY selects '\(given[..<separator])': \(name)")
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
      let factor = Self.environment["ACTORBINDINGS_SCHEDULES"].flatMap { Double($0) }
      self.budget = factor.map(budget.times) ?? budget
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
        let trace = try attempt("priority seed \(seed)", PriorityWalk(seed: seed, changes: 3, length: length))
        length = max(length, trace.count)
        coverage.priority += 1
        seed += 1
      }
      var depthFirst = DepthFirst(bound: budget.preemptions)
      while let prefix = depthFirst.prefix, coverage.depthFirst < budget.depthFirst, isInTime(share: 3) {
        let trace = try attempt("depth-first search", Replay(choices: prefix))
        coverage.depthFirst += 1
        depthFirst.advance(after: trace)
      }
      coverage.isExhausted = depthFirst.prefix == nil && coverage.unrepeatable == 0
      if coverage.schedules == 0 {
        throw ScheduleFailure(
          name: trial.name,
          message: "the budget allows no schedule",
          choices: "",
          strategy: "none",
          schedules: 0,
          timeline: ""
        )
      }
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
      if run.misfit != nil { coverage.unrepeatable += 1 }
      guard let verdict = run.verdict else { return run.trace }
      let timeUntilFound = progress.elapsed
      Self.setOver()
      var failure = trial.failure(
        verdict,
        run.trace.map(\.taken),
        strategy,
        schedules: coverage.schedules + 1
      )
      failure.timeUntilFound = timeUntilFound
      throw failure
    }
  }
#endif
