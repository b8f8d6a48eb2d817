import ActorBindings
import ActorBindingsSharing

/// One run of one check: the store, and a prefix that only this run writes.
struct ContractRun: Sendable {
  let check: String
  let store: any SharedStore
  let prefix: String
  let time: Timeline
  /// Makes the store forget all changes up to now; nil if the test cannot do that.
  let loseHistory: (@Sendable () async throws -> Void)?
  private let patience: Duration

  init(
    check: String,
    store: any SharedStore,
    patience: Duration,
    time: Timeline,
    loseHistory: (@Sendable () async throws -> Void)?
  ) {
    self.loseHistory = loseHistory
    var random = SystemRandomNumberGenerator()
    self.check = check
    self.store = store
    self.patience = patience
    self.time = time
    prefix = "contract/\(String(random.next(), radix: 36))/"
  }

  /// The scope of all keys of this run.
  var scope: StoreScope { .prefix(prefix) }

  /// The full key.
  func key(_ name: String) -> String { prefix + name }

  /// Returns the error that says how the store breaks the rule.
  func failure(_ message: String) -> ContractFailure { ContractFailure(check: check, message: message) }

  /// Throws the failure unless `condition` is true.
  func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw failure(message()) }
  }

  /// Throws the failure unless `found` equals `expected`.
  func require<T: Equatable>(_ found: T, is expected: T, _ what: String) throws {
    try require(found == expected, "\(what) is \(found), and should be \(expected)")
  }

  /// Runs `body`, and throws the failure if it takes too long.
  func soon<R: Sendable>(_ what: String, _ body: @escaping @Sendable () async throws -> R) async throws -> R {
    try await withThrowingTaskGroup(of: R?.self) { group in
      group.addTask { try await body() }
      group.addTask { [time, patience] in
        try await time.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let result = first else {
        throw failure("\(what) did not end within \(patience)")
      }
      return result
    }
  }
}

// MARK: - Asking the store

extension ContractRun {
  func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    try await soon("load") { [store] in try await store.load(scope) }
  }

  /// The entry of a key; nil if there is none.
  func entry(_ name: String) async throws -> StoreEntry? {
    let snapshot = try await load(.key(key(name)))
    try require(snapshot.entries.count <= 1, "the load of one key returned \(snapshot.entries.count) entries")
    return snapshot.entries.first
  }

  func write(
    _ name: String,
    _ bytes: [UInt8]?,
    if expected: StoreWrite.Expectation = .anything,
    lease: StoreLease? = nil
  ) async throws -> StoreWriteResult {
    let write = StoreWrite(key: key(name), bytes: bytes, expected: expected, lease: lease)
    return try await soon("write") { [store] in try await store.write(write) }
  }

  /// Writes, and returns the revision. Throws the failure if the write was not applied.
  @discardableResult
  func put(
    _ name: String,
    _ bytes: [UInt8]?,
    if expected: StoreWrite.Expectation = .anything,
    lease: StoreLease? = nil
  ) async throws -> StoreRevision {
    switch try await write(name, bytes, if: expected, lease: lease) {
    case .applied(let revision): return revision
    case .conflict(let entry):
      throw failure("the write of \(name) that expected \(expected) met \(entry as StoreEntry?)")
    }
  }

  /// Follows the changes of a scope after a revision, until `isEnough` is true of all changes so far.
  func changes(
    in scope: StoreScope,
    after revision: StoreRevision,
    while act: @escaping @Sendable () async throws -> Void = {},
    until isEnough: @escaping @Sendable ([StoreChange]) -> Bool
  ) async throws -> [StoreChange] {
    let changes = try await soon("changes") { [store] in try await store.changes(in: scope, after: revision) }
    try await act()
    return try await soon("the wait for a change") { try await Self.collect(changes, isEnough) }
  }

  private static func collect(
    _ changes: some AsyncSequence<[StoreChange], any Error>,
    _ isEnough: ([StoreChange]) -> Bool
  ) async throws -> [StoreChange] {
    var found: [StoreChange] = []
    for try await batch in changes {
      found += batch
      if isEnough(found) { break }
    }
    return found
  }

  /// Throws the failure unless `body` throws an error that satisfies `isExpected`.
  func refuses<R>(
    _ what: String,
    with expected: String,
    _ isExpected: (StoreError) -> Bool,
    _ body: () async throws -> R
  ) async throws {
    do {
      _ = try await body()
    } catch let error as StoreError where isExpected(error) {
      return
    } catch {
      throw failure("\(what) threw \(error), and should throw \(expected)")
    }
    throw failure("\(what) threw nothing, and should throw \(expected)")
  }
}
