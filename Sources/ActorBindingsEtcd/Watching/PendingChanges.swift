package import ActorBindingsSharing

/// The changes that have come and were not taken: the newest change of each key, in the order of their revisions.
///
/// - Behavior: A change of a key replaces an earlier one, so a slow reader costs memory for each key, not for each
///   change. Both methods take amortized constant time for each change.
package struct PendingChanges: Sendable {
  // The slot of a change that was replaced is nil.
  private var slots: [StoreChange?] = []
  private var slotOfKey: [StoreKey: Int] = [:]

  /// The number of slots, for tests of the memory in use.
  package var slotCount: Int { slots.count }

  package init() {}

  /// Changes came, in the order of their revisions.
  package mutating func changesCame(_ changes: [StoreChange]) {
    for change in changes {
      let replaced = slotOfKey.updateValue(slots.count, forKey: StoreKey(change.key))
      if let replaced { slots[replaced] = nil }
      slots.append(change)
    }
    if slots.count > 2 * slotOfKey.count + 16 { removeEmptySlots() }
  }

  /// Returns all changes, and forgets them.
  package mutating func take() -> [StoreChange] {
    let changes = slots.compactMap(\.self)
    slots = []
    slotOfKey = [:]
    return changes
  }

  private mutating func removeEmptySlots() {
    slots.removeAll { $0 == nil }
    for (index, change) in slots.enumerated() {
      if let change { slotOfKey[StoreKey(change.key)] = index }
    }
  }
}
