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

  // What is small comes first: there may be very many of these.

  /// The handler and what it captured may be released on the context alone.
  @usableFromInline final let isConfined: Bool

  @usableFromInline final let status = Atomic<UInt8>(Status.active)

  private final let lock = Lock()
  // Guarded by `lock`. Nil once buried, so that a token that is kept does not keep the cell's memory.
  private final var lane: Lane?

  // The links of an `ObservationList`; guarded as the list is.
  final var next: ObservationLink?
  final var previous: ObservationLink?

  /// What is asked of an observation.
  @usableFromInline
  package enum Request: Sendable {
    /// Takes a place in the cell's updates. Under the cell's lock.
    case begin(depth: UInt32, version: UInt64)
    /// Hands over what a round has. On the context.
    case visit(AnyRound)
    /// Ends if there is nobody left to call. On the context.
    case look
    /// Gives the place up. Under the cell's lock.
    case leave(version: UInt64)
    /// Releases what was captured, and what the place held. Never under a lock.
    case release
  }

  /// Does what is asked; what it returns matters after `visit` and `look`. A stored function, because a method that is
  /// found through a generic class's table is not specialized.
  @usableFromInline final let perform: (Observation, Request) -> Visit

  @usableFromInline
  init(
    endsWithToken: Bool,
    isConfined: Bool,
    perform: @escaping (Observation, Request) -> Visit
  ) {
    self.isConfined = isConfined
    self.perform = perform
    super.init(endsWithToken: endsWithToken)
  }

  /// Gives the place up. Under the cell's lock.
  final func leave(_ roster: Roster) {
    _ = perform(self, .leave(version: roster.version))
  }

  final func enter(_ lane: Lane) {
    lock.withLock { self.lane = lane }
  }

  /// The last step of the burial, after the lock.
  final func buried() {
    _ = perform(self, .release)
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
