extension PersistentDictionary: Sequence {
  /// A key and its value.
  public typealias Element = (key: Key, value: Value)

  /// An iterator over the entries of a dictionary, as they were when the iterator was created.
  @safe
  public struct Iterator: IteratorProtocol {
    // Keeps all nodes alive.
    @usableFromInline let storage: DictionaryStorage?
    // The nodes on the path to the current node, and for each node the index of the next child.
    @usableFromInline var path: ContiguousArray<(node: View, child: Int)> = unsafe []
    // The next entry of the current node, and the number of entries that are left in this node.
    @usableFromInline var entry: UnsafeMutablePointer<View.Entry>?
    @usableFromInline var rest = 0

    @inlinable
    init(_ storage: DictionaryStorage?) {
      self.storage = storage
      unsafe entry = nil
      if let storage { unsafe enter(View(storage.root)) }
    }

    /// Returns the next entry; nil after the last.
    @inlinable
    public mutating func next() -> Element? {
      while rest == 0 {
        guard advance() else { return nil }
      }
      guard let current = unsafe entry else { return nil }
      rest -= 1
      unsafe entry = current + 1
      return withExtendedLifetime(storage) { unsafe (current.pointee.key, current.pointee.value) }
    }

    @inlinable
    mutating func enter(_ node: View) {
      unsafe path.append((node, 0))
      unsafe entry = node.entries
      rest = unsafe node.shape.entryCount
    }

    /// Enters the next node. Returns false if there is none.
    @inlinable
    mutating func advance() -> Bool {
      while let (node, child) = unsafe path.last {
        if unsafe child < node.shape.childCount {
          unsafe path[path.count - 1].child += 1
          unsafe enter(View(node.children[child]))
          return true
        }
        unsafe path.removeLast()
      }
      return false
    }
  }

  /// Returns an iterator over the entries, in an unspecified order.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(storage) }

  /// The number of entries.
  @inlinable
  public var underestimatedCount: Int { count }
}

@available(*, unavailable)
extension PersistentDictionary.Iterator: Sendable {}

extension PersistentDictionary {
  /// The keys of a dictionary, in the order of its entries.
  public struct Keys: Sequence, Sendable {
    @usableFromInline let dictionary: PersistentDictionary

    @inlinable
    init(_ dictionary: PersistentDictionary) {
      self.dictionary = dictionary
    }

    /// The number of keys.
    @inlinable
    public var count: Int { dictionary.count }

    /// Whether there are no keys.
    @inlinable
    public var isEmpty: Bool { dictionary.isEmpty }

    /// Returns whether the dictionary has `key`: a lookup, which does not visit the other keys.
    @inlinable
    public func contains(_ key: Key) -> Bool {
      dictionary.holds(key, hash: HashBits.of(key))
    }

    /// Returns an iterator over the keys.
    @inlinable
    public func makeIterator() -> some IteratorProtocol<Key> { dictionary.lazy.map { $0.key }.makeIterator() }

    /// The number of keys.
    @inlinable
    public var underestimatedCount: Int { count }
  }

  /// The values of a dictionary, in the order of its entries.
  public struct Values: Sequence, Sendable {
    @usableFromInline let dictionary: PersistentDictionary

    @inlinable
    init(_ dictionary: PersistentDictionary) {
      self.dictionary = dictionary
    }

    /// The number of values.
    @inlinable
    public var count: Int { dictionary.count }

    /// Whether there are no values.
    @inlinable
    public var isEmpty: Bool { dictionary.isEmpty }

    /// Returns an iterator over the values.
    @inlinable
    public func makeIterator() -> some IteratorProtocol<Value> {
      dictionary.lazy.map { $0.value }.makeIterator()
    }

    /// The number of values.
    @inlinable
    public var underestimatedCount: Int { count }
  }

  /// The keys.
  @inlinable
  public var keys: Keys { Keys(self) }

  /// The values.
  @inlinable
  public var values: Values { Values(self) }
}
