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
    }

    /// Runs the program once.
    func run(_ strategy: any Strategy, recording: Bool = false) -> Run {
      let world = ExplorationWorld()
      let outcome = Explorer.shared.run(with: strategy, grain: grain, recording: recording) {
        world.task("program") { await program(world) }
      }
      if outcome.standstill == nil { world.looksBack() }
      return Run(trace: outcome.trace, misfit: outcome.misfit, verdict: verdict(on: world, outcome))
    }

    private func verdict(on world: ExplorationWorld, _ outcome: Explorer.Outcome) -> Verdict? {
      let unfinished = world.unfinishedTasks.joined(separator: ", ")
      if let failure = world.firstFailure { return failure }
      if let call = outcome.uncontrolledCall { return Verdict(kind: call, message: call) }
      if let standstill = outcome.standstill {
        return Verdict(
          kind: standstill.kind,
          message:
            "\(standstill.kind): \(standstill.text)\(unfinished.isEmpty ? "" : "; not done: \(unfinished)")"
        )
      }
      if unfinished.isEmpty { return nil }
      return Verdict(
        kind: Self.lostWakeUp,
        message: "\(Self.lostWakeUp): no task can run, and these are not done: \(unfinished)"
      )
    }

    private static let lostWakeUp = "lost wake-up"

    /// Runs the schedule that `text` encodes.
    func replay(_ text: String) throws(ScheduleFailure) {
      func refusal(_ message: String) -> ScheduleFailure {
        ScheduleFailure(
          name: name,
          message: message,
          choices: text,
          strategy: "replay",
          schedules: 1,
          timeline: ""
        )
      }
      guard let choices = ChoiceText.decoded(text) else { throw refusal("'\(text)' are no choices") }
      let run = run(Replay(choices: choices), recording: true)
      if let misfit = run.misfit {
        throw refusal("no schedule of this program, which has changed since: \(misfit)")
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
      var message = verdict.message
      var isRepeatable = verdict.kind != Explorer.outside
      if verdict.kind == Self.lostWakeUp, Explorer.shared.wasEnteredFromOutside() {
        isRepeatable = false
        message = """
          \(Explorer.outside): a thread that the explorer does not control continued a task, for example of a Dispatch \
          queue, a timer or an actor with an executor of its own
          """
      }
      // A search for planted faults needs only the fact that a schedule failed.
      if Exploration.isHunt || !isRepeatable {
        return ScheduleFailure(
          name: name,
          message: message,
          choices: ChoiceText.encoded(choices),
          strategy: strategy,
          schedules: schedules,
          timeline: ""
        )
      }
      var shortening = Shortening(of: choices)
      shortening.search { choices in
        let run = run(Replay(choices: choices))
        return (run.trace, run.verdict?.kind == verdict.kind)
      }
      let last = run(Replay(choices: shortening.shortest), recording: true)
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
