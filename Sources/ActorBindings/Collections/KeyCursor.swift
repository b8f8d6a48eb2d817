/// What the cell of one key shows its readers: a write to the key, or a dictionary to look the key up in.
public struct KeyView<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  @usableFromInline
  enum Content: Sendable {
    /// There is no reader, so nothing is kept.
    case unread
    /// The newest write to the key: its value, and the mark of its entry.
    case write(Element?, EntryMark?)
    case dictionary(PersistentDictionary<Key, Element>)
  }

  @usableFromInline let content: Content
  /// The version of the dictionary.
  @usableFromInline let version: UInt64

  @inlinable
  init(content: Content, version: UInt64) {
    self.content = content
    self.version = version
  }

  @inlinable
  init(_ write: KeyWrite<Key, Element>) {
    self.init(content: .write(write.element, write.mark), version: write.version)
  }

  @inlinable
  init(_ dictionary: PersistentDictionary<Key, Element>, version: UInt64) {
    self.init(content: .dictionary(dictionary), version: version)
  }

  @inlinable static var unread: KeyView { KeyView(content: .unread, version: 0) }
}

/// The cursor of the source of one key's value.
public struct KeyCursor<Key: Hashable & Sendable, Element: Sendable>: StateCursor {
  /// The innermost cursor.
  public var root: CellCursor<KeyView<Key, Element>>
  @usableFromInline let key: Key
  @usableFromInline let hash: UInt
  @usableFromInline let dictionary: Cell<PersistentDictionary<Key, Element>>
  // The entry that the reader was handed last; `.some(nil)` if the key had none.
  @usableFromInline var last: EntryMark??

  @inlinable
  init(_ key: Key, _ keys: WatchedKeys<Key, Element>) {
    self.key = key
    hash = HashBits.of(key)
    dictionary = keys.cell
    let cell = Cell<KeyView<Key, Element>>(.unread, inflow: KeyFollower(key, keys))
    cell.belongs(toHostOf: keys.cell)
    root = CellCursor(cell: cell)
  }

  /// What the dictionary holds for the key.
  @inlinable
  public var current: Element? { dictionary.value[key] }

  /// The next value of the key; nil while it has none.
  @inlinable
  public mutating func next(in round: Round<KeyView<Key, Element>>?) -> Pull<Element?> {
    switch root.nextFresh(in: round) {
    case .element(let view, let stamp):
      switch view.content {
      case .unread: return .rejected(stamp)
      case .write(let element, let mark):
        last = .some(mark)
        return .element(element, stamp)
      case .dictionary(let dictionary):
        let entry = dictionary.entry(forKey: key, hash: hash)
        if let last, last == entry?.mark { return .rejected(stamp) }
        last = .some(entry?.mark)
        return .element(entry?.value, stamp)
      }
    case .rejected(let stamp): return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }
}
