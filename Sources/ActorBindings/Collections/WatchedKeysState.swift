/// Which hashes of keys are watched, and which updates wait to be distributed to them. A pure state machine: no lock, no
/// comparison of keys.
///
/// ### States
/// - *distributed*: each write has reached the hash of its key. A write to one key is added there at once.
/// - *behind*: updates of the whole dictionary wait for a writer to compare them. Each write to a watched key waits behind
///   them, so that watchers read in order.
///
/// ### Transitions
/// | event | distributed | behind |
/// |---|---|---|
/// | `written`, to a watched key | added, its watchers are woken | waits |
/// | `written`, to another key | nothing | nothing |
/// | `batchEntered` | behind | waits |
/// | `distributed`, the oldest batch | – | its writes are added; distributed if it was the last |
/// | `distributed`, another batch | nothing: another writer was first | the same |
/// | `watcherJoined`, `watcherLeft` | its hash is watched, or not any more; without watchers nothing waits | the same |
@usableFromInline
package struct WatchedKeysState<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  @usableFromInline package typealias Whole = PersistentDictionary<Key, Element>
  @usableFromInline package typealias Write = KeyWrite<Key, Element>
  @usableFromInline package typealias Watched = WatchedHash<Key, Element>

  @usableFromInline package private(set) var hashes: [UInt: Watched] = [:]
  // The oldest first; nil once it is distributed.
  private var batches: [Batch?] = []
  private var firstBatch = 0
  private var distributedCount: UInt64 = 0

  @usableFromInline
  package init() {}

  /// An update that waits to be distributed.
  @usableFromInline
  package final class Batch: Sendable {
    @usableFromInline
    package enum Content: Sendable {
      case whole(Whole, old: Whole, version: UInt64)
      case write(Write, hash: UInt)
    }

    package let content: Content

    init(_ content: Content) {
      self.content = content
    }
  }

  /// A write, and the hash of its key.
  @usableFromInline
  package struct HashedWrite: Sendable {
    package let write: Write
    package let hash: UInt

    package init(write: Write, hash: UInt) {
      self.write = write
      self.hash = hash
    }
  }

  /// What became of a write to one key.
  @usableFromInline
  package enum WriteOutcome: Sendable {
    /// Wake these watchers.
    case distributed(Woken)
    /// Distribute the batches.
    case waitsBehindBatch
    case notWatched
  }

  /// What the distribution of a batch leaves to be done after the lock.
  package struct DistributionOutcome: Sendable {
    package var woken: [Woken] = []
    /// To be released.
    package var outdated: [Watched.Node] = []
    /// No batch waits any more.
    package var isLast = false
  }

  /// Whether all writes have reached the hashes of their keys.
  @usableFromInline package var isDistributed: Bool { firstBatch == batches.count }

  /// The number of batches ever entered.
  package var enteredCount: UInt64 { distributedCount + UInt64(batches.count - firstBatch) }

  /// The batch that waits longest, unless `number` batches are distributed, and how many hashes are watched.
  package func oldestBatch(upTo number: UInt64) -> (Batch, watchedCount: Int)? {
    isDistributed || distributedCount >= number ? nil : batches[firstBatch].map { ($0, hashes.count) }
  }
}

// MARK: - Writers

extension WatchedKeysState {
  /// A writer has written one key.
  ///
  /// - Parameter outdated: Is handed the write before it, to be released after the lock.
  @usableFromInline
  package mutating func written(_ write: Write, hash: UInt, _ outdated: inout Watched.Node?) -> WriteOutcome {
    guard let watched = hashes[hash] else { return .notWatched }
    if isDistributed { return .distributed(watched.add(write, &outdated)) }
    batches.append(Batch(.write(write, hash: hash)))
    return .waitsBehindBatch
  }

  /// A writer has written the whole dictionary.
  @usableFromInline
  package mutating func batchEntered(_ content: Batch.Content) {
    batches.append(Batch(content))
  }

  /// A writer knows the writes of which a batch consists.
  package mutating func distributed(_ batch: Batch, _ writes: [HashedWrite]) -> DistributionOutcome {
    var outcome = DistributionOutcome()
    guard !isDistributed, batches[firstBatch] === batch else { return outcome }
    for hashed in writes {
      guard let watched = hashes[hashed.hash] else { continue }
      var outdated: Watched.Node?
      outcome.woken.append(watched.add(hashed.write, &outdated))
      if let outdated { outcome.outdated.append(outdated) }
    }
    // The caller holds the batch, so this releases nothing.
    batches[firstBatch] = nil
    firstBatch += 1
    distributedCount += 1
    outcome.isLast = isDistributed
    // Writers may enter batches all the while: so not only when none waits.
    if outcome.isLast || firstBatch > max(64, batches.count / 2) {
      batches.removeFirst(firstBatch)
      firstBatch = 0
      // The room of many batches is not kept.
      if outcome.isLast, batches.capacity > 64 { batches = [] }
    }
    return outcome
  }
}

// MARK: - Watchers

extension WatchedKeysState {
  /// A watcher of a key with this hash begins. True if no hash was watched before.
  package mutating func watcherJoined(_ hash: UInt, at version: UInt64) -> (Watched, isFirst: Bool) {
    let isFirst = hashes.isEmpty
    let watched = hashes[hash] ?? Watched(hash, at: version)
    hashes[hash] = watched
    unsafe watched.watchers += 1
    return (watched, isFirst)
  }

  /// A watcher ends. True if no hash is watched any more.
  package mutating func watcherLeft(_ watched: Watched) -> Bool {
    unsafe watched.watchers -= 1
    guard unsafe watched.watchers == 0 else { return false }
    hashes[watched.hash] = nil
    return hashes.isEmpty
  }
}
