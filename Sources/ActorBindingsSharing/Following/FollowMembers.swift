/// The members of a loop, by the key that they follow. Joining, leaving, and finding the members of a key take constant
/// time on average.
struct FollowMembers: Sendable {
  // Most keys have one member, and a dictionary of one element takes a quarter of a kilobyte.
  private enum OfKey: Sendable {
    case one(Membership)
    case several([ObjectIdentifier: Membership])

    func forEach(_ body: (Membership) -> Void) {
      switch self {
      case .one(let membership): body(membership)
      case .several(let memberships): memberships.values.forEach(body)
      }
    }
  }

  private var byKey: [StoreKey: OfKey] = [:]
  private var ofAllKeys: [ObjectIdentifier: Membership] = [:]

  mutating func insert(_ membership: Membership) {
    guard let key = membership.member.onlyKey.map(StoreKey.init) else {
      ofAllKeys[ObjectIdentifier(membership)] = membership
      return
    }
    switch byKey.removeValue(forKey: key) {
    case nil: byKey[key] = .one(membership)
    case .one(let first):
      byKey[key] = .several([ObjectIdentifier(first): first, ObjectIdentifier(membership): membership])
    case .several(var memberships):
      memberships[ObjectIdentifier(membership)] = membership
      byKey[key] = .several(memberships)
    }
  }

  mutating func remove(_ membership: Membership) {
    guard let key = membership.member.onlyKey.map(StoreKey.init) else {
      ofAllKeys[ObjectIdentifier(membership)] = nil
      return
    }
    switch byKey.removeValue(forKey: key) {
    case .one(let only) where only !== membership: byKey[key] = .one(only)
    case .several(var memberships):
      memberships[ObjectIdentifier(membership)] = nil
      if !memberships.isEmpty { byKey[key] = .several(memberships) }
    case nil, .one: break
    }
  }

  /// Removes and returns all members.
  mutating func removeAll() -> [Membership] {
    defer { self = FollowMembers() }
    var all = Array(ofAllKeys.values)
    for memberships in byKey.values { memberships.forEach { all.append($0) } }
    return all
  }

  /// Calls `body` for each member that has not left.
  func forEach(_ body: (any FollowMember) -> Void) {
    for memberships in byKey.values { memberships.forEach { Self.call($0, body) } }
    forEachOfAllKeys(body)
  }

  /// Calls `body` for each member that follows only this key.
  func forEach(of key: String, _ body: (any FollowMember) -> Void) {
    byKey[StoreKey(key)]?.forEach { Self.call($0, body) }
  }

  /// Calls `body` for each member that follows all keys.
  func forEachOfAllKeys(_ body: (any FollowMember) -> Void) {
    for membership in ofAllKeys.values { Self.call(membership, body) }
  }

  private static func call(_ membership: Membership, _ body: (any FollowMember) -> Void) {
    if !membership.isOver { body(membership.member) }
  }
}
