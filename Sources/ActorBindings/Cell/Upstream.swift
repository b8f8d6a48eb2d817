/// Where the values of a cell come from, if no user code writes the cell. Each reader takes the lock of such a cell
/// through the cell's upstream.
// @unchecked: subclasses say what guards their state.
@usableFromInline
package class Upstream: @unchecked Sendable {
  @usableFromInline
  init() {}

  /// Why a thread takes the lock of the cell.
  @usableFromInline
  package enum Purpose: Sendable {
    /// To read, or to park if there is nothing to read.
    case reading
    /// To take a position in the updates.
    case joining(depth: UInt32)
    /// To give up a position in the updates.
    case leaving
    /// To bring the cell up to date, if a reader is parked.
    case refreshing
  }

  /// Performs one step under the lock of the cell, and the work that must come before and after that step.
  func read(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    preconditionFailure("\(type(of: self)) does not say how its cell is read")
  }

  // For inlinable callers: `read` itself is internal, so that subclasses of any access level may override it.
  @usableFromInline
  final func perform(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    read(cell, for: purpose, step)
  }

  /// Brings the cell up to date, by a read whose own step is empty.
  @usableFromInline
  final func refresh(_ cell: AnyCell, for purpose: Purpose = .reading) {
    read(cell, for: purpose) { _ in }
  }

  /// Brings the cell up to date with everything that was written before the call.
  func bringUpToDate(_ cell: AnyCell) {
    refresh(cell)
  }

  /// Whether there is something new that the cell does not hold yet. Called without any lock.
  @usableFromInline
  package var isStale: Bool { false }

  /// The cells that writers write, if this cell only shows what those cells hold; otherwise nil.
  var sources: [AnyCell]? { nil }

  /// The cells whose ends together end this cell, if these are not all `sources`; otherwise nil.
  var endingCells: [AnyCell]? { nil }

  /// The actor that owns the cells that writers write, if the cell of this upstream has no owner of its own.
  package var host: (any Actor)? { nil }

  /// Returns what feeds `cell` now. Called without any lock.
  func feeders(of cell: AnyCell) -> [Feeder] { sources?.map { Feeder(cell: $0) } ?? [] }

  /// Returns what `source` keeps because `cell` has not read it yet; nil if `cell` needs only the newest updates. Called
  /// without any lock.
  package func keptUpdates(in source: AnyCell, for cell: AnyCell) -> KeptUpdates? { nil }

  /// Whether the cell holds what several other cells hold.
  var isJoint: Bool { false }

  /// Whether readers of the cell compare the instants at which other cells were written.
  var comparesInstants: Bool { false }

  /// A writer of a cell that `cell` follows has woken `input`, which was parked there. Called without any lock.
  func inputWoken(_ input: Waiter, _ cell: AnyCell) {
    preconditionFailure("\(type(of: self)) parks no input")
  }

  /// Whether readers bring the cell up to date. If so, the cell's version does not rise until a reader looks.
  @usableFromInline package var isPulled: Bool { false }

  /// Whether a reader of a pulled cell may park without a look: the cell shows what the cells that it follows hold, and
  /// the next writer of one of them wakes the parked readers. Called under the lock of the cell.
  func mayParkWhileLocked() -> Bool { false }

  /// A junction is about to follow the cell. Called without any lock.
  func willBeFollowed(_ cell: AnyCell) {}

  /// A junction follows the cell now, or no longer follows it. Called without any lock.
  func followersChanged(_ cell: AnyCell) {}
}
