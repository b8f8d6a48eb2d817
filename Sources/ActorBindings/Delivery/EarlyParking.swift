internal import Synchronization

/// Lets a lane park at the beginning of a turn, so that the turn can end without the cell's lock.
///
/// The problem: a turn takes the cell's lock twice, to look and to park. For one fast handler the locks cost more than
/// the call. The second lock is there because an update may come during the turn: the lane must park in the same step
/// in which it finds nothing new. But during most turns nothing happens.
///
/// So the lane parks when the turn begins, in the step in which it looks. A writer that comes during the turn takes the
/// lane out of the list, as it takes any parked reader, and wakes the lane. The wake-up finds the turn under way and
/// marks the turn as *contended*, instead of enqueueing another job. Any other thread that must know whether the lane
/// runs marks the turn too, under the lock. At the end of the turn the lane exchanges the mark. If no thread has marked
/// the turn, nothing has changed since the lane parked, so the lane stays parked. Otherwise the turn ends under the
/// lock, as if the lane had not parked.
///
/// ### States
/// - *none*: no turn has parked the lane early.
/// - *uncontended*: such a turn is under way, and no other thread has come.
/// - *contended*: another thread has come. The end of the turn takes the lock.
///
/// ### Transitions
/// | event | none | uncontended | contended |
/// |---|---|---|---|
/// | `parkedWhileLocked` | uncontended | – | – |
/// | `contended`, by any thread | no turn is under way | contended | the same |
/// | `endedUncontended`, by the turn | the end takes the lock | none; the turn is over | the end takes the lock |
/// | `endedWhileLocked`, by the turn | none | none | none |
package struct EarlyParking: ~Copyable, Sendable {
  // Not private, because a release build of the tests refers to it.
  package enum State: UInt8, AtomicRepresentable {
    case none
    case uncontended
    case contended
  }

  private let state = Atomic(State.none)

  package init() {}

  /// A turn begins, and has parked the lane.
  package func parkedWhileLocked() {
    state.store(.uncontended, ordering: .relaxed)
  }

  /// Another thread has come. Returns whether a turn that has parked the lane is under way. If so, the end of that turn
  /// takes the lock, and so finds everything that this thread has done under the lock before.
  package func contended() -> Bool {
    SchedulePoint.pass()
    if state.load(ordering: .acquiring) == .none { return false }
    let exchange = state.compareExchange(
      expected: .uncontended,
      desired: .contended,
      ordering: .acquiringAndReleasing
    )
    return exchange.original != .none
  }

  /// The turn has reached its end. Returns whether it is over. If not, it must end under the lock.
  package func endedUncontended() -> Bool {
    SchedulePoint.pass()
    return state.compareExchange(
      expected: .uncontended,
      desired: .none,
      ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// A pass ends under the lock.
  package func endedWhileLocked() {
    state.store(.none, ordering: .relaxed)
  }
}
