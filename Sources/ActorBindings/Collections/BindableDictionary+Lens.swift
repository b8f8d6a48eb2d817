extension BindableDictionary {
  /// Returns a view of the value of one key, which can be read, written and observed like a cell. To remove the key,
  /// send nil.
  ///
  /// ```swift
  /// let limit = limits.lens(forKey: "uploads")
  /// limit.modify { $0 = ($0 ?? 0) + 1 }
  /// ```
  ///
  /// A write through the lens takes O(log n) steps. But each write to the dictionary wakes the readers of the lens. To
  /// follow one key, use `source(forKey:)`: only a write to that key wakes its readers.
  @inlinable
  public nonisolated func lens(forKey key: Key) -> Lens<Value, Element?> {
    Lens(cell, \Value.[key])
  }
}
