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
@usableFromInline
struct OrderedCursor<Base: BindingCursor>: WrappingCursor {
  @usableFromInline var base: Base
  // The instant of the last update that `base` has read.
  @usableFromInline var instant: LogicalInstant?
  // The version that the cell had when this cursor last held its lock.
  @usableFromInline var known: UInt64
  // Shows `base` how far it may read. Nil until it is needed.
  @usableFromInline var shown: AnyPassSnapshot?

  /// Takes a position in the cell. The reader stops the ordering when it leaves.
  @inlinable
  init(beginning base: Base, depth: UInt32) {
    self.base = base
    known = 0
    // First: each update after the position must have an instant.
    base.root.cell.startOrdering()
    self.base.root.begin(depth: depth, reserved: nil)
    known = self.base.root.seen &+ 1
  }

  // The instant must be looked up before the update is read: once the slot of the update in the log is empty, a writer
  // may use that slot again. So `base` must read no update that comes after the look-up.
  //
  // To learn whether another cell was written before this update, the reader loads the version of that cell. But a
  // transaction that writes both cells publishes one version after the other, and releases the locks after that. So the
  // cursor reads only updates up to a version that it has seen under the lock of its own cell: then the other cell has
  // its version too.
  //
  /// Returns the next element, with its instant.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<OrderedElement<Base.Element>> {
    guard base.root.depth == .max else { return ordered(base.next(in: pass), at: nil) }
    base.root.cell.refreshIfStale()
    let (watermark, former) = (base.root.cell.watermark, base.root.seen)
    if watermark.version != known { known = base.root.cell.version }
    if former != known {
      let next = base.root.nextInstant
      let pull = base.next(in: pass ?? show(Watermark(version: known, isFinished: false)))
      if base.root.seen != former { instant = next == .unordered ? nil : next }
      return ordered(pull, at: instant)
    }
    // Nothing is left to read in a cell. But an operator may have more elements of the last update.
    if Base.self == CellCursor<Base.Origin>.self { return watermark.isFinished ? .finished : .idle }
    return ordered(base.next(in: pass ?? show(watermark)), at: instant)
  }

  @inlinable
  func ordered(_ pull: Pull<Base.Element>, at instant: LogicalInstant?) -> Pull<OrderedElement<Base.Element>>
  {
    pull.flatMap { .element(OrderedElement($0, at: $1.isInitial ? nil : instant), $1) }
  }

  @inlinable
  mutating func show(_ watermark: Watermark) -> PassSnapshot<Base.Origin> {
    let shown = shown ?? base.root.cell.makePassSnapshot()
    self.shown = shown
    shown.setWatermark(watermark)
    return base.root.pass(showing: shown)
  }
}
