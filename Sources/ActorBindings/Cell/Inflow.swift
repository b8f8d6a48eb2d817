/// Where the values of a cell come from that nobody writes from outside: it is in the way of whoever takes its lock to
/// read.
// @unchecked: subclasses say what guards their state.
@usableFromInline
package class Inflow: @unchecked Sendable {
  @usableFromInline
  init() {}

  /// Why somebody takes the lock.
  @usableFromInline
  package enum Purpose: Sendable {
    /// To read, or to park if there is nothing to read.
    case looking
    /// To take a place.
    case joining(depth: UInt32)
    /// To give one up.
    case leaving
    /// To bring it up to date, if somebody has parked.
    case feeding
  }

  /// One step under the lock of the cell, and what must be done before and after it.
  func locked(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    preconditionFailure("\(type(of: self)) does not say how its cell is read")
  }

  /// Whether there is something new that the cell does not hold yet. Without any lock.
  @usableFromInline
  package var isStale: Bool { false }

  /// The cells that are written, if this only shows what they hold.
  var sources: [AnyCell]? { nil }

  /// The cells that `cell` is fed from now. Without any lock.
  func upstream(of cell: AnyCell) -> [AnyCell] { sources ?? [] }

  /// The cell holds what several other cells hold.
  var isJoint: Bool { false }

  /// Readers bring the cell up to date: its own version does not rise before one looks.
  @usableFromInline package var isPulled: Bool { false }

  /// A junction is about to follow the cell. Without any lock.
  func willBeFollowed(_ cell: AnyCell) {}

  /// A junction follows the cell now, or does so no more. Without any lock.
  func followersChanged(_ cell: AnyCell) {}
}
