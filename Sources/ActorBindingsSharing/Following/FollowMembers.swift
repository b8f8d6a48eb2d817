/// The members of a loop, by the key that they follow. Joining, leaving, and finding the members of a key take constant
/// time on average.
struct FollowMembers: Sendable {
  private var byKey: [StoreKey: [ObjectIdentifier: Membership]] = [:]
  private var ofAllKeys: [ObjectIdentifier: Membership] = [:]

  mutating func insert(_ membership: Membership) {
    if let key = membership.member.onlyKey {
      byKey[StoreKey(key), default: [:]][ObjectIdentifier(membership)] = membership
    } else {
      ofAllKeys[ObjectIdentifier(membership)] = membership
    }
  }

  mutating func remove(_ membership: Membership) {
    guard let key = membership.member.onlyKey.map(StoreKey.init) else {
      ofAllKeys[ObjectIdentifier(membership)] = nil
      return
    }
    byKey[key]?[ObjectIdentifier(membership)] = nil
    if byKey[key]?.isEmpty == true { byKey[key] = nil }
  }

  /// Removes and returns all members.
  mutating func removeAll() -> [Membership] {
    defer { self = FollowMembers() }
    return byKey.values.flatMap(\.values) + ofAllKeys.values
  }

  /// Calls `body` for each member that has not left.
  func forEach(_ body: (any FollowMember) -> Void) {
    for memberships in byKey.values { Self.call(memberships, body) }
    forEachOfAllKeys(body)
  }

  /// Calls `body` for each member that follows only this key.
  func forEach(of key: String, _ body: (any FollowMember) -> Void) {
    if let memberships = byKey[StoreKey(key)] { Self.call(memberships, body) }
  }

  /// Calls `body` for each member that follows all keys.
  func forEachOfAllKeys(_ body: (any FollowMember) -> Void) {
    Self.call(ofAllKeys, body)
  }

  private static func call(
    _ memberships: [ObjectIdentifier: Membership],
    _ body: (any FollowMember) -> Void
  ) {
    for membership in memberships.values where !membership.isOver { body(membership.member) }
  }
}
