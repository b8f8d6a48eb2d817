/// An element of a cursor, and the instant of the update from which the cursor made it.
@usableFromInline
package struct OrderedElement<Value: Sendable>: Sendable {
  @usableFromInline package let value: Value
  /// Nil if the reader does not know the instant: the update was current when the reader began, or the backlog of the
  /// reader is not `.unbounded`.
  @usableFromInline package let instant: LogicalInstant?

  @inlinable
  package init(_ value: Value, at instant: LogicalInstant?) {
    self.value = value
    self.instant = instant
  }

  /// Whether the update certainly came before `limit`.
  @inlinable
  package func isEarlier(than limit: LogicalInstant?) -> Bool {
    guard let instant, let limit else { return false }
    return instant < limit
  }
}

/// Adds to each element the instant of its update. The cell gives each update an instant while the cursor has its
/// position.
///
/// The reader loads the version of another cell to learn whether that cell was written before an update. A transaction
/// that writes both cells publishes one version, then the other, and only then releases the locks. So the cursor reads
/// no further than a version that its reader has seen under the lock of its own cell. By then the other cell has its
/// version too.
@usableFromInline
struct OrderedCursor<Base: BindingCursor>: WrappingCursor {
  @usableFromInline var base: Base
  // The instant of the last update that `base` has read.
  @usableFromInline var instant: LogicalInstant?
  /// How far the cursor may read; nil if the backlog is not `.unbounded`, because then no element has an instant. The
  /// reader moves this on, under the lock of the cell, when a turn begins and each time that the turn reads again.
  @usableFromInline let passSnapshot: AnyPassSnapshot?

  /// Takes a position in the cell. The reader stops the ordering when it leaves.
  @inlinable
  init(beginning base: Base, depth: UInt32) {
    self.base = base
    passSnapshot = depth == .max ? base.root.cell.makePassSnapshot() : nil
    // First: each update after the position must have an instant.
    if passSnapshot != nil { base.root.cell.startOrdering() }
    self.base.root.begin(depth: depth, reserved: nil)
    passSnapshot?.setVersion(self.base.root.seen &+ 1)
  }

  /// The pass snapshot, as this cursor reads it.
  @inlinable var pass: PassSnapshot<Base.Origin>? { passSnapshot.map { base.root.pass(showing: $0) } }

  // The instant must be looked up before the update is read: once the slot of the update in the log is empty, a writer
  // may use that slot again. So `base` must read no update that comes after the look-up. And one call must read at most
  // one update, or the instant belongs to an earlier update.
  //
  /// Returns the next element, with its instant. `pass` is always the cursor's own pass.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<OrderedElement<Base.Element>> {
    guard let passSnapshot else { return ordered(base.next(in: nil), at: nil) }
    assert(pass != nil, "an ordered cursor reads without a pass")
    let former = base.root.seen
    let next = former == passSnapshot.version ? nil : base.root.nextInstant
    let pull = base.next(in: pass)
    if base.root.seen != former { instant = next == .unordered ? nil : next }
    return ordered(pull, at: instant)
  }

  @inlinable
  func ordered(_ pull: Pull<Base.Element>, at instant: LogicalInstant?) -> Pull<OrderedElement<Base.Element>>
  {
    pull.flatMap { .element(OrderedElement($0, at: $1.isInitial ? nil : instant), $1) }
  }
}
