/// One step of a reader in a cell that follows other cells: the purpose of the step, and how far the step has come. A
/// pure state machine, without a lock.
///
/// The reader's own part of a step is short: the reader takes a position, reads, parks, or gives up its position. But
/// before that part the cell must be brought up to date. After that part the cell may have to read what has piled up in
/// the logs. Both may take long, or may have to run user code, which must not run under the lock. So one step may take
/// the lock several times. Each time the step continues where it stopped.
///
/// There were two other ways. A step could hold the lock throughout. Then a reader that was away for a million updates
/// would hold up all other threads while it reads these updates, and user code would run under a lock. Or each hold of
/// the lock could be a step of its own, and the caller could take steps until everything is read. Then a reader could
/// park between two steps, with updates unread.
///
/// ### States
/// - *preparing*: the cell is being brought up to date. The reader's own part is not done yet.
/// - *catchingUp*: the reader's own part is done. The cell reads what piled up in the logs before the readers changed.
/// - *done*.
///
/// ### Transitions
/// | event | preparing | catchingUp |
/// |---|---|---|
/// | `taken`: the reader's own part is done | catching up if the cell must be brought up to date again, else done | – |
/// | `broughtUpToDate`: the cell is up to date | – | done |
///
/// ### Behavior
/// The reader does its own part once, in a hold of the lock in which the cell is up to date. The step leaves writes
/// after its first look to the next step, so a step ends even if writers never pause.
@usableFromInline
package struct FollowerStep: Sendable {
  @usableFromInline
  package enum Phase: Sendable {
    case preparing
    case catchingUp
    case done
  }

  @usableFromInline package let purpose: Upstream.Purpose
  @usableFromInline package internal(set) var phase = Phase.preparing

  @inlinable
  package init(for purpose: Upstream.Purpose) {
    self.purpose = purpose
  }

  @inlinable
  package mutating func taken(mustRefresh: Bool) {
    precondition(phase == .preparing, "the step of a reader was taken twice")
    phase = mustRefresh ? .catchingUp : .done
  }

  @inlinable
  package mutating func broughtUpToDate() {
    precondition(phase == .catchingUp, "the cell was brought up to date for a step that is \(phase)")
    phase = .done
  }
}
