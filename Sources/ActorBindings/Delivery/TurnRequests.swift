internal import Synchronization

/// Requests the turns that a lane has given up, without nesting them.
///
/// A custom context may run a requested turn at once, inside `request`, and the lane may give up that turn too. Then
/// only the outermost call of `request` makes the next request. Otherwise each turn would run inside the turn before,
/// until the stack overflows.
struct TurnRequests: ~Copyable, Sendable {
  // The number of turns that the lane must still request: one for each turn that it has given up.
  private let owed = Atomic(0)

  /// Requests a turn by `wake`, now or before the outermost call on this lane returns.
  func request(_ wake: () -> Void) {
    guard owed.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat { wake() } while owed.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }
}
