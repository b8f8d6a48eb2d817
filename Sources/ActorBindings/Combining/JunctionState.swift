/// What a junction knows of the cells that it follows, and what it keeps for its readers. A pure state machine, without
/// a lock.
///
/// ### States
/// Those of `FollowerState`: *detached*, *attached*, *with history*, *eager*. Apart from these:
/// - *known*: the joint cell shows what the last look found, or will show it when the history is read.
/// - *forgotten*: the next look counts as new, even if no cell was written since the last look.
///
/// ### Transitions
/// | event | known | forgotten |
/// |---|---|---|
/// | `looked`, and a cell was written since the last look | the joint cell takes what the cells hold; with history, the junction reads the logs | known; as on the left |
/// | `looked`, and no cell was written | the input waiters are parked | – |
/// | `forgotten`: the joint cell was emptied, or its history ended unread | forgotten | the same |
///
/// An eager junction parks the input waiters at each look. A detached junction has no input waiters.
///
/// ### Actions
/// `looked` says whether there is something new, and whether the caller must park the input waiters. The caller parks
/// them while it still holds the locks of the look.
///
/// ### Behavior
/// A look needs one addition per cell to find out whether anything is new: versions only rise, so their sum changes
/// when one of them changes.
@usableFromInline
package struct JunctionState: Sendable {
  @usableFromInline package internal(set) var follower = FollowerState()
  // The sum of the versions that the last look found; nil in the state *forgotten*.
  private var versions: UInt64?

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
  package mutating func looked(_ versions: UInt64) -> LookOutcome {
    let isNew = versions != self.versions
    self.versions = versions
    // If there is something new, this step publishes it, so no reader parks in this hold of the lock.
    let parksInputWaiters = follower.isAttached && (!isNew || follower.isEager)
    return LookOutcome(isNew: isNew, parksInputWaiters: parksInputWaiters)
  }

  /// The joint cell no longer shows what the last look found.
  package mutating func forgotten() {
    versions = nil
  }

  // MARK: The events of `FollowerState`

  package mutating func attached() {
    follower.attached()
  }

  @inlinable
  package mutating func historyBegan() {
    follower.historyBegan()
  }

  @inlinable
  package mutating func readersChanged(
    isRead: Bool,
    keepsHistory: Bool,
    wantsAll: Bool
  ) -> FollowerState.Obligations {
    follower.readersChanged(isRead: isRead, keepsHistory: keepsHistory, wantsAll: wantsAll)
  }
}
