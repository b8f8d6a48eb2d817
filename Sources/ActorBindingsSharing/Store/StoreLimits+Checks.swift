extension StoreLimits {
  /// Throws ``StoreError/refused(_:)`` if a store with these limits must refuse a write: its key is not allowed, or its
  /// bytes are too many. The message names the key, the store and the remedy.
  ///
  /// - Parameters:
  ///   - write: The write.
  ///   - store: The name of the store.
  public func check(_ write: StoreWrite, of store: String) throws {
    try check(key: write.key, of: store)
    try check(bytes: write.bytes?.count ?? 0, key: write.key, of: store)
  }

  /// Throws ``StoreError/refused(_:)`` if a key is not allowed in a store of this name.
  package func check(key: String, of store: String) throws {
    if let problem = problem(with: key) {
      throw StoreError.refused("the key \"\(key)\" is not allowed in \(store): \(problem)")
    }
  }

  /// Throws ``StoreError/refused(_:)`` if an entry has too many bytes for a store of this name.
  package func check(bytes: Int, key: String, of store: String) throws {
    if bytes > bytesPerEntry {
      throw StoreError.refused(
        """
        the value of "\(key)" has \(bytes) bytes, and \(store) takes \(bytesPerEntry) at most: divide the value \
        among several keys, or share only where it is
        """
      )
    }
  }

  // Says what is wrong with a key, and what to do about it; nil if the key is allowed.
  private func problem(with key: String) -> String? {
    if key.isEmpty { return "a key has at least one byte" }
    let count = key.utf8.count
    if count > bytesPerKey {
      return "it has \(count) bytes, and a key has \(bytesPerKey) at most: shorten it"
    }
    if key.utf8.contains(0) { return "remove the zero byte" }
    var (length, dots) = (0, 0)
    for byte in key.utf8 {
      if byte == UInt8(ascii: "/") {
        if let problem = problem(withPartOf: length, dots: dots) { return problem }
        (length, dots) = (0, 0)
      } else {
        length += 1
        if byte == UInt8(ascii: ".") { dots += 1 }
      }
    }
    return problem(withPartOf: length, dots: dots)
  }

  private func problem(withPartOf length: Int, dots: Int) -> String? {
    if length == 0 { return "put at least one character before, after and between slashes" }
    return length == dots && length <= 2 ? "no part between slashes may be . or .." : nil
  }
}
