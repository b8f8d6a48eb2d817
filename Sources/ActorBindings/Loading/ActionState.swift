/// Decides which call of an `AsyncAction` executes, and which calls wait for their turn. A pure state machine.
///
/// ### States
/// - *at rest*: no call executes, and none waits.
/// - *executing*: one call has its turn; others may wait.
///
/// ### Transitions
/// | event | at rest | executing |
/// |---|---|---|
/// | `asked` | granted | as the policy says: refused, or waits, or waits and displaces the call that waits |
/// | `left`, by the call that executes | – | the call that has waited longest executes; at rest if no call waits |
/// | `left`, by a call that waits | – | the call no longer waits |
/// | `left`, by another call | nothing | nothing |
///
/// ### Actions
/// After the lock, the shell must wake the call that was displaced, or the call that is next.
///
/// ### Behavior
/// Each event takes constant time, whatever the number of calls that wait.
package struct ActionState: ~Copyable, Sendable {
  private var executing: Waiter?
  // The calls that wait, in the order in which they asked: the first call has waited longest.
  private var waiting = WaitList()

  /// The number of calls that wait.
  package private(set) var waitingCount = 0

  package init() {}

  package enum Admission: Sendable {
    case granted
    case queued
    case refused
  }

  /// The answer to a call that asks for its turn.
  package struct Reply: Sendable {
    package let admission: Admission
    /// The call whose place the new call has taken. The shell wakes the displaced call after the lock.
    package var displaced: Waiter?
  }

  package var isExecuting: Bool { executing != nil }

  /// `call` asks for its turn.
  package mutating func asked(_ call: Waiter, _ policy: BusyPolicy) -> Reply {
    guard isExecuting else {
      executing = call
      return Reply(admission: .granted)
    }
    if policy == .refuse { return Reply(admission: .refused) }
    let displaced = policy == .latest ? unsafe waiting.last : nil
    if let displaced { remove(displaced) }
    waiting.append(call)
    waitingCount += 1
    return Reply(admission: .queued, displaced: displaced)
  }

  /// `call` has waited, and was woken. Returns whether a newer call has displaced it.
  package func isDisplaced(_ call: Waiter) -> Bool {
    executing !== call && !waiting.contains(call)
  }

  /// `call` has ended, or gives up its turn. Returns the call that executes next; nil if `call` did not execute, or no
  /// call waits.
  package mutating func left(_ call: Waiter) -> Waiter? {
    guard executing === call else {
      remove(call)
      return nil
    }
    executing = waiting.first
    if let next = executing { remove(next) }
    return executing
  }

  private mutating func remove(_ call: Waiter) {
    if waiting.remove(call) { waitingCount -= 1 }
  }
}
