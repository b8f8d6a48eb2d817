/// The change log of a dictionary: the shell around `WatchedKeysState`.
///
/// The dictionary's cell uses this object while any key is watched. A writer of one key adds its write to the log of
/// the key's hash, in the same hold of the lock in which it writes the dictionary. After the lock the writer wakes the
/// watchers that wait at this hash. So the cost of a write depends on the number of watchers that are parked at this
/// hash, not on the other watchers. A write to a key whose hash is not watched adds nothing.
///
/// A writer of the whole dictionary cannot find out under the lock which keys it has changed, because it would have to
/// compare keys. So its update is a *batch* that waits to be distributed. After the lock, the writer compares keys. In
/// a second hold of the lock, the writer distributes the writes that it has found: it adds each write to the log of its
/// hash. Meanwhile, writes to watched keys wait behind the batch, so each watcher reads all writes in order. A writer
/// that finds earlier batches distributes these first. Writers do not wait for each other: two writers may compare the
/// same batch, and the writer that finishes first distributes it. So when a call that writes returns, its write has
/// reached the watchers. Later writes do not delay this call.
// @unchecked: the lock of the dictionary's cell guards the stored state.
@usableFromInline
package final class WatchedKeys<Key: Hashable & Sendable, Element: Sendable>: ChangeLog<
  PersistentDictionary<Key, Element>
>, @unchecked Sendable
{
  @usableFromInline package typealias Whole = PersistentDictionary<Key, Element>
  @usableFromInline typealias State = WatchedKeysState<Key, Element>
  @usableFromInline typealias Write = KeyWrite<Key, Element>

  @usableFromInline let cell: Cell<Whole>
  /// Only `cell`: the list of the cells that a follower follows.
  @usableFromInline let cells: [AnyCell]

  // Guarded by the lock of the cell, so accesses do not overlap, and need no exclusivity check.
  @exclusivity(unchecked) @usableFromInline var storedState = State()

  @inlinable
  init(_ cell: Cell<Whole>) {
    self.cell = cell
    cells = [cell]
    super.init { keys, new, old, version in
      let keys = unsafe unsafeDowncast(keys, to: WatchedKeys.self)
      unsafe keys.storedState.batchEntered(.whole(new, old: old, version: version, keys.storedInstant))
      unsafe keys.storedDue = Woken(first: Distributor(keys))
    }
  }

  /// Performs one step of the state machine under the lock of the dictionary's cell.
  ///
  /// - Parameter step: One event, or a function whose name ends in `WhileLocked`.
  @inlinable
  @inline(__always)
  func locked<Result: Sendable>(
    _ step: (inout State, inout CellState<Whole>, inout Roster) -> Result
  ) -> Result {
    cell.locked { state, roster in unsafe step(&storedState, &state, &roster) }
  }

  /// Wakes all watchers, because the dictionary has ended. The caller must not hold the lock.
  package override func wake() {
    for watched in locked({ keys, _, _ in keys.hashes.all }) {
      locked { _, _, _ in unsafe watched.waiting.takeAll() }.wake()
    }
  }
}

// MARK: - Writing

extension WatchedKeys {
  /// Enters a write to one key: into the log of the key's hash, or behind the batches that wait.
  ///
  /// - Returns: The node of the previous write, which the caller must release after the lock.
  @inlinable
  func enterWhileLocked(_ write: Write, hash: UInt) -> WatchedHash<Key, Element>.Node? {
    var outdated: WatchedHash<Key, Element>.Node?
    var write = write
    unsafe write.instant = storedInstant
    switch unsafe storedState.written(write, hash: hash, &outdated) {
    case .distributed(let woken): unsafe storedDue = woken
    case .waitsBehindBatch: unsafe storedDue = Woken(first: Distributor(self))
    case .notWatched: break
    }
    return outdated
  }

  /// Asks the processor for the watched hash of a key that a writer is about to write.
  @inlinable
  func prefetchWhileLocked(_ hash: UInt) {
    if let watched = unsafe storedState.hashes.uncounted(hash) {
      WakePath.prefetch(watched: unsafe UInt(bitPattern: watched.toOpaque()))
    }
  }

  // The problem: to find which keys an update of the whole dictionary has changed, a writer compares keys. The
  // comparison runs user code, and takes longer for a larger update. A write to one key that comes during the
  // comparison must not reach the watchers of this key before the update does. If the first writer distributed the
  // batches of all later writers, the first writer might never return, and a later writer would return before its own
  // write has reached the watchers. If later writers waited for the first writer, they would wait for user code. So
  // each writer compares the batches up to its own, even if another writer is comparing the same batch. The result of
  // the writer that finishes first counts. Two writers may do the same work, but no writer waits for another.

  /// Distributes the batches that wait. When this returns, all writes before the call are distributed.
  @inlinable
  package func distribute() {
    if locked({ keys, _, _ in keys.isDistributed }) { return }
    distributeBatches()
  }

  @usableFromInline
  func distributeBatches() {
    var last: UInt64?
    while true {
      // Leaves the batches that were entered after the first look to their own writers.
      let found = locked { keys, _, _ in keys.oldestBatch(upTo: last ?? keys.enteredCount) }
      guard let found else { return }
      last = found.last
      let writes = self.writes(of: found.batch.content, found.watchedCount)
      let outcome = locked { $0.distributed(found.batch, writes, isFinished: $2.isFinished) }
      outcome.woken.forEach { $0.wake() }
      // The last batch has delayed the end for all watchers, even for those whose keys the batch did not change.
      if outcome.isEnd { wake() }
    }
  }

  // Compares keys, so the caller must not hold the lock.
  private func writes(of batch: State.Batch.Content, _ watchedCount: Int) -> [State.HashedWrite] {
    switch batch {
    case .write(let write, let hash):
      return [State.HashedWrite(write: write, hash: hash)]
    case .whole(let new, let old, let version, let instant):
      // If there are more edits than `limit`, looking up all watched hashes is cheaper.
      let limit = 16 + 2 * watchedCount
      guard let edits = new.edits(from: old, limit: limit) else {
        let hashes = locked { keys, _, _ in keys.hashes.all }
        return hashes.flatMap { new.writes(from: old, hash: $0.hash, version, instant) }
      }
      let hashed = edits.map { (edit: $0, hash: HashBits.of($0.key)) }
      let isWatched = locked { keys, _, _ in hashed.map { keys.hashes[$0.hash] != nil } }
      return zip(hashed, isWatched).filter(\.1).map { hashed, _ in
        let (key, hash) = (hashed.edit.key, hashed.hash)
        var write = Write(
          key,
          hashed.edit.newValue,
          writeID: new.writeID(forKey: key, hash: hash),
          formerWriteID: old.writeID(forKey: key, hash: hash),
          version: version
        )
        write.instant = instant
        return State.HashedWrite(write: write, hash: hash)
      }
    }
  }

  /// A waiter that distributes batches. A writer that has entered a batch wakes this waiter after the lock.
  @usableFromInline
  final class Distributor: Waiter, @unchecked Sendable {
    private let keys: WatchedKeys

    @usableFromInline
    init(_ keys: WatchedKeys) {
      self.keys = keys
    }

    package override func wake() {
      keys.distributeBatches()
    }
  }
}

// MARK: - Watching

extension WatchedKeys {
  /// A snapshot of a watched hash and of the dictionary, taken in one hold of the lock.
  @usableFromInline
  struct WatchedSnapshot: Sendable {
    @usableFromInline let watched: WatchedHash<Key, Element>
    /// The key of `newest` of the hash; nil if there is none.
    @usableFromInline let newestKey: Key?
    /// The node of the newest write; nil unless the watcher may want all later writes.
    @usableFromInline let node: WatchedHash<Key, Element>.Node?
    @usableFromInline let count: UInt64
    @usableFromInline let chain: UInt64
    @usableFromInline let draft: Draft<Whole>

    @inlinable
    init(whileLocked watched: WatchedHash<Key, Element>, _ draft: Draft<Whole>, withNode: Bool) {
      self.watched = watched
      newestKey = watched.newest?.key
      node = withNode ? watched.nodeWhileLocked() : nil
      count = watched.count
      chain = unsafe watched.chain
      self.draft = draft
    }
  }

  /// Registers a watcher of a hash: from now on, the log has the newest write to a key with this hash. Parks `waiter`, if
  /// there is one, unless the dictionary has ended. Without a waiter, the watcher may want all later writes.
  @inlinable
  func startWatching(_ hash: UInt, _ waiter: KeyWaiter?) -> WatchedSnapshot {
    locked { joinWhileLocked(hash, waiter, &$0, &$1, &$2) }
  }

  /// Registers a watcher as `startWatching` does, when all earlier writes have reached the logs of their hashes.
  @inlinable
  func startWatchingDistributed(_ hash: UInt, _ waiter: KeyWaiter) -> WatchedSnapshot {
    if let found = locked({ joinDistributedWhileLocked(hash, waiter, &$0, &$1, &$2) }) { return found }
    distributeBatches()
    return startWatching(hash, waiter)
  }

  @inlinable
  func joinDistributedWhileLocked(
    _ hash: UInt,
    _ waiter: KeyWaiter,
    _ keys: inout State,
    _ state: inout CellState<Whole>,
    _ roster: inout Roster
  ) -> WatchedSnapshot? {
    keys.isDistributed ? joinWhileLocked(hash, waiter, &keys, &state, &roster) : nil
  }

  @inlinable
  func joinWhileLocked(
    _ hash: UInt,
    _ waiter: KeyWaiter?,
    _ keys: inout State,
    _ state: inout CellState<Whole>,
    _ roster: inout Roster
  ) -> WatchedSnapshot {
    let joined = keys.watcherJoined(hash, at: roster.version)
    if joined.isFirst {
      state.openChangeLog(self)
      _ = roster.endWaiterJoined(self)
    }
    if let waiter, !roster.isFinished { unsafe joined.watched.waiting.append(waiter) }
    return WatchedSnapshot(whileLocked: joined.watched, state.draft(roster), withNode: waiter == nil)
  }

  /// Returns a current snapshot for a watcher that is registered already.
  @inlinable
  func snapshot(_ watched: WatchedHash<Key, Element>) -> WatchedSnapshot {
    locked { WatchedSnapshot(whileLocked: watched, $1.draft($2), withNode: true) }
  }

  /// Begins to give each write an instant, for readers that compare the instants of several cells.
  @inlinable
  func startOrdering() {
    locked { _, state, _ in state.orderedReaderJoined() }
  }

  /// Undoes one call of `startOrdering`.
  @inlinable
  func stopOrdering() {
    locked { _, state, _ in state.orderedReaderLeft() }
  }

  /// Registers `follower` with the dictionary's cell, so that the readers of `follower` count as readers of the
  /// dictionary.
  @inlinable
  func followerJoined(_ follower: AnyCell) {
    cell.locked { $0.followerJoined(follower) }
  }

  /// As `followerJoined`, for a follower that has found `entry` in the dictionary. Returns whether the entry begins the
  /// chain `chainOfFoundEntry`.
  @inlinable
  func followerJoined(
    _ follower: AnyCell,
    finding entry: Write,
    in watched: WatchedHash<Key, Element>
  ) -> Bool {
    cell.locked { followerJoinedWhileLocked(follower, finding: entry, in: watched, &$0) }
  }

  @inlinable
  func followerJoinedWhileLocked(
    _ follower: AnyCell,
    finding entry: Write,
    in watched: WatchedHash<Key, Element>,
    _ roster: inout Roster
  ) -> Bool {
    roster.followerJoined(follower)
    return watched.beginChainWhileLocked(with: entry)
  }

  /// Unregisters a watcher, and takes out its waiter, if there is one.
  ///
  /// - Parameter follower: The cell that `followerJoined` has registered; nil if it is not registered.
  /// - Returns: The change log if this was the last watcher, and otherwise nil. The caller must release the change log
  ///   after the lock.
  @inlinable
  func stopWatching(
    _ watched: WatchedHash<Key, Element>,
    _ waiter: KeyWaiter?,
    follower: ObjectIdentifier? = nil
  ) -> ChangeLog<Whole>? {
    locked { leaveWhileLocked(watched, waiter, follower, &$0, &$1, &$2) }
  }

  @inlinable
  func leaveWhileLocked(
    _ watched: WatchedHash<Key, Element>,
    _ waiter: KeyWaiter?,
    _ follower: ObjectIdentifier?,
    _ keys: inout State,
    _ state: inout CellState<Whole>,
    _ roster: inout Roster
  ) -> ChangeLog<Whole>? {
    if let follower { roster.followerLeft(follower) }
    if let waiter { _ = unsafe watched.waiting.remove(waiter) }
    guard keys.watcherLeft(watched) else { return nil }
    _ = roster.endWaiterLeft(self)
    return state.closeChangeLog()
  }
}
