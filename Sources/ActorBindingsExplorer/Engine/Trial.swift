#if Explorer
  /// One program, and the ways to run it.
  struct Trial: Sendable {
    let name: String
    let grain: ExplorationGrain
    let program: @Sendable (ExplorationWorld) async -> Void

    /// The result of one schedule.
    struct Run {
      let trace: [Choice]
      /// Why the given choices could not be repeated, or nil.
      let misfit: String?
      /// What went wrong, or nil.
      let verdict: Verdict?
    }

    /// What went wrong in a schedule.
    struct Verdict {
      /// What two failures must have in common to count as the same failure: the sort of failure, or its place.
      let kind: String
      let message: String
      /// Whether threads of the program wait for ever afterwards.
      var leavesThreadsBehind = false
    }

    /// Runs the program once.
    func run(_ strategy: any Strategy, recording: Bool = false) -> Run {
      let world = ExplorationWorld(grain: grain)
      let outcome = Explorer.shared.run(with: strategy, grain: grain, recording: recording) {
        world.start("program") { await program(world) }
      }
      if outcome.standstill == nil { world.runFinalChecks() }
      return Run(trace: outcome.trace, misfit: outcome.misfit, verdict: verdict(on: world, outcome))
    }

    private func verdict(on world: ExplorationWorld, _ outcome: Explorer.Outcome) -> Verdict? {
      let unfinished = world.unfinishedTasks.joined(separator: ", ")
      // What the explorer does not control may be the cause of all that follows.
      if let call = outcome.uncontrolledCall { return Verdict(kind: call, message: call) }
      if outcome.wasEnteredFromOutside { return Self.continuedFromOutside }
      if let failure = world.firstFailure { return failure }
      if let standstill = outcome.standstill {
        return Verdict(
          kind: standstill.kind,
          message:
            "\(standstill.kind): \(standstill.text)\(unfinished.isEmpty ? "" : "; not done: \(unfinished)")",
          leavesThreadsBehind: true
        )
      }
      if unfinished.isEmpty { return nil }
      return Verdict(
        kind: Self.lostWakeUp,
        message: "\(Self.lostWakeUp): no task can run, and these are not done: \(unfinished)"
      )
    }

    private static let lostWakeUp = "lost wake-up"

    private static let continuedFromOutside = Verdict(
      kind: Explorer.outside,
      message: """
        \(Explorer.outside): a thread that the explorer does not control continued a task, for example of a Dispatch queue, \
        a timer or an actor with an executor of its own
        """
    )

    /// Makes the failure for choices that cannot be repeated.
    func refusal(_ message: String, _ choices: String) -> ScheduleFailure {
      ScheduleFailure(
        name: name,
        message: message,
        choices: choices,
        strategy: "replay",
        schedules: 0,
        timeline: ""
      )
    }

    /// Runs the schedule that `text` encodes.
    func replay(_ text: String) throws(ScheduleFailure) {
      guard let choices = ChoiceText.decoded(text) else { throw refusal("'\(text)' are no choices", text) }
      let run = run(Replay(choices: choices), recording: true)
      if let misfit = run.misfit {
        throw refusal("no schedule of this program, which has changed since: \(misfit)", text)
      }
      if let verdict = run.verdict {
        throw ScheduleFailure(
          name: name,
          message: verdict.message,
          choices: text,
          strategy: "replay",
          schedules: 1,
          timeline: Explorer.shared.recording.timeline.text(lines: 30)
        )
      }
      print("replayed \(name): nothing went wrong")
    }

    /// Makes the failure for a schedule: looks for a shorter one that fails in the same way, and records it.
    func failure(_ verdict: Verdict, _ choices: [Int], _ strategy: String, schedules: Int) -> ScheduleFailure
    {
      var verdict = verdict
      if verdict.kind == Self.lostWakeUp, Explorer.shared.isEnteredFromOutside() {
        verdict = Self.continuedFromOutside
      }
      let isRepeatable = verdict.kind != Explorer.outside
      // A search for planted faults needs only the fact that a schedule failed.
      if Exploration.isHunt || !isRepeatable {
        return ScheduleFailure(
          name: name,
          message: verdict.message,
          choices: ChoiceText.encoded(choices),
          strategy: strategy,
          schedules: schedules,
          timeline: ""
        )
      }
      var shortening = Shortening(of: choices, leavesThreadsBehind: verdict.leavesThreadsBehind)
      shortening.search { choices in
        let run = run(Replay(choices: choices))
        return (run.trace, run.verdict?.kind == verdict.kind)
      }
      let last = run(Replay(choices: shortening.shortest), recording: true)
      guard last.verdict?.kind == verdict.kind else {
        return ScheduleFailure(
          name: name,
          message:
            "\(verdict.message); the same schedule did not fail again, so the program is not deterministic",
          choices: ChoiceText.encoded(choices),
          strategy: strategy,
          schedules: schedules,
          timeline: ""
        )
      }
      let isShorter = shortening.shortest.count < choices.count
      return ScheduleFailure(
        name: name,
        message: (last.verdict ?? verdict).message,
        choices: ChoiceText.encoded(shortening.shortest),
        strategy: strategy
          + (isShorter
            ? ", and shortened from \(choices.count) choices to \(shortening.shortest.count)" : ""),
        schedules: schedules,
        timeline: Explorer.shared.recording.timeline.text(lines: 30)
      )
    }
  }
#endif
