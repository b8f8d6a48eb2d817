#if Explorer
  /// A schedule under which a program failed.
  public struct ScheduleFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the exploration.
    public let name: String
    /// What went wrong, with the file and the line where they are known.
    public let message: String
    /// The choices that make this schedule, as text for `ACTORBINDINGS_REPLAY` and ``replay(_:_:grain:_:)``.
    public let choices: String
    /// How the schedule was found.
    public let strategy: String
    /// The number of schedules run, including this one.
    public let schedules: Int
    /// What happened in the schedule: one line for each turn of a task or of a job. Empty if it was not recorded.
    public let timeline: String
    /// The time from the beginning of the exploration to the end of the first schedule that failed.
    package internal(set) var timeUntilFound = Duration.zero

    /// The message, how the schedule was found, the timeline, and the command that repeats it.
    public var description: String {
      var lines = ["\(name): \(message)", "found by \(strategy), in schedule \(schedules)"]
      if !timeline.isEmpty { lines += ["what happened, one line for each turn:", timeline] }
      // In a shell, `'\''` is an apostrophe inside apostrophes.
      let quoted = "\(name)=\(choices)".replacing("'", with: "'\\''")
      lines += ["to run exactly this schedule again:", "ACTORBINDINGS_REPLAY='\(quoted)'"]
      return lines.joined(separator: "\n")
    }
  }

  /// The text form of the choices of a schedule: numbers with dots between them, and a run of zeros as `z` and its length.
  enum ChoiceText {
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
        // No program has more steps, so a longer run is an error of typing.
        guard !isRun || number <= Explorer.stepLimit else { return nil }
        choices += isRun ? Array(repeating: 0, count: number) : [number]
      }
      return choices
    }
  }
#endif
