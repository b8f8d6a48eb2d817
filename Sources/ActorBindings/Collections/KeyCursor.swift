/// The value of the cell of one key: a write to the key, or a dictionary in which the reader looks the key up.
@usableFromInline
enum KeyView<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  /// The cell has no reader, so it keeps nothing.
  case unread
  /// The newest write to the key: the value of the key, and the write ID of the key's entry.
  case write(Element?, WriteID?)
  case dictionary(PersistentDictionary<Key, Element>)
}

/// The cursor of the source of one key's value.
@usableFromInline
struct KeyCursor<Key: Hashable & Sendable, Element: Sendable>: StateCursor {
  /// The innermost cursor.
  @usableFromInline var root: CellCursor<KeyView<Key, Element>>
  @usableFromInline let key: Key
  @usableFromInline let hash: UInt
  @usableFromInline let dictionary: Cell<PersistentDictionary<Key, Element>>
  // The write ID of the last entry that the reader received; `.some(nil)` if the key had no entry; nil before the first
  // element.
  @usableFromInline var last: WriteID??

  @inlinable
  init(_ key: Key, _ keys: WatchedKeys<Key, Element>) {
    self.key = key
    hash = HashBits.of(key)
    dictionary = keys.cell
    let cell = Cell<KeyView<Key, Element>>(.unread, upstream: KeyFollower(key, hash: hash, keys))
    cell.isMade(by: "source(forKey:)")
    root = CellCursor(cell: cell)
  }

  /// The current value of the key in the dictionary.
  @inlinable
  var current: Element? { dictionary.value[key] }

  /// Returns the next value of the key. The element is nil while the key has no value.
  @inlinable
  mutating func next(in pass: PassSnapshot<KeyView<Key, Element>>?) -> Pull<Element?> {
    root.nextFresh(in: pass).flatMap { view, stamp in
      switch view {
      case .unread: return .rejected(stamp)
      case .write(let element, let writeID):
        last = .some(writeID)
        return .element(element, stamp)
      case .dictionary(let dictionary):
        let entry = dictionary.entry(forKey: key, hash: hash)
        if let last, last == entry?.writeID { return .rejected(stamp) }
        last = .some(entry?.writeID)
        return .element(entry?.value, stamp)
      }
    }
  }
}
