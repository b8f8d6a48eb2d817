package import ActorBindings

/// The entries, the recent changes, the leases and the subscriptions of an `InMemoryStore`. A pure state machine: no
/// lock, no task, no clock.
///
/// ### States
/// A lease is *held* until its deadline, and then *ended*. A subscription is *parked* while its reader waits for a
/// change, *filled* while changes wait for the reader, and *ended* once its reader is gone.
///
/// ### Transitions
/// | event | result |
/// |---|---|
/// | `wrote` | the entry is replaced if it is as expected; the change goes to the subscriptions of its scopes |
/// | `subscribed` | a new subscription, filled with the changes after its revision; `historyLost` if they are gone |
/// | `asked` | the changes that wait; if there are none, the reader parks |
/// | `left` | the subscription ends; a parked reader is resumed |
/// | `leaseGranted`, `leaseRenewed` | the lease has a new deadline |
/// | `leaseTimerFired` | after the deadline the lease ends, and its entries are removed; before, the timer goes on |
/// | `leaseRevoked` | the lease ends, and its entries are removed |
///
/// ### Actions
/// After the lock, the shell resumes the readers that an event returns.
///
/// ### Behavior
/// A subscription keeps only the last change of each key that its reader has not received. So a slow reader costs at
/// most as much as there are keys. Keys and bytes run no user code when they are hashed, compared or released.
package struct InMemoryState: Sendable {
  fileprivate struct Stored: Sendable {
    var entry: StoreEntry
    var lease: StoreLease?
  }

  private struct Lease: Sendable {
    var deadline: Duration
    var keys: Set<StoreKey> = []
  }

  private struct Subscription: Sendable {
    let scope: StoreScope
    var pending: [StoreKey: StoreChange] = [:]
    var reader: Resumption?
  }

  /// The revision of the last write; 0 before the first.
  package private(set) var revision: UInt64 = 0
  private let historyLimit: Int
  private var entries: PersistentDictionary<StoreKey, Stored> = [:]
  // The changes after `forgotten`, one for each revision.
  private var history: [StoreChange] = []
  // The revision of the last change that is no longer in `history`.
  private var forgotten: UInt64 = 0
  private var leases: [String: Lease] = [:]
  private var subscriptions: [Int: Subscription] = [:]
  private var members: [StoreScope: Set<Int>] = [:]
  private var lastID = 0

  /// Creates an empty store, which keeps at least the last `historyLimit` changes.
  package init(historyLimit: Int) {
    self.historyLimit = max(1, historyLimit)
  }

  /// Creates a store with the entries of a snapshot, at its revision, and without the history before it.
  package init(_ snapshot: StoreSnapshot, historyLimit: Int) {
    self.init(historyLimit: historyLimit)
    revision = snapshot.revision.number
    forgotten = revision
    for entry in snapshot.entries { entries[StoreKey(entry.key)] = Stored(entry: entry) }
  }

  /// The number of subscriptions.
  package var subscriptionCount: Int { subscriptions.count }

  /// The number of leases.
  package var leaseCount: Int { leases.count }
}

// MARK: - Entries

extension InMemoryState {
  /// All entries, as they are now. Filtering them is left to the caller, after the lock.
  package struct Contents: Sendable {
    fileprivate let entries: PersistentDictionary<StoreKey, Stored>
    fileprivate let revision: UInt64

    /// The entries of a scope.
    package func snapshot(of scope: StoreScope) -> StoreSnapshot {
      let found: [StoreEntry] =
        switch scope {
        case .key(let key): entries[StoreKey(key)].map { [$0.entry] } ?? []
        case .prefix: entries.lazy.filter { scope.contains($0.key.text) }.map(\.value.entry)
        }
      return StoreSnapshot(entries: found, revision: StoreRevision(revision))
    }
  }

  /// The entries, as they are now.
  package var contents: Contents { Contents(entries: entries, revision: revision) }

  /// The outcome of a write.
  package struct WriteOutcome: Sendable {
    /// What the store answers; nil if the lease of the write has ended.
    package var result: StoreWriteResult?
    /// The readers to resume.
    package var readers: [Resumption] = []
  }

  /// A writer asked for a write.
  package mutating func wrote(_ write: StoreWrite) -> WriteOutcome {
    let key = StoreKey(write.key)
    let current = entries[key]
    switch write.expected {
    case .anything: break
    case .absent where current == nil: break
    case .revision(let expected) where current?.entry.revision == expected: break
    case .absent, .revision: return WriteOutcome(result: .conflict(current?.entry))
    }
    if let lease = write.lease, leases[lease.id] == nil { return WriteOutcome(result: nil) }
    let next = StoreRevision(revision + 1)
    if let lease = current?.lease { leases[lease.id]?.keys.remove(key) }
    var outcome = WriteOutcome(result: .applied(next))
    if let bytes = write.bytes {
      let entry = StoreEntry(key: write.key, bytes: bytes, revision: next)
      entries[key] = Stored(entry: entry, lease: write.lease)
      if let lease = write.lease { leases[lease.id]?.keys.insert(key) }
      changed(.written(entry), &outcome.readers)
    } else if current == nil {
      // There is nothing to remove, so nothing has changed.
      outcome.result = .applied(StoreRevision(revision))
    } else {
      entries.removeValue(forKey: key)
      changed(.removed(key: write.key, revision: next), &outcome.readers)
    }
    return outcome
  }

  private mutating func changed(_ change: StoreChange, _ readers: inout [Resumption]) {
    revision = change.revision.number
    history.append(change)
    // Forgets half of the history at once, so that a change costs constant time on average.
    if history.count > 2 * historyLimit {
      forget(through: history[history.count - historyLimit - 1].revision)
    }
    for scope in Self.scopes(of: change.key) {
      for id in members[scope] ?? [] {
        subscriptions[id]?.pending[StoreKey(change.key)] = change
        if let reader = subscriptions[id]?.reader.take() { readers.append(reader) }
      }
    }
  }

  /// Forgets the changes up to and including a revision.
  package mutating func forget(through revision: StoreRevision) {
    guard revision.number > forgotten, revision.number <= self.revision else { return }
    history.removeFirst(Int(revision.number - forgotten))
    forgotten = revision.number
  }

  // The key, and each of its folders.
  private static func scopes(of key: String) -> [StoreScope] {
    var scopes = [StoreScope.key(key)]
    for index in key.utf8.indices where key.utf8[index] == UInt8(ascii: "/") {
      scopes.append(.prefix(String(decoding: key.utf8[...index], as: UTF8.self)))
    }
    return scopes
  }
}

// MARK: - Subscriptions

extension InMemoryState {
  /// A reader subscribed to the changes of a scope after a revision. Returns the number of its subscription; nil if the
  /// store does not have these changes.
  package mutating func subscribed(to scope: StoreScope, after revision: StoreRevision) -> Int? {
    guard (forgotten...self.revision).contains(revision.number) else { return nil }
    lastID += 1
    var subscription = Subscription(scope: scope)
    for change in history[Int(revision.number - forgotten)...] where scope.contains(change.key) {
      subscription.pending[StoreKey(change.key)] = change
    }
    subscriptions[lastID] = subscription
    members[scope, default: []].insert(lastID)
    return lastID
  }

  /// What a reader receives.
  package enum Answer: Sendable {
    /// These changes, in any order.
    case changes([StoreKey: StoreChange])
    /// Nothing yet: the reader parks.
    case nothing
    /// The subscription has ended.
    case ended
  }

  /// A reader asked for changes.
  package mutating func asked(_ id: Int) -> Answer {
    guard let index = subscriptions.index(forKey: id) else { return .ended }
    guard !subscriptions.values[index].pending.isEmpty else { return .nothing }
    var pending: [StoreKey: StoreChange] = [:]
    swap(&pending, &subscriptions.values[index].pending)
    return .changes(pending)
  }

  /// A reader parked. Returns false if it must not wait: changes have come, or its subscription has ended.
  package mutating func parked(_ id: Int, _ reader: Resumption) -> Bool {
    guard subscriptions[id]?.pending.isEmpty == true else { return false }
    subscriptions[id]?.reader = reader
    return true
  }

  /// A reader left. Returns the reader if it was parked.
  package mutating func left(_ id: Int) -> Resumption? {
    guard let subscription = subscriptions.removeValue(forKey: id) else { return nil }
    members[subscription.scope]?.remove(id)
    if members[subscription.scope]?.isEmpty == true { members[subscription.scope] = nil }
    return subscription.reader
  }
}

// MARK: - Leases

extension InMemoryState {
  /// A lease was granted.
  package mutating func leaseGranted(_ lease: StoreLease, now: Duration) {
    leases[lease.id] = Lease(deadline: now + lease.ttl)
  }

  /// Whether a lease has not ended.
  package func holds(_ lease: StoreLease) -> Bool { leases[lease.id] != nil }

  /// The holder renewed a lease. Returns false if the lease has ended.
  package mutating func leaseRenewed(_ lease: StoreLease, now: Duration) -> Bool {
    guard let held = leases[lease.id], now < held.deadline else { return false }
    leases[lease.id]?.deadline = now + lease.ttl
    return true
  }

  /// What the timer of a lease does next.
  package enum LeaseOutcome: Sendable {
    /// It waits until this instant.
    case waits(until: Duration)
    /// The lease has ended: resume these readers.
    case ended([Resumption])
  }

  /// The timer of a lease fired.
  package mutating func leaseTimerFired(_ lease: StoreLease, now: Duration) -> LeaseOutcome {
    guard let held = leases[lease.id] else { return .ended([]) }
    return now < held.deadline ? .waits(until: held.deadline) : .ended(leaseRevoked(lease))
  }

  /// The holder revoked a lease, or its deadline has passed. Returns the readers to resume.
  package mutating func leaseRevoked(_ lease: StoreLease) -> [Resumption] {
    guard let ended = leases.removeValue(forKey: lease.id) else { return [] }
    var readers: [Resumption] = []
    for key in ended.keys {
      entries.removeValue(forKey: key)
      changed(.removed(key: key.text, revision: StoreRevision(revision + 1)), &readers)
    }
    return readers
  }
}
