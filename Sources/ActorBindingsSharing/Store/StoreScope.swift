/// The part of a store that one subscription follows.
///
/// Two scopes are equal if the bytes of their keys or prefixes are.
public enum StoreScope: Sendable {
  /// One key.
  case key(String)
  /// All keys that begin with a prefix. The prefix ends in a slash.
  case prefix(String)

  /// Whether the scope contains a key.
  public func contains(_ key: String) -> Bool {
    switch self {
    case .key(let only): only.hasSameBytes(as: key)
    case .prefix(let prefix): key.utf8.starts(with: prefix.utf8)
    }
  }
}

extension StoreScope: Hashable {
  /// Whether two scopes are equal.
  public static func == (left: StoreScope, right: StoreScope) -> Bool {
    switch (left, right) {
    case (.key(let left), .key(let right)), (.prefix(let left), .prefix(let right)):
      left.hasSameBytes(as: right)
    case (.key, _), (.prefix, _): false
    }
  }

  /// Feeds the bytes of the key or the prefix into a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .key(let text), .prefix(let text): hasher.combine(StoreKey(text))
    }
  }
}

extension StoreScope {
  /// Creates the scope that a cell with this key follows: the folder of the key, or the key if it is in no folder.
  package init(containing key: String) {
    if let slash = key.utf8.lastIndex(of: UInt8(ascii: "/")) {
      // The bytes up to the slash: as a part of the string, the slash would include an accent that follows it.
      self = .prefix(String(decoding: key.utf8[...slash], as: UTF8.self))
    } else {
      self = .key(key)
    }
  }
}
