import ActorBindings

/// What follows a scope: a shared cell, or a shared dictionary. The loop calls these methods one at a time, on its task
/// or on that of its subscription, without a lock.
package protocol FollowMember: AnyObject, Sendable {
  /// The only key that the member follows; nil if it follows all keys of the scope.
  var onlyKey: String? { get }

  /// A load has returned these entries of the member, and no others.
  func loaded(_ load: FollowedLoad)

  /// The subscription has yielded these changes of the member's entries.
  func changed(_ changes: [StoreChange])

  /// The link of the loop has changed.
  func linked(_ link: SharedLink)
}

/// The part of a load that one member follows.
package struct FollowedLoad: Sendable {
  /// The entries.
  let entries: [StoreEntry]
  /// The revision at which the entries are as they are.
  let revision: StoreRevision
  /// The ticket of the request.
  let began: UInt64
}

/// One member of a loop, from its call of `run` until it is cancelled or the store refuses.
// @unchecked: `lock` guards the variables.
package final class Membership: @unchecked Sendable {
  let member: any FollowMember
  private let onRefusal: (@Sendable (StoreError) -> Void)?
  private let lock = Lock()
  // Guarded by `lock`; nil while the membership lasts.
  private var end: End?
  // Guarded by `lock`. The call of `ended()` that waits.
  private var waiter: Resumption?

  private enum End: Sendable {
    case left
    case refused(StoreError)
  }

  /// - Parameter onRefusal: Called if the store refuses, unless the member has left before.
  init(_ member: any FollowMember, onRefusal: (@Sendable (StoreError) -> Void)? = nil) {
    self.member = member
    self.onRefusal = onRefusal
  }

  /// Whether the membership has ended.
  var isOver: Bool { lock.withLock { end != nil } }

  /// The member left. Returns false if the membership was over.
  func left() -> Bool { end(.left) }

  /// The store refused. Returns false if the membership was over.
  func refused(_ error: StoreError) -> Bool {
    guard end(.refused(error)) else { return false }
    onRefusal?(error)
    return true
  }

  private func end(_ end: End) -> Bool {
    let outcome = lock.withLock { () -> (isFirst: Bool, waiter: Resumption?) in
      guard self.end == nil else { return (false, nil) }
      self.end = end
      return (true, waiter.take())
    }
    outcome.waiter?.resume()
    return outcome.isFirst
  }

  /// Waits for the end. Throws the error of the store if it has refused.
  func ended() async throws {
    await Resumption.suspend { resumption in
      lock.withLock {
        guard end == nil else { return false }
        waiter = resumption
        return true
      }
    }
    if case .refused(let error) = lock.withLock({ end }) { throw error }
  }
}
