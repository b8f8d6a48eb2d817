/// Decides which thread does a piece of work. A pure state machine.
///
/// ### States
/// - *idle*: no thread is at work.
/// - *at work*: one thread is at work, or a job is under way that will be. Other pieces of work may wait.
///
/// ### Transitions
/// | event | idle | at work |
/// |---|---|---|
/// | `workCame` | at work; the caller does the work | the work waits |
/// | `workDone` | – | idle; or at work, if work waits: the caller makes a job for the oldest piece |
package struct RelayTurnState<Work: Sendable>: Sendable {
  package private(set) var isAtWork = false
  private var waiting: [Work] = []

  package init() {}

  /// Returns whether the caller must do the work.
  package mutating func workCame(_ work: Work) -> Bool {
    if isAtWork {
      waiting.append(work)
      return false
    }
    isAtWork = true
    return true
  }

  /// Returns the work for which the caller must make a job.
  package mutating func workDone() -> Work? {
    precondition(isAtWork, "the work of a relay was done, but no thread was at work")
    if waiting.isEmpty {
      isAtWork = false
      return nil
    }
    return waiting.removeFirst()
  }
}
