/// The part of a store that one subscription follows.
public enum StoreScope: Hashable, Sendable {
  /// One key.
  case key(String)
  /// All keys that begin with a prefix. The prefix ends in a slash.
  case prefix(String)

  /// Whether the scope contains a key.
  public func contains(_ key: String) -> Bool {
    switch self {
    case .key(let only): only == key
    case .prefix(let prefix): key.utf8.starts(with: prefix.utf8)
    }
  }
}

extension StoreScope {
  /// Creates the scope that a cell with this key follows: the folder of the key, or the key if it is in no folder.
  package init(containing key: String) {
    if let slash = key.utf8.lastIndex(of: UInt8(ascii: "/")) {
      self = .prefix(String(key[...slash]))
    } else {
      self = .key(key)
    }
  }
}
