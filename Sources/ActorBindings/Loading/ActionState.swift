/// What an `Action` holds, and what it decides. A pure state machine.
///
/// | event | at rest | executing |
/// |---|---|---|
/// | `asked` | granted | refused, or it waits, or it takes the place of who waits, as was said at the making |
/// | `left`, by whose turn it is | – | the one who has waited longest is next, or it is at rest |
/// | `left`, by who waits | – | he does not wait any more |
struct ActionState: Sendable {
  /// Whose turn it is.
  private(set) var executing: Turn?
  /// Those who wait, the first one first.
  private(set) var waiting = PersistentArray<Turn>()

  enum Admission: Sendable {
    case granted
    case queued
    case refused
  }

  var isExecuting: Bool { executing != nil }

  /// Returns who must be told that `turn` has taken his place, too.
  mutating func asked(_ turn: Turn, _ policy: BusyPolicy) -> (Admission, displaced: Turn?) {
    guard isExecuting else {
      executing = turn
      return (.granted, nil)
    }
    if policy == .refuse { return (.refused, nil) }
    let displaced = policy == .latest ? waiting.popLast() : nil
    waiting.append(turn)
    return (.queued, displaced)
  }

  /// Returns who must be told that it is his turn.
  mutating func left(_ turn: Turn) -> Turn? {
    if executing === turn {
      executing = waiting.isEmpty ? nil : waiting.remove(at: 0)
      return executing
    }
    waiting.firstIndex { $0 === turn }.map { _ = waiting.remove(at: $0) }
    return nil
  }
}
