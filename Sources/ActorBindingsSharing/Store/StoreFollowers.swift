import ActorBindings
import Synchronization

/// The loops that follow a store, one for each scope that cells of this process follow.
///
/// A store declares one as `let followers = StoreFollowers()`; only the library uses it.
public final class StoreFollowers: Sendable {
  /// The time by which the loops wait.
  package let time: Timeline
  /// Returns a random number from 0 to 1, by which delays are shortened.
  package let jitter: @Sendable () -> Double
  private let tickets = Atomic<UInt64>(0)
  private let tasks = Atomic<Int>(0)
  private let table = Table()

  /// Creates the loops of a store: none yet.
  ///
  /// - Parameter clock: The clock by which the loops wait.
  public convenience init(clock: some Clock<Duration> = ContinuousClock()) {
    self.init(clock: clock) { .random(in: 0...1) }
  }

  /// Creates the loops of a store whose delays a test fixes.
  package init(clock: some Clock<Duration>, jitter: @escaping @Sendable () -> Double) {
    time = Timeline(clock)
    self.jitter = jitter
  }

  /// A ticket greater than all before: tickets order the events of this process.
  func makeTicket() -> UInt64 {
    tickets.add(1, ordering: .acquiringAndReleasing).newValue
  }

  /// The number of loops.
  package var loopCount: Int { table.count }

  /// The number of tasks that the loops have started, and that have not ended.
  package var taskCount: Int { tasks.load(ordering: .acquiring) }

  /// A task of a loop has begun.
  func taskBegan() { tasks.add(1, ordering: .acquiringAndReleasing) }

  /// A task of a loop has ended.
  func taskEnded() { tasks.subtract(1, ordering: .acquiringAndReleasing) }

  /// Lets a member follow a scope until the task is cancelled. Throws if the store refuses. When it returns to the last
  /// member of the scope, the loop, its tasks and its subscription have ended.
  func follow(_ scope: StoreScope, of store: any SharedStore, by member: any FollowMember) async throws {
    let following = makeFollowing(scope, of: store, by: member)
    following.begin()
    let end = await Result(of: {
      try await withTaskCancellationHandler {
        try await following.membership.ended()
      } onCancel: {
        _ = following.leave()
      }
    })
    await following.end()
    try end.get()
  }

  /// Returns what lets a member follow a scope. The caller calls `begin` once, and `end` once after the membership has
  /// ended.
  ///
  /// - Parameter refused: Called if the store refuses, unless the member has left before.
  func makeFollowing(
    _ scope: StoreScope,
    of store: any SharedStore,
    by member: any FollowMember,
    refused: (@Sendable (StoreError) -> Void)? = nil
  ) -> Following {
    let membership = Membership(member, onRefusal: refused)
    if let loop = table.joined(scope) {
      return Following(loop: loop, membership: membership, followers: self)
    }
    let state = FollowState(FollowState.Timing(idle: store.limits.idleLimit), now: time.now)
    let (loop, isFirst) = table.joined(FollowLoop(scope, of: store, in: self, state))
    if isFirst { loop.start() }
    return Following(loop: loop, membership: membership, followers: self)
  }

  /// The part of one member in a loop.
  struct Following: Sendable {
    fileprivate let loop: FollowLoop
    fileprivate let membership: Membership
    fileprivate let followers: StoreFollowers

    /// Lets the member receive what the loop knows, and all changes.
    func begin() { loop.post(.joined(membership)) }

    /// Ends the membership. Returns false if it had ended.
    func leave() -> Bool {
      guard membership.left() else { return false }
      loop.post(.left(membership))
      return true
    }

    /// Returns after the membership has ended. When it returns to the last member of the scope, the loop has ended.
    func end() async {
      if followers.table.left(loop) { await loop.stop() }
    }
  }

  /// The store refused: the next member of the scope begins another loop.
  func refused(_ loop: FollowLoop) {
    table.removed(loop)
  }
}

/// The loops by scope, and the number of members of each.
// @unchecked: `lock` guards the variable.
private final class Table: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var loops: [StoreScope: FollowLoop] = [:]

  var count: Int { lock.withLock { loops.count } }

  /// A member joined a scope. Returns the loop of the scope; nil if there is none.
  func joined(_ scope: StoreScope) -> FollowLoop? {
    lock.withLock {
      loops[scope]?.memberCountWhileLocked += 1
      return loops[scope]
    }
  }

  /// A member joined the scope of a new loop. Returns the loop of that scope, and whether the caller starts it: if there
  /// was no loop, it is the new one.
  func joined(_ new: FollowLoop) -> (loop: FollowLoop, isFirst: Bool) {
    lock.withLock {
      if let loop = loops[new.scope] {
        loop.memberCountWhileLocked += 1
        return (loop, false)
      }
      new.memberCountWhileLocked = 1
      loops[new.scope] = new
      return (new, true)
    }
  }

  /// A member left. Returns whether it was the last one, so that the caller stops the loop.
  func left(_ loop: FollowLoop) -> Bool {
    lock.withLock {
      loop.memberCountWhileLocked -= 1
      guard loop.memberCountWhileLocked == 0 else { return false }
      if loops[loop.scope] === loop { loops[loop.scope] = nil }
      return true
    }
  }

  /// Members that come later begin another loop.
  func removed(_ loop: FollowLoop) {
    lock.withLock { if loops[loop.scope] === loop { loops[loop.scope] = nil } }
  }
}
