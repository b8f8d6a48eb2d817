public import Synchronization

/// What of a cell does not depend on its value: the lock, the roster, and the actor whose cell it is.
// @unchecked: `storedRoster` is guarded by `lock`; `host` is set once, before the cell is shared.
@usableFromInline
package class AnyCell: @unchecked Sendable {
  @usableFromInline final let lock = Lock()
  // Guarded by `lock`, so it need not be checked for overlapping accesses; that would cost as much as the lock.
  @exclusivity(unchecked) @usableFromInline final var storedRoster = Roster()

  // Published under the lock, by who writes; anybody may look.
  @usableFromInline final let published = Atomic(Horizon(version: 0, isFinished: false))

  /// Where its values come from, if nobody writes it from outside.
  @usableFromInline final let inflow: Inflow?

  /// It holds what several other cells hold.
  @usableFromInline final var isJoint: Bool { inflow?.isJoint ?? false }

  /// The actor whose cell this is, while it lives.
  package private(set) final weak var host: (any Actor)?

  /// What code asks of the cell that does not know the type of its value.
  @safe
  @usableFromInline
  package enum ErasedOperation {
    /// A round takes a copy of the value. Under the lock.
    case copyValue(AnyRound)
    /// A round releases its copy. Never under a lock.
    case releaseValue(AnyRound)
    /// The value at an address becomes the value of the cell; the old one is at the address then. Under the lock.
    case exchange(UnsafeMutableRawPointer, UnsafeMutablePointer<Exchange>)
    /// Destroys the value at an address. Never under a lock.
    case destroy(UnsafeMutableRawPointer)
  }

  /// Performs an operation. A stored function, because a method that is found through a generic class's table is not
  /// specialized.
  private let perform: @Sendable (AnyCell, ErasedOperation) -> Void

  @usableFromInline
  init(
    inflow: Inflow?,
    perform: @escaping @Sendable (AnyCell, ErasedOperation) -> Void
  ) {
    self.inflow = inflow
    self.perform = perform
  }

  /// A round begins, under the lock. It holds no value then, so nothing is released here.
  package final func begin(_ round: AnyRound, _ roster: Roster) {
    round.begin(roster)
    perform(self, .copyValue(round))
  }

  /// A round is over.
  package final func end(_ round: AnyRound) {
    perform(self, .releaseValue(round))
  }

  /// Makes the value at an address the value of the cell, and leaves the old one there. Under the lock.
  final func exchangeValueWhileLocked(at address: UnsafeMutableRawPointer, _ exchange: inout Exchange) {
    unsafe withUnsafeMutablePointer(to: &exchange) { unsafe perform(self, .exchange(address, $0)) }
  }

  /// Destroys a value of the cell's type.
  final func destroyValue(at address: UnsafeMutableRawPointer) {
    unsafe perform(self, .destroy(address))
  }

  /// Called once, by the initializer of the actor.
  @usableFromInline
  package final func belongs(to host: any Actor) {
    self.host = host
  }

  /// Called once, for a cell that follows others: it belongs to the actor of the first one, while that lives.
  @usableFromInline
  package final func belongs(toHostOf first: AnyCell) {
    host = first.host
  }

  /// A round that has looked at nothing yet.
  package func makeRound() -> AnyRound {
    preconditionFailure("\(type(of: self)) does not know its value")
  }

  /// How far the cell has come, without the lock.
  @inlinable
  @inline(__always)
  package final var horizon: Horizon {
    SchedulePoint.pass()
    return published.load(ordering: .acquiring)
  }

  /// Looks a moment for news for who has seen `version`. True if there is.
  ///
  /// For those who were busy just now: who has written more than once meanwhile will write again, and to park, to be
  /// woken and to be scheduled costs both sides more than this moment.
  @inlinable
  package final func lingers(after version: UInt64) -> Bool {
    // Nothing would come: that is for who looks to see to.
    if let inflow, inflow.isPulled { return false }
    SchedulePoint.pass()
    for _ in 0..<Self.moment where published.load(ordering: .relaxed).version != version { return true }
    return false
  }

  /// So many looks: some hundred nanoseconds.
  @inlinable static var moment: Int { 400 }

  /// Under the lock: the cell has come so far.
  @inlinable
  final func publish(_ horizon: Horizon) {
    SchedulePoint.pass()
    published.store(horizon, ordering: .releasing)
    // Who looks without the lock may see this before the lock is let go.
    SchedulePoint.pass()
  }

  /// One step under the lock. Whatever it returns is acted upon, or released, after the lock.
  @inlinable
  @inline(__always)
  package final func locked<Result: Sendable>(_ step: (inout Roster) -> Result) -> Result {
    lock.withLock { unsafe step(&storedRoster) }
  }

  /// One step under the lock, for somebody who reads: first the cell is brought up to date, if nobody writes it.
  @inlinable
  @inline(__always)
  package final func locked<Result: Sendable>(
    for purpose: Inflow.Purpose,
    _ step: (inout Roster) -> Result
  ) -> Result {
    guard let inflow else { return locked(step) }
    return locked(with: inflow, for: purpose, step)
  }

  @usableFromInline
  final func locked<Result: Sendable>(
    with inflow: Inflow,
    for purpose: Inflow.Purpose,
    _ step: (inout Roster) -> Result
  ) -> Result {
    var result: Result?
    inflow.locked(self, for: purpose) { result = step(&$0) }
    guard let result else { preconditionFailure("\(type(of: inflow)) left a step out") }
    return result
  }

  /// Brings the cell up to date, if nobody writes it and there is something new.
  @inlinable
  @inline(__always)
  package final func freshen() {
    if let inflow, inflow.isStale { locked(with: inflow, for: .looking) { _ in } }
  }

  package final func finish() {
    let woken = locked { roster in
      defer { publish(roster.horizon) }
      return roster.finish()
    }
    woken.wake()
  }
}

extension AnyCell: CustomReflectable {
  /// Nothing: what a mirror would read is guarded by the lock, and a failed `#expect` reflects whatever it can.
  @usableFromInline package final var customMirror: Mirror { Mirror(self, children: []) }
}

// It is performed at once.
@available(*, unavailable)
extension AnyCell.ErasedOperation: Sendable {}
