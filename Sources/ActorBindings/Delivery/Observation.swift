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
package class Observation<Value: Sendable>: Cancellable, @unchecked Sendable {
  @usableFromInline
  enum Status {
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
  }

  // The links of an `ObservationList`; guarded as the list is.
  final var next: ObservationLink<Value>?
  final var previous: ObservationLink<Value>?

  /// The handler and what it captured may be released on the context alone.
  @usableFromInline final let isConfined: Bool

  @usableFromInline final let status = Atomic<UInt8>(Status.active)

  // Guarded by `lock`. Nil once buried, so that a token that is kept does not keep the cell's memory.
  private final var lane: Lane<Value>?
  private final let lock = Lock()

  /// Hands over what `feed` has. A stored function, because a method that is found through a generic class's
  /// table is not specialized.
  @usableFromInline final let visit: (Observation<Value>, inout Feed<Value>) -> Visit

  @usableFromInline
  init(
    endsWithToken: Bool,
    isConfined: Bool,
    visit: @escaping (Observation<Value>, inout Feed<Value>) -> Visit
  ) {
    self.isConfined = isConfined
    self.visit = visit
    super.init(endsWithToken: endsWithToken)
  }

  /// Whether there is nobody left to call. Only on the context.
  func isGone() -> Bool { preconditionFailure("\(type(of: self)) does not know its recipient") }

  /// Takes a place in the cell's updates. Under the cell's lock.
  func take(_ depth: UInt32, in state: inout CellState<Value>) {
    preconditionFailure("\(type(of: self)) does not know its place")
  }

  /// Gives the place up. Under the cell's lock; what is returned is released after it.
  func leave(_ state: inout CellState<Value>) -> Window<Value>.Spill {
    preconditionFailure("\(type(of: self)) does not know its place")
  }

  /// Releases what the observation captured. Never under a lock.
  func release() {}

  final func enter(_ lane: Lane<Value>) {
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

/// An observation with its cursor and its recipient.
@usableFromInline
final class CursorObservation<Cursor: BindingCursor, Target: Recipient>: Observation<Cursor.Origin>,
  @unchecked Sendable
where Target.Element == Cursor.Element {
  @usableFromInline
  struct Work {
    @usableFromInline var cursor: Cursor
    @usableFromInline let target: Target

    @inlinable
    init(cursor: Cursor, target: Target) {
      self.cursor = cursor
      self.target = target
    }
  }

  /// Elements that one visit hands over at most; others in the lane get their turn then.
  @inlinable static var quantum: Int { 64 }

  // The drainer's while the lane runs, and then nil during a visit; guarded by the cell's lock otherwise.
  @usableFromInline var work: Work?

  @inlinable
  init(_ cursor: Cursor, _ target: Target, endsWithToken: Bool, isConfined: Bool) {
    work = Work(cursor: cursor, target: target)
    super.init(endsWithToken: endsWithToken, isConfined: isConfined) { observation, feed in
      unsafe unsafeDowncast(observation, to: CursorObservation.self).handOver(&feed)
    }
  }

  @inlinable
  func handOver(_ feed: inout Feed<Cursor.Origin>) -> Visit {
    // Moved out and back: the handler may do anything meanwhile, and no reference is counted.
    guard var work = work.take() else { return .caughtUp }
    defer { self.work = work }
    for _ in 0..<Self.quantum {
      // The check that makes a cancellation hold: from here on this call counts as started.
      guard isActive else { return .caughtUp }
      switch work.cursor.next(in: &feed) {
      case .element(let element, _):
        // This calls the handler. No lock is held: it may do whatever it likes, to this cell too.
        guard work.target.receive(element) else { return ended(as: Status.cancelled) }
      case .rejected: continue
      case .idle: return .caughtUp
      case .finished: return ended(as: Status.finished)
      }
    }
    return .behind(work.cursor.root.place.seen)
  }

  // Somebody who cancelled it first sees to the burial.
  @inlinable
  func ended(as outcome: UInt8) -> Visit {
    end(as: outcome) ? .ended : .caughtUp
  }

  override func isGone() -> Bool { work?.target.isGone ?? false }

  override func take(_ depth: UInt32, in state: inout CellState<Cursor.Origin>) {
    work?.cursor.root.place = state.joined(depth: depth)
  }

  override func leave(_ state: inout CellState<Cursor.Origin>) -> Window<Cursor.Origin>.Spill {
    precondition(work != nil, "an observation was buried during its visit")
    return state.left(&work!.cursor.root.place)
  }

  override func release() {
    work = nil
  }
}
