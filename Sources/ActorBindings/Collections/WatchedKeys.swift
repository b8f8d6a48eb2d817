/// Which keys of a dictionary are watched, and what was written to them. The shell around `WatchedKeysState`.
///
/// While a key is watched this is the ledger of the dictionary's cell. A writer of one key adds its write to those of the
/// key's hash, in the step that writes the dictionary, and wakes after the lock the watchers that wait there. So a write
/// costs what its own parked watchers cost, however many watch other keys; the write of a key that is not watched adds
/// nothing.
///
/// A writer of the whole dictionary cannot know under the lock which keys it has changed, for that compares keys. So its
/// update is a *batch* that waits to be distributed. The writer compares after the lock, and distributes what it finds in
/// a second step; what is written to watched keys meanwhile waits behind the batch, so each watcher reads all in order. A
/// writer that finds batches before its own distributes these first. Writers do not wait for each other: two may compare the
/// same batch, and the first one that is done distributes it. So each write has reached the watchers when it returns, and
/// no writer is kept by the writes that come after its own.
// @unchecked: the variable says what guards it.
@usableFromInline
package final class WatchedKeys<Key: Hashable & Sendable, Element: Sendable>: Ledger<
  PersistentDictionary<Key, Element>
>, @unchecked Sendable
{
  @usableFromInline package typealias Whole = PersistentDictionary<Key, Element>
  @usableFromInline typealias State = WatchedKeysState<Key, Element>
  @usableFromInline typealias Write = KeyWrite<Key, Element>

  @usableFromInline let cell: Cell<Whole>

  // Guarded by the lock of the cell, so it need not be checked for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedState = State()

  @inlinable
  init(_ cell: Cell<Whole>) {
    self.cell = cell
    super.init { keys, new, old, version in
      let keys = unsafe unsafeDowncast(keys, to: WatchedKeys.self)
      unsafe keys.storedState.batchEntered(.whole(new, old: old, version: version))
      unsafe keys.storedDue = Woken(first: Distributor(keys))
    }
  }

  /// One step of the machine, with the state of the dictionary's cell.
  @inlinable
  @inline(__always)
  func locked<Result: Sendable>(
    _ step: (inout State, inout CellState<Whole>, inout Roster) -> Result
  ) -> Result {
    cell.locked { state, roster in unsafe step(&storedState, &state, &roster) }
  }

  /// The dictionary has ended, and its writer calls this: all watchers look.
  package override func wake() {
    let hashes = locked { keys, _, _ in keys.hashes }
    for watched in hashes.values {
      locked { _, _, _ in unsafe watched.waiting.takeAll() }.wake()
    }
  }
}

// MARK: - Writing

extension WatchedKeys {
  /// Notes a write to one key. Under the lock of the cell.
  ///
  /// - Returns: The write before it, to be released after the lock.
  @inlinable
  func enter(_ write: Write, hash: UInt) -> WatchedHash<Key, Element>.Node? {
    var outdated: WatchedHash<Key, Element>.Node?
    switch unsafe storedState.written(write, hash: hash, &outdated) {
    case .distributed(let woken): unsafe storedDue = woken
    case .waitsBehindBatch: unsafe storedDue = Woken(first: Distributor(self))
    case .notWatched: break
    }
    return outdated
  }

  /// Distributes the batches that wait. When this returns, all that was written before the call is distributed.
  @usableFromInline
  package func distribute() {
    var newest: UInt64?
    while true {
      let found = locked { keys, _, _ in
        // What is entered after this is left to the writers that enter it.
        let number = newest ?? keys.enteredCount
        newest = number
        return keys.oldestBatch(upTo: number)
      }
      guard let (batch, watchedCount) = found else { return }
      let writes = self.writes(of: batch.content, watchedCount)
      let (outcome, isEnd) = locked { keys, _, roster in
        let outcome = keys.distributed(batch, writes)
        return (outcome, outcome.isLast && roster.isFinished)
      }
      outcome.woken.forEach { $0.wake() }
      // The last batch has held up the end, also for watchers that it does not concern.
      if isEnd { wake() }
    }
  }

  // Compares keys, so never under a lock.
  private func writes(of batch: State.Batch.Content, _ watchedCount: Int) -> [State.HashedWrite] {
    switch batch {
    case .write(let write, let hash):
      return [State.HashedWrite(write: write, hash: hash)]
    case .whole(let new, let old, let version):
      // To look up all watched keys is cheaper then.
      let limit = 16 + 2 * watchedCount
      guard let edits = new.edits(from: old, limit: limit) else {
        let hashes = locked { keys, _, _ in keys.hashes }
        return hashes.keys.flatMap { new.writes(from: old, hash: $0, version) }
      }
      let hashed = edits.map { (edit: $0, hash: HashBits.of($0.key)) }
      let isWatched = locked { keys, _, _ in hashed.map { keys.hashes[$0.hash] != nil } }
      return zip(hashed, isWatched).filter(\.1).map { hashed, _ in
        let (key, hash) = (hashed.edit.key, hashed.hash)
        let write = Write(
          key,
          hashed.edit.newValue,
          mark: new.mark(forKey: key, hash: hash),
          formerMark: old.mark(forKey: key, hash: hash),
          version: version
        )
        return State.HashedWrite(write: write, hash: hash)
      }
    }
  }

  /// Distributes for the writer that has entered a batch, when its lock is released.
  @usableFromInline
  final class Distributor: Waiter, @unchecked Sendable {
    private let keys: WatchedKeys

    @usableFromInline
    init(_ keys: WatchedKeys) {
      self.keys = keys
    }

    package override func wake() {
      keys.distribute()
    }
  }
}

// MARK: - Watching

extension WatchedKeys {
  /// What a watcher finds when it looks.
  @usableFromInline
  struct Found: Sendable {
    @usableFromInline let watched: WatchedHash<Key, Element>
    @usableFromInline let newest: WatchedHash<Key, Element>.Node
    @usableFromInline let count: UInt64
    @usableFromInline let chain: UInt64
    @usableFromInline let draft: Draft<Whole>

    init(_ watched: WatchedHash<Key, Element>, _ draft: Draft<Whole>) {
      self.watched = watched
      newest = unsafe watched.newest
      count = unsafe watched.count
      chain = unsafe watched.chain
      self.draft = draft
    }
  }

  /// Begins to keep what is written to the keys of a hash, for a watcher.
  @usableFromInline
  func join(_ hash: UInt) -> Found {
    locked { keys, state, roster in
      let (watched, isFirst) = keys.watcherJoined(hash, at: roster.version)
      if isFirst {
        state.open(self)
        _ = roster.attended(by: self)
      }
      return Found(watched, state.draft(roster))
    }
  }

  /// What the dictionary holds now, for a watcher.
  @usableFromInline
  func find(_ watched: WatchedHash<Key, Element>) -> Found {
    locked { _, state, roster in Found(watched, state.draft(roster)) }
  }

  /// The readers of `follower` are readers of the dictionary.
  @usableFromInline
  func followerJoined(_ follower: AnyCell) {
    cell.locked { $0.junctions[ObjectIdentifier(follower)] = follower }
  }

  /// A watcher ends, and its feeder waits no longer.
  ///
  /// - Returns: What is to be released after the lock.
  @usableFromInline
  func leave(_ watched: WatchedHash<Key, Element>, _ feeder: KeyFeeder?) -> Ledger<Whole>? {
    locked { keys, state, roster in
      if let feeder {
        roster.junctions[feeder.targetIdentity] = nil
        _ = unsafe watched.waiting.remove(feeder)
      }
      guard keys.watcherLeft(watched) else { return nil }
      _ = roster.left(by: self)
      return state.closeLedger()
    }
  }
}

extension PersistentDictionary {
  /// What has changed, from `old` to this dictionary, of the keys with one hash.
  func writes(from old: PersistentDictionary, hash: UInt, _ version: UInt64)
    -> [WatchedKeysState<Key, Value>.HashedWrite]
  {
    let (after, before) = (entries(hash: hash), old.entries(hash: hash))
    var writes = after.compactMap { entry -> KeyWrite<Key, Value>? in
      let former = before.first { $0.key == entry.key }
      if former?.mark == entry.mark { return nil }
      return KeyWrite(entry.key, entry.value, mark: entry.mark, formerMark: former?.mark, version: version)
    }
    for entry in before where !after.contains(where: { $0.key == entry.key }) {
      writes.append(KeyWrite(entry.key, nil, mark: nil, formerMark: entry.mark, version: version))
    }
    return writes.map { .init(write: $0, hash: hash) }
  }

  /// The entries whose keys have a hash.
  private func entries(hash: UInt) -> [(key: Key, value: Value, mark: EntryMark)] {
    guard let storage else { return [] }
    var found: [(key: Key, value: Value, mark: EntryMark)] = []
    withExtendedLifetime(storage) {
      // Looks at each entry that stands where this hash leads to, and takes none.
      _ = unsafe HashNodeView<Key, Value>.entry(hash: hash, in: storage.root) { entry in
        let entry = unsafe entry.pointee
        if HashBits.of(entry.key) == hash { found.append((entry.key, entry.value, entry.mark)) }
        return false
      }
    }
    return found
  }
}
