/// Finds the subscriptions whose scope contains a key, in time that grows with the number of slashes in the key.
package struct ScopeIndex {
  private var byKey: [EntryPath: Set<Int>] = [:]
  private var byPrefix: [EntryPath: Set<Int>] = [:]

  package init() {}

  package mutating func joined(_ id: Int, _ scope: StoreScope) {
    change(scope) { $0.insert(id) }
  }

  package mutating func left(_ id: Int, _ scope: StoreScope) {
    change(scope) { $0.remove(id) }
  }

  /// The subscriptions whose scope contains a key.
  package func ids(for path: EntryPath) -> Set<Int> {
    var found = byKey[path] ?? []
    if byPrefix.isEmpty { return found }
    let key = Array(path.key.utf8)
    for index in key.indices where key[index] == UInt8(ascii: "/") {
      found.formUnion(byPrefix[EntryPath(key: String(decoding: key[...index], as: UTF8.self))] ?? [])
    }
    return found
  }

  private mutating func change(_ scope: StoreScope, _ body: (inout Set<Int>) -> Void) {
    switch scope {
    case .key(let key): Self.change(&byKey, key, body)
    case .prefix(let prefix): Self.change(&byPrefix, prefix, body)
    }
  }

  // Paths tell keys apart that only Unicode normalization makes equal.
  private static func change(
    _ sets: inout [EntryPath: Set<Int>],
    _ key: String,
    _ body: (inout Set<Int>) -> Void
  ) {
    let path = EntryPath(key: key)
    body(&sets[path, default: []])
    if sets[path]?.isEmpty == true { sets[path] = nil }
  }
}
