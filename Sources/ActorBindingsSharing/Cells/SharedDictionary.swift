public import ActorBindings

/// A dictionary whose entries live in a store, each under a key of its own: all processes that use the store read and
/// follow the same entries.
///
/// ```swift
/// let sessions = SharedDictionary<UserID, Session>("sessions/", in: store)
///
/// async let _ = sessions.run()  // follows the store
/// // Woken only by this key:
/// for await session in sessions.source(forKey: id).values { … }
/// // Writes the entry sessions/ID for all processes:
/// try await sessions.modify(forKey: id) { $0 = Session() }
/// ```
///
/// A change of one entry costs the same, however many entries there are. Keys of the store below the prefix that are no
/// description of a `Key` are left out.
public final class SharedDictionary<
  Key: LosslessStringConvertible & Hashable & Sendable,
  Value: Sendable
>: StateSource {
  /// The beginning of the keys in the store. It ends in a slash.
  public let prefix: String
  private let local: BindableDictionary<Key, Value>
  private let started = DisposeBag()
  let entries: SharedEntries<Value>

  /// Creates an empty dictionary. It does nothing until `run`, `start` or `modify` is called.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the keys in the store. It ends in a slash. The dictionary shares one connection with
  ///     the cells and the dictionaries of this folder.
  ///   - store: The store.
  ///   - codec: Turns values into bytes, and back.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  public init(
    _ prefix: String,
    in store: some SharedStore,
    codec: StoreCodec<Value>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    let local = BindableDictionary<Key, Value>(fileID: fileID, line: line)
    let keys = SharedKeys<Key>(prefix)
    self.prefix = prefix
    self.local = local
    entries = SharedEntries(
      .prefix(prefix),
      onlyKey: nil,
      in: store,
      codec: codec,
      fileID: fileID,
      line: line,
      accepts: { keys.key(of: $0) != nil },
      publish: { values in
        let news = Dictionary(values) { _, newer in newer }
        local.write(
          news.compactMap { text, value in keys.key(of: text).map { ($0, value?.value(as: Value.self)) } }
        )
      }
    )
  }

  /// Creates an empty dictionary whose entries are JSON.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the keys in the store. It ends in a slash.
  ///   - store: The store.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  public convenience init(
    _ prefix: String,
    in store: some SharedStore,
    fileID: StaticString = #fileID,
    line: UInt = #line
  )
  where Value: Codable {
    self.init(prefix, in: store, codec: .json, fileID: fileID, line: line)
  }

  /// A cursor that does not read yet.
  public var cursor: CellCursor<PersistentDictionary<Key, Value>> { local.cursor }

  /// The entries, as this process knows them.
  public var value: PersistentDictionary<Key, Value> { local.value }

  /// What the dictionary knows of its connection to the store.
  public var link: some StateSource<SharedLink> { entries.link.readOnly }
}

// MARK: - Reading

extension SharedDictionary {
  /// The value of a key, as this process knows it; nil if the key has no value.
  public subscript(key: Key) -> Value? { local[key] }

  /// The number of entries.
  public var count: Int { local.count }

  /// Whether there are no entries.
  public var isEmpty: Bool { local.isEmpty }

  /// Returns a source of the value of one key: see `BindableDictionary.source(forKey:)`.
  public func source(forKey key: Key) -> some StateSource<Value?> { local.source(forKey: key) }
}

// MARK: - Describing

extension SharedDictionary {
  /// Describes the readers of the dictionary at this moment, and what it keeps for them: see `diagnostics` of
  /// `BindableCell`.
  public var diagnostics: BindingDiagnostics { local.diagnostics }

  /// Gives the dictionary a name, which diagnostics show, and returns the dictionary.
  @discardableResult
  public func named(_ name: String) -> Self {
    local.named(name)
    return self
  }
}

// MARK: - Following

extension SharedDictionary {
  /// Follows the store until the task is cancelled.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if the store refuses, so that trying again does not help.
  public func run() async throws {
    try await entries.run()
  }

  /// Begins what `run` does, until the token is cancelled or the dictionary is deallocated. The caller need not
  /// keep the token. If the store refuses, `link` says so.
  @discardableResult
  public func start() -> BindingToken {
    let token = BindingToken(ForwardedCancellable(entries.start()))
    token.store(in: started)
    return token
  }

  /// Waits until the first load has come. The dictionary must run.
  ///
  /// - Throws: ``StoreError/refused(_:)`` if the store refuses, or `CancellationError` if the task is cancelled.
  public func ready() async throws {
    try await entries.ready()
  }
}

// MARK: - Writing

extension SharedDictionary {
  /// Changes the value of one key for all processes, atomically. To remove the entry, `body` sets the value to nil. When
  /// this returns, the store has acknowledged the change, and the dictionary holds the new value or a newer one.
  ///
  /// Apart from that, this behaves as `modify` of a ``SharedCell`` does. If the acknowledgement of a removal is lost, no
  /// entry tells which call has removed it, so `modify` throws ``StoreError/uncertain(_:)``; ``removeValue(forKey:)``
  /// need not know, and always ends.
  @discardableResult
  public nonisolated(nonsending) func modify<R: Sendable>(
    forKey key: Key,
    _ body: (inout Value?) throws -> R
  ) async throws -> R {
    try await entries.modify(storeKey(of: key), body)
  }

  /// Sets the value of one key for all processes; the entry then ends with a lease. The bytes that it replaces need not
  /// be decodable.
  package nonisolated(nonsending) func set(_ value: Value, forKey key: Key, lease: StoreLease) async throws {
    try await entries.set(value, for: storeKey(of: key), lease: lease)
  }

  /// Removes the entry of a key for all processes. When this returns, the dictionary holds no entry of the key, or a
  /// newer one.
  public nonisolated(nonsending) func removeValue(forKey key: Key) async throws {
    try await entries.remove(storeKey(of: key))
  }

  /// The key of an entry in the store.
  package func storeKey(of key: Key) -> String { prefix + key.description }

  /// The number of keys of the store of which this process holds something.
  package var knownKeyCount: Int { entries.stateCount }

  /// The store.
  package var store: any SharedStore { entries.store }
}

/// The keys of a dictionary, and their form in the store.
private struct SharedKeys<Key: LosslessStringConvertible & Sendable>: Sendable {
  private let prefixCount: Int

  init(_ prefix: String) {
    prefixCount = prefix.utf8.count
  }

  /// The key that a key of the store stands for; nil if it stands for none. A key has only one form in the store.
  func key(of text: String) -> Key? {
    let text = String(decoding: text.utf8.dropFirst(prefixCount), as: UTF8.self)
    guard let key = Key(text), key.description == text else { return nil }
    return key
  }
}

extension BindableDictionary {
  /// Makes these the values of their keys; nil removes a key. Leaves out what equals the current value. Only one thread
  /// at a time writes this dictionary.
  fileprivate nonisolated func write(_ news: [(key: Key, value: Element?)]) {
    let current = value
    let changes = news.filter { key, value in
      let old = current[key]
      return old == nil ? value != nil : !areEqual(old, value)
    }
    switch changes.count {
    case 0: return
    case 1:
      let (key, value) = changes[0]
      if let value { set(value, forKey: key) } else { removeValue(forKey: key) }
    default: modify { whole in for (key, value) in changes { whole[key] = value } }
    }
  }
}
