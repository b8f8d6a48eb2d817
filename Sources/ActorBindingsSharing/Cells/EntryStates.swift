/// The states of entries by their keys.
///
/// The state of the first key is held in place. A shared cell has no other, and a dictionary of one element would take a
/// quarter of a kilobyte, and a hash of the key for each event.
package struct EntryStates: Sendable {
  private var first: (key: StoreKey, state: EntryState)?
  private var others: [StoreKey: EntryState] = [:]

  package init() {}

  package var count: Int { others.count + (first == nil ? 0 : 1) }

  /// The keys, in any order.
  package var keys: [StoreKey] { (first.map { [$0.key] } ?? []) + others.keys }

  package subscript(key: StoreKey) -> EntryState? {
    get {
      if let first, first.key == key { return first.state }
      return others.isEmpty ? nil : others[key]
    }
    set {
      let isFirst = first.map { $0.key == key } ?? (others.isEmpty || others[key] == nil)
      if isFirst {
        first = newValue.map { (key, $0) }
      } else {
        others[key] = newValue
      }
    }
  }
}
