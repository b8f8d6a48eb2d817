/// A key as a store tells keys apart: by its bytes. `String` takes two keys for equal whose bytes differ only by Unicode
/// normalization, as the bytes of one accented letter and of a letter followed by an accent.
package struct StoreKey: Hashable, Comparable, Sendable {
  /// The key.
  package let text: String

  /// The key with these bytes.
  package init(_ text: String) {
    self.text = text
  }

  package static func == (left: StoreKey, right: StoreKey) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  package static func < (left: StoreKey, right: StoreKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    let isHashed: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    if isHashed == nil { unsafe Array(text.utf8).withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
    hasher.combine(text.utf8.count)
  }
}

extension String {
  /// Whether two keys have the same bytes.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // Byte by byte took a fortieth of the time of a change over a store in memory.
    let areSame = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      unsafe other.utf8.withContiguousStorageIfAvailable { unsafe bytes.elementsEqual($0) }
    }
    return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
