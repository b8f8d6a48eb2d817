#if Explorer
  /// What happened in one schedule, for the message of a failure.
  struct Timeline {
    /// One step of a task or a context.
    struct Moment {
      let subject: String
      let action: String
    }

    private var moments: [Moment] = []

    mutating func add(_ moment: Moment) {
      // A program that runs in circles has very many steps, of which the first and the last are shown.
      if moments.count > 20_000 { moments.removeSubrange(10_000..<15_000) }
      moments.append(moment)
    }

    /// Returns a line for each turn, and leaves out turns in the middle if there are more than `lines`.
    func text(lines limit: Int) -> String {
      let turns = turns
      let width = turns.map(\.subject.count).max().map { min($0, 24) } ?? 0
      let numbered = turns.enumerated().map { index, turn in
        let number = String(repeating: " ", count: max(0, 3 - "\(index + 1)".count)) + "\(index + 1)"
        let subject = turn.subject + String(repeating: " ", count: max(0, width - turn.subject.count))
        return "\(number)  \(subject)  \(Self.joined(turn.actions))"
      }
      guard numbered.count > limit else { return numbered.joined(separator: "\n") }
      let (first, last) = (limit / 3, limit - limit / 3 - 1)
      let left = numbered.count - first - last
      return (numbered.prefix(first) + ["     … \(left) turns more …"] + numbered.suffix(last)).joined(
        separator: "\n"
      )
    }

    private var turns: [(subject: String, actions: [String])] {
      var turns: [(subject: String, actions: [String])] = []
      for moment in moments {
        // An actor continues a task, which says more in the next turn.
        if moment.subject == Self.actorJob, moment.action == Self.runs { continue }
        if turns.last?.subject == moment.subject {
          turns[turns.count - 1].actions.append(moment.action)
        } else {
          turns.append((moment.subject, [moment.action]))
        }
      }
      return turns
    }

    // Joins what happened in one turn. Says once what happened several times in a row, and leaves out the middle of a
    // long turn.
    private static func joined(_ actions: [String]) -> String {
      var parts: [(action: String, count: Int)] = []
      for action in merged(actions) {
        if parts.last?.action == action {
          parts[parts.count - 1].count += 1
        } else {
          parts.append((action, 1))
        }
      }
      var texts = parts.map { $0.count == 1 ? $0.action : "\($0.action) (\($0.count) times)" }
      if texts.count > 7 { texts.replaceSubrange(3..<texts.count - 3, with: ["…"]) }
      return texts.joined(separator: ", ")
    }

    // Writes "uses" for a lock that is taken and freed in one turn, and leaves out "runs" before something that says more.
    private static func merged(_ actions: [String]) -> [String] {
      var merged: [String] = []
      for action in actions {
        if action.hasPrefix(frees), merged.last == takes + action.dropFirst(frees.count) {
          merged[merged.count - 1] = "uses " + action.dropFirst(frees.count)
        } else {
          if merged.last == runs { merged.removeLast() }
          merged.append(action)
        }
      }
      return merged
    }

    /// The subject of a job of an actor, which runs several tasks.
    static let actorJob = "a job of an actor"
    static let runs = "runs"
    static let takes = "takes "
    static let frees = "frees "
  }
#endif
