import ActorBindingsSharing

/// Translates keys of the store into keys of etcd, which have the prefix of the store in front, and back.
struct KeySpace: Hashable, Sendable {
  /// The prefix of all keys of the store.
  let prefix: String

  /// Returns etcd's key for a key of the store.
  func etcdKey(_ key: String) -> [UInt8] {
    Array(prefix.utf8) + key.utf8
  }

  /// Returns the store's key for a key of etcd; nil if the key is not valid UTF-8, or has another prefix.
  func key(_ etcdKey: [UInt8]) -> String? {
    guard etcdKey.starts(with: prefix.utf8) else { return nil }
    return String(validating: etcdKey.dropFirst(prefix.utf8.count), as: UTF8.self)
  }

  /// Returns the first key of a scope, and the first key after the scope; nil instead of that for a single key.
  func range(of scope: StoreScope) -> (key: [UInt8], end: [UInt8]?) {
    switch scope {
    case .key(let key): (etcdKey(key), nil)
    case .prefix(let prefix): Self.range(ofPrefix: etcdKey(prefix))
    }
  }

  private static func range(ofPrefix prefix: [UInt8]) -> (key: [UInt8], end: [UInt8]?) {
    // The byte 0 stands for the first key at the beginning of a range, and for "no end" at the end.
    if prefix.isEmpty { return ([0], [0]) }
    var end = prefix
    while let last = end.popLast() {
      if last < .max { return (prefix, end + [last + 1]) }
    }
    return (prefix, [0])
  }

  /// Returns an entry of the store; nil if its key is not a key of the store.
  func entry(_ entry: EtcdResponse.KeyValue) -> StoreEntry? {
    guard let key = key(entry.key) else { return nil }
    return StoreEntry(
      key: key,
      bytes: entry.value ?? [],
      revision: StoreRevision(entry.modRevision ?? 0)
    )
  }

  /// Returns a change of the store; nil if its key is not a key of the store.
  func change(_ event: EtcdResponse.Watch.Event) -> StoreChange? {
    guard let entry = entry(event.entry) else { return nil }
    return event.isRemoval ? .removed(key: entry.key, revision: entry.revision) : .written(entry)
  }
}
