/// The watched hashes of a dictionary, and the updates that wait to be distributed to them. A pure state machine: it
/// takes no lock, and compares no keys.
///
/// ### States
/// - *distributed*: each write has reached the hash of its key. A writer adds a write to one key to the log of the
///   key's hash at once.
/// - *behind*: updates of the whole dictionary wait for a writer to compare them. Each write to a watched key waits
///   behind these updates, so that watchers read all writes in order.
///
/// ### Transitions
/// | event | distributed | behind |
/// |---|---|---|
/// | `written`, to a watched key | added, its watchers are woken | waits |
/// | `written`, to another key | nothing | nothing |
/// | `batchEntered` | behind | waits |
/// | `distributed`, the oldest batch | – | its writes are added; distributed if it was the last |
/// | `distributed`, another batch | nothing: another writer was first | the same |
/// | `watcherJoined`, `watcherLeft` | a hash is watched, or no longer; without watchers nothing is entered | the same |
@usableFromInline
package struct WatchedKeysState<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  @usableFromInline package typealias Whole = PersistentDictionary<Key, Element>
  @usableFromInline package typealias Write = KeyWrite<Key, Element>
  @usableFromInline package typealias Watched = WatchedHash<Key, Element>

  // Only code in this file changes these variables. Their setters are not private, because inlinable functions set the
  // variables.
  @usableFromInline package internal(set) var hashes = WatchedHashTable<Key, Element>()
  // The batches, the oldest first. The element of a distributed batch is nil until the array is compacted.
  @usableFromInline var batches: [Batch?] = []
  @usableFromInline var firstBatch = 0
  private var distributedCount: UInt64 = 0

  @usableFromInline
  package init() {}

  /// An update that waits to be distributed.
  @usableFromInline
  package final class Batch: Sendable {
    @usableFromInline
    package enum Content: Sendable {
      case whole(Whole, old: Whole, version: UInt64, LogicalInstant)
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

  /// The outcome of a write to one key.
  @usableFromInline
  package enum WriteOutcome: Sendable {
    /// The write is in the log of its hash. The caller must wake the watchers after the lock.
    case distributed(Woken)
    /// The write waits behind a batch. The caller must distribute the batches after the lock.
    case waitsBehindBatch
    case notWatched
  }

  /// What the caller must do after the lock when a batch was distributed.
  package struct DistributionOutcome: Sendable {
    package var woken: [Woken] = []
    /// The nodes to release.
    package var outdated: [Watched.Node] = []
    /// Whether no batch waits any more.
    package var isLast = false
    /// Whether no batch waits any more, and the dictionary has ended: then the caller must wake all watchers.
    package var isEnd = false
  }

  /// Whether all writes have reached the hashes of their keys.
  @inlinable package var isDistributed: Bool { firstBatch == batches.count }

  /// The number of batches that were ever entered.
  package var enteredCount: UInt64 { distributedCount + UInt64(batches.count - firstBatch) }

  /// The oldest batch that waits.
  package struct OldestBatch: Sendable {
    package let batch: Batch
    /// The number of the last batch that the caller distributes.
    package let last: UInt64
    /// The number of watched hashes.
    package let watchedCount: Int
  }

  /// Returns the oldest batch that waits; nil if no batch waits, or the first `last` batches are already distributed.
  package func oldestBatch(upTo last: UInt64) -> OldestBatch? {
    if isDistributed || distributedCount >= last { return nil }
    return batches[firstBatch].map { OldestBatch(batch: $0, last: last, watchedCount: hashes.count) }
  }
}

// MARK: - Writers

extension WatchedKeysState {
  /// A writer has replaced the value of one key, and holds the former value until after the lock.
  ///
  /// - Parameter outdated: Receives the node of the previous write, if the log no longer needs it. The caller must release
  ///   it after the lock.
  @inlinable
  package mutating func written(_ write: Write, hash: UInt, _ outdated: inout Watched.Node?) -> WriteOutcome {
    guard let watched = unsafe hashes.uncounted(hash) else { return .notWatched }
    if isDistributed {
      return unsafe watched._withUnsafeGuaranteedRef { watched in
        watched.prefetchWhileLocked()
        return .distributed(watched.replaceWhileLocked(write, &outdated))
      }
    }
    batchEntered(.write(write, hash: hash))
    return .waitsBehindBatch
  }

  /// A writer has written the whole dictionary, or one key while a batch waits.
  @usableFromInline
  package mutating func batchEntered(_ content: Batch.Content) {
    batches.append(Batch(content))
  }

  /// A writer has found the writes of a batch. This does nothing if another writer has distributed the batch already.
  package mutating func distributed(
    _ batch: Batch,
    _ writes: [HashedWrite],
    isFinished: Bool
  ) -> DistributionOutcome {
    var outcome = DistributionOutcome()
    guard !isDistributed, batches[firstBatch] === batch else { return outcome }
    for hashed in writes {
      guard let watched = hashes[hashed.hash] else { continue }
      var outdated: Watched.Node?
      outcome.woken.append(watched.addWhileLocked(hashed.write, &outdated))
      if let outdated { outcome.outdated.append(outdated) }
    }
    // The caller holds a reference to the batch, so this assignment releases nothing.
    batches[firstBatch] = nil
    firstBatch += 1
    distributedCount += 1
    outcome.isLast = isDistributed
    outcome.isEnd = isDistributed && isFinished
    // Writers may keep entering batches, so this compacts the array even while batches wait.
    if outcome.isLast || firstBatch > max(64, batches.count / 2) {
      batches.removeFirst(firstBatch)
      firstBatch = 0
      // Releases the memory of a long queue.
      if outcome.isLast, batches.capacity > 64 { batches = [] }
    }
    return outcome
  }
}

// MARK: - Watchers

extension WatchedKeysState {
  /// The hash that a watcher has joined.
  @usableFromInline
  package struct Joined: Sendable {
    @usableFromInline package let watched: Watched
    /// Whether no hash was watched before.
    @usableFromInline package let isFirst: Bool

    @inlinable
    init(watched: Watched, isFirst: Bool) {
      self.watched = watched
      self.isFirst = isFirst
    }
  }

  /// A watcher of a key with this hash has joined.
  @inlinable
  package mutating func watcherJoined(_ hash: UInt, at version: UInt64) -> Joined {
    if let watched = hashes[hash] {
      unsafe watched.watchers += 1
      return Joined(watched: watched, isFirst: false)
    }
    let watched = Watched(hash, at: version)
    unsafe watched.watchers = 1
    defer { hashes.insert(watched) }
    return Joined(watched: watched, isFirst: hashes.isEmpty)
  }

  /// A watcher has left. Returns true if no hash is watched any more.
  @inlinable
  package mutating func watcherLeft(_ watched: Watched) -> Bool {
    unsafe watched.watchers -= 1
    guard unsafe watched.watchers == 0 else { return false }
    hashes.remove(watched)
    return hashes.isEmpty
  }
}
