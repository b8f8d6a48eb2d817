extension BindingSource {
  /// Groups the entries of a dictionary by a property of their values. The result is a `StateSource` if this source is
  /// one.
  ///
  /// ```swift
  /// let byTeam = players.grouped(by: \.team)  // a dictionary of dictionaries
  /// let sizes = byTeam.mapElements(\.count)
  /// let red = byTeam.map { $0["red"] ?? [:] }  // one group
  /// ```
  ///
  /// A group is in the result as long as it has an entry. The entries of a group have their keys from this source.
  ///
  /// Each reader first calls `group` for all entries, and later only for entries that are written. A written entry
  /// costs a write to its group, and another to its former group if it changes the group. `changes` of the result says
  /// which groups have changed: `edits(from:)` of a group's new and old entries, or `changes` of a source of one group,
  /// say what has changed in the group. Reading `value` groups all entries.
  @inlinable
  public func grouped<Key, Element, Group: Hashable & Sendable>(
    by group: @escaping @Sendable (Element) -> Group
  ) -> DerivedSource<
    ElementsCursor<
      Cursor,
      some ElementsOperation<Value, PersistentDictionary<Group, PersistentDictionary<Key, Element>>>
    >
  >
  where Value == PersistentDictionary<Key, Element> {
    DerivedSource(ElementsCursor(base: cursor, GroupEntries(group)))
  }
}

/// The operation of `grouped(by:)`.
@usableFromInline
struct GroupEntries<Key: Hashable & Sendable, Element: Sendable, Group: Hashable & Sendable>: EditingOperation
{
  @usableFromInline typealias Input = PersistentDictionary<Key, Element>

  @usableFromInline let group: @Sendable (Element) -> Group
  @usableFromInline var input: Input = [:]
  // The group that each key's entry is in. So `group` runs once for each entry.
  @usableFromInline var groups: [Key: Group] = [:]
  @usableFromInline var storedOutput: PersistentDictionary<Group, Input> = [:]

  @inlinable
  init(_ group: @escaping @Sendable (Element) -> Group) {
    self.group = group
  }

  /// The current groups.
  @inlinable
  var output: PersistentDictionary<Group, Input> { storedOutput }

  @inlinable
  mutating func apply(_ edit: DictionaryEdit<Key, Element>) -> Bool {
    let old = groups[edit.key]
    let new = edit.newValue.map(group)
    if let old, old != new { remove(edit.key, from: old) }
    groups[edit.key] = new
    if let new, let element = edit.newValue {
      storedOutput[new, default: [:]].updateValue(element, forKey: edit.key)
    }
    return true
  }

  @inlinable
  mutating func remove(_ key: Key, from group: Group) {
    guard var rest = storedOutput[group] else { return }
    rest.removeValue(forKey: key)
    storedOutput[group] = rest.isEmpty ? nil : rest
  }
}
