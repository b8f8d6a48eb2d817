public import Synchronization

/// One handler that follows a cell: its place in the updates, its recipient, and whether it has ended.
///
/// ### States
/// - *active*: it may be called.
/// - *cancelled*: by its token, its bag, its owner's end or its context's.
/// - *finished*: it was handed everything, and its cell has ended.
///
/// It ends once, by an exchange of `status`. Who wins that exchange sees to it that it is *buried*: unlinked and
/// uncounted under the lock, its captures released after it. A lane that is running buries at the end of a
/// pass; otherwise the canceller does it, unless the captures may be released on the context alone.
// @unchecked: each variable says what guards it.
@usableFromInline
package class Observation: Cancellable, @unchecked Sendable {
  @usableFromInline
  enum Status: Sendable {
    @usableFromInline static var active: UInt8 { 0 }
    @usableFromInline static var cancelled: UInt8 { 1 }
    @usableFromInline static var finished: UInt8 { 2 }
  }

  /// What became of one visit.
  @usableFromInline
  package enum Visit: Sendable {
    case caughtUp
    /// There is more; it has seen this version.
    case behind(UInt64)
    /// It ended in this visit.
    case ended

    /// How many elements one visit hands over at most; then others in the lane get their turn.
    @inlinable static var quantum: Int { 64 }
  }

  // The links of an `ObservationList`; guarded as the list is.
  final var next: ObservationLink?
  final var previous: ObservationLink?

  /// The handler and what it captured may be released on the context alone.
  @usableFromInline final let isConfined: Bool

  @usableFromInline final let status = Atomic<UInt8>(Status.active)

  // Guarded by `lock`. Nil once buried, so that a token that is kept does not keep the cell's memory.
  private final var lane: Lane?
  private final let lock = Lock()

  /// Hands over what a round has. A stored function, because a method that is found through a generic class's
  /// table is not specialized.
  @usableFromInline final let visit: (Observation, AnyRound) -> Visit

  @usableFromInline
  init(
    endsWithToken: Bool,
    isConfined: Bool,
    visit: @escaping (Observation, AnyRound) -> Visit
  ) {
    self.isConfined = isConfined
    self.visit = visit
    super.init(endsWithToken: endsWithToken)
  }

  /// Whether there is nobody left to call. Only on the context.
  func isGone() -> Bool { preconditionFailure("\(type(of: self)) does not know its recipient") }

  /// Takes a place in the cell's updates. Under the cell's lock.
  func take(_ depth: UInt32, _ roster: Roster) {
    preconditionFailure("\(type(of: self)) does not know its place")
  }

  /// Gives the place up. Under the cell's lock.
  func leave(_ roster: Roster) {
    preconditionFailure("\(type(of: self)) does not know its place")
  }

  /// Releases what the observation captured, and what its place held. Never under a lock.
  func release() {}

  final func enter(_ lane: Lane) {
    lock.withLock { self.lane = lane }
  }

  /// The last step of the burial, after the lock.
  final func buried() {
    release()
    let lane = lock.withLock { self.lane.take() }
    _ = consume lane
  }

  /// True for the one who ends it.
  @inlinable
  final func end(as outcome: UInt8) -> Bool {
    status.compareExchange(
      expected: Status.active,
      desired: outcome,
      ordering: .sequentiallyConsistent
    ).exchanged
  }

  @inlinable
  final var isActive: Bool {
    status.load(ordering: .sequentiallyConsistent) == Status.active
  }

  package final override func cancel() {
    guard end(as: Status.cancelled), let lane = lock.withLock({ lane }) else { return }
    lane.cancelled(self)
  }

  package final override func cancelAndWait() async {
    cancel()
    await lock.withLock({ lane })?.callsEnd()
  }

  package final override var isCancelled: Bool {
    status.load(ordering: .sequentiallyConsistent) == Status.cancelled
  }

  package final override var hasEnded: Bool { !isActive }
}
