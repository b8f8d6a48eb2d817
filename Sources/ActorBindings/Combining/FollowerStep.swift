/// One step of a reader in a cell that follows others: what the lock was taken for, and how far the step has come. A pure
/// state machine, without a lock.
///
/// The reader's own part of a step is short: it reads, parks, or takes or gives up a position. But before it the cell must
/// be brought up to date, and after it the cell may have to read what has piled up in the logs. Either may be long, or
/// may run user code. So one step may take the lock several times; each time it goes on where it was.
///
/// There were two other ways. The lock could be held throughout: then a reader that was away for a million updates would
/// hold up all others for as long as it takes to read them, and user code would run under a lock. Or each portion could be a
/// step of its own, taken by a caller that asks again: then a reader could park between two of them, with updates unread.
///
/// ### States
/// - *preparing*: the cell is brought up to date. The reader's own part has not been done.
/// - *catchingUp*: it has been done. What piled up before the readers changed is read.
/// - *done*.
///
/// ### Transitions
/// | event | preparing | catchingUp |
/// |---|---|---|
/// | `taken`: the reader's own part is done | catching up if the cell must be brought up to date again, else done | – |
/// | `broughtUpToDate`: the cell is up to date | – | done |
///
/// ### Behavior
/// The reader's own part is done once, in a hold of the lock in which the cell was found up to date. What is written after
/// the first look is left to the next step: so a step ends, even if writers never pause.
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
