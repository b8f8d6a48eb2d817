/// What the cells of a list of sources held at one instant.
@_documentation(visibility: internal)
public struct JointList<Value: Sendable>: Sendable {
  private(set) var items: PersistentArray<Snapshot<Value>>
  /// The versions of `items`. A reader compares them with those that it has seen, and so need not keep old values
  /// alive.
  private(set) var versions: PersistentArray<UInt64>

  init(_ items: [Snapshot<Value>]) {
    self.items = PersistentArray(items)
    versions = PersistentArray(items.map(\.version))
  }

  mutating func update(_ item: Snapshot<Value>, at index: Int) {
    items.update(item, at: index)
    versions.update(item.version, at: index)
  }

  /// The value of a joint cell that has no readers.
  static var empty: JointList { JointList([]) }
}
