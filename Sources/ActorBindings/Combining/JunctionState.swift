/// What a junction knows of the cells that it follows, and what it keeps for its readers. A pure state machine, without
/// a lock.
///
/// ### States
/// Those of `FollowerState`: *detached*, *attached*, *with history*, *eager*. Apart from these:
/// - *known*: the joint cell shows what the last look found. Or, with history, it will show that when the history is
///   read: until then the junction is *behind*.
/// - *watched*: known, and each input waiter is parked, or its wake-up is still to come.
/// - *forgotten*: the next look counts as new, even if no cell was written since the last look.
///
/// ### Transitions
/// | event | known | watched | forgotten |
/// |---|---|---|---|
/// | `looked`, and a cell was written since the last look | the joint cell takes what the cells hold; with history, the junction reads the logs; watched if the input waiters are parked | the same | known or watched; as on the left |
/// | `looked`, and no cell was written | watched: the input waiters are parked | the same | – |
/// | `inputWaiterWoken`: a writer has woken an input waiter | known | known; the caller may look at only one cell, unless there is a history | the same |
/// | `sideLooked`: the caller has looked at only that cell, and has parked its input waiter again | – | – | – (see below) |
/// | `historyRead`: the joint cell shows what the last look found | no longer behind | the same | – |
/// | `forgotten`: the joint cell was emptied, or its history ended unread | forgotten | forgotten | the same |
/// | `readersChanged`, no reader is left | known | known | the same |
///
/// `sideLooked` follows `inputWaiterWoken` in the same hold of the lock, if the junction was *watched* before. It makes
/// the junction watched again.
///
/// The input waiters are parked by a look that finds nothing new, because a reader may be about to park. They are also
/// parked by a look for parked readers, and by each look of an eager junction. A detached junction has no input waiters.
///
/// ### Actions
/// `looked` says whether there is something new, and whether the caller must park the input waiters. The caller parks
/// them while it still holds the locks of the look.
///
/// ### Behavior
/// A look needs one addition per cell to find out whether anything is new: versions only rise, so their sum changes
/// when one of them changes. In the state *watched* a reader needs no look, unless the junction is behind or the sum of
/// the watermarks has changed since the last look. If a cell is written after that, its writer wakes an input waiter,
/// and so the parked readers.
@usableFromInline
package struct JunctionState: Sendable {
  @usableFromInline package internal(set) var follower = FollowerState()
  // The sum of the versions that the last look found; nil in the state *forgotten*.
  private var versions: UInt64?
  /// Whether each input waiter is parked, or its wake-up is still to come.
  package private(set) var isWatched = false
  // With history: whether the last look has found updates that the joint cell does not show yet.
  private var isBehind = false

  @usableFromInline
  package init() {}

  /// What a look at all cells has found.
  package struct LookOutcome: Sendable {
    /// Whether a cell was written since the last look.
    package let isNew: Bool
    /// Whether the caller parks an input waiter in each cell.
    package let parksInputWaiters: Bool
  }

  /// The junction has looked at all cells at one instant: `versions` is the sum of their versions.
  ///
  /// - Parameter isForParkedReaders: Whether the look publishes what is new for parked readers. They will probably park
  ///   again.
  package mutating func looked(_ versions: UInt64, isForParkedReaders: Bool = false) -> LookOutcome {
    let isNew = versions != self.versions
    self.versions = versions
    // If there is something new, this step publishes it, so no reader parks in this hold of the lock.
    let parksInputWaiters = follower.isAttached && (!isNew || follower.isEager || isForParkedReaders)
    isWatched = parksInputWaiters
    if isNew, follower.hasHistory { isBehind = true }
    return LookOutcome(isNew: isNew, parksInputWaiters: parksInputWaiters)
  }

  /// The junction has read the history up to what the last look found.
  package mutating func historyRead() {
    isBehind = false
  }

  /// Whether a reader needs no look if the watermarks are those of the last look.
  package var isLastLookUsable: Bool { isWatched && !isBehind }

  /// A writer has woken an input waiter. Returns whether it is enough to look at the cell of that input waiter, if the
  /// watermarks of the other cells are those of the last look.
  ///
  /// From here on that input waiter is not parked, even if the sum of the watermarks is that of the last look: the last
  /// look may have found the write before its writer has woken the input waiter.
  /// A history shows overlapping writes of several cells in the order of their instants. Only a look at all cells finds
  /// out that order.
  @usableFromInline
  package mutating func inputWaiterWoken() -> Bool {
    defer { isWatched = false }
    return isWatched && !isBehind && !follower.hasHistory
  }

  /// The junction has looked at the cell whose input waiter was woken, and parks that input waiter again. The version
  /// of that cell has risen by `updates` since the last look, and no other cell was written. Returns whether there is
  /// something new.
  package mutating func sideLooked(updates: UInt64) -> Bool {
    guard let versions else { preconditionFailure("a junction that has not looked yet looked at one cell") }
    return looked(versions &+ updates, isForParkedReaders: true).isNew
  }

  /// The joint cell no longer shows what the last look found.
  package mutating func forgotten() {
    versions = nil
    isWatched = false
    isBehind = false
  }

  // MARK: The events of `FollowerState`

  package mutating func attached() {
    follower.attached()
  }

  @inlinable
  package mutating func historyBegan() {
    follower.historyBegan()
  }

  @usableFromInline
  package mutating func readersChanged(
    isRead: Bool,
    keepsHistory: Bool,
    wantsAll: Bool
  ) -> FollowerState.Obligations {
    let obligations = follower.readersChanged(isRead: isRead, keepsHistory: keepsHistory, wantsAll: wantsAll)
    if obligations.contains(.detach) { isWatched = false }
    return obligations
  }
}
