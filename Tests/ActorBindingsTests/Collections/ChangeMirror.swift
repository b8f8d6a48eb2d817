import ActorBindings

/// A reader that rebuilds an array from its changes.
final class ArrayMirror<Element: Sendable>: Sendable {
  private let current = Guarded<[Element]>([])
  private let changes = Recorder<ArrayChange<Element>>()
  private let token: BindingToken

  init(
    _ source: some BindingSource<PersistentArray<Element>>,
    _ context: ManualContext,
    _ backlog: Backlog = .latest
  ) {
    token = source.changes.observe(on: context.delivery, backlog: backlog) { [current, changes] change in
      changes.record(change)
      current.withLock { $0.apply(change) }
    }
  }

  var rows: [Element] { current.withLock { $0 } }
  /// The edits of the newest change; nil if that change was a reset.
  var lastEdits: [ArrayEdit<Element>]? { changes.last?.edits }
  var changeCount: Int { changes.count }
}

/// A reader that rebuilds a dictionary from its changes.
final class DictionaryMirror<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  private let current = Guarded<[Key: Element]>([:])
  private let changes = Recorder<DictionaryChange<Key, Element>>()
  private let token: BindingToken

  init(
    _ source: some BindingSource<PersistentDictionary<Key, Element>>,
    _ context: ManualContext,
    _ backlog: Backlog = .latest
  ) {
    token = source.changes.observe(on: context.delivery, backlog: backlog) { [current, changes] change in
      changes.record(change)
      current.withLock { $0.apply(change) }
    }
  }

  var rows: [Key: Element] { current.withLock { $0 } }
  /// The edits of the newest change; nil if that change was a reset.
  var lastEdits: [DictionaryEdit<Key, Element>]? { changes.last?.edits }
  var changeCount: Int { changes.count }
}
