package import ActorBindings

/// The order in which the decisions of a shared cell become visible.
///
/// A decision is made under the lock of the entries, and becomes visible after it. Two threads that decide one after the
/// other could publish in the other order. So each decision enters this queue in the same step, and one thread at a time
/// publishes what waits here. A pure state machine: no lock, no task.
///
/// ### Transitions
/// | event | idle | publishing |
/// |---|---|---|
/// | `decided` | idle; the caller publishes after the lock | publishing |
/// | `began` | publishing; nil if nothing waits | nil |
/// | `published` | – | publishing what waits now; idle if nothing waits |
/// | `waited` | false | whether the caller's decision is not yet visible, and the caller is not cancelled |
/// | `waiterCancelled` | nil | the waiter, if it waits |
package struct PublicationQueue<Decision: Sendable>: Sendable {
  private var waiting: [Decision] = []
  private var isPublishing = false
  /// The number of the last decision.
  package private(set) var lastNumber: UInt64 = 0
  // The number of decisions that are visible.
  private var visible: UInt64 = 0
  private var waiters: [UInt64: Resumption] = [:]
  // Waiters that were cancelled before they waited.
  private var cancelledEarly: Set<UInt64> = []
  private var lastWaiter: UInt64 = 0

  /// Creates an empty queue.
  package init() {}

  /// A decision was made. Returns its number.
  @discardableResult
  package mutating func decided(_ decision: Decision) -> UInt64 {
    waiting.append(decision)
    lastNumber += 1
    return lastNumber
  }

  /// A thread begins to publish. Returns the decisions that it publishes; nil if another thread does, or nothing waits.
  package mutating func began() -> [Decision]? {
    guard !isPublishing, !waiting.isEmpty else { return nil }
    isPublishing = true
    return take()
  }

  /// What a thread does after it has published.
  package struct Next: Sendable {
    /// The decisions that it publishes next; nil if it is done.
    package var decisions: [Decision]?
    /// The tasks that it resumes.
    package var waiters: [Resumption] = []
  }

  /// The thread has published `count` decisions.
  package mutating func published(_ count: Int) -> Next {
    visible += UInt64(count)
    var next = Next(waiters: Array(waiters.values))
    waiters = [:]
    isPublishing = !waiting.isEmpty
    if isPublishing { next.decisions = take() }
    return next
  }

  private mutating func take() -> [Decision] {
    var taken: [Decision] = []
    swap(&taken, &waiting)
    return taken
  }

  /// Whether a decision is visible.
  package func isVisible(_ number: UInt64) -> Bool { visible >= number }

  /// Returns the name of a task that is about to wait.
  package mutating func makeWaiter() -> UInt64 {
    lastWaiter += 1
    return lastWaiter
  }

  /// A task waits for a decision. Returns false if the decision is visible, or the task was cancelled.
  package mutating func waited(for number: UInt64, _ name: UInt64, _ waiter: Resumption) -> Bool {
    guard !isVisible(number), !cancelledEarly.contains(name) else { return false }
    waiters[name] = waiter
    return true
  }

  /// A task that waits, or is about to, was cancelled. Returns it if it waits.
  package mutating func waiterCancelled(_ name: UInt64) -> Resumption? {
    if let waiter = waiters.removeValue(forKey: name) { return waiter }
    cancelledEarly.insert(name)
    return nil
  }

  /// A task does not wait any more.
  package mutating func waiterLeft(_ name: UInt64) { cancelledEarly.remove(name) }
}
