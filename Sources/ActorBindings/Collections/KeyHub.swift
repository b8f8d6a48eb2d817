/// Tells the watchers of single keys of a dictionary what becomes of these.
///
/// While there are any it is the ledger of the dictionary: who writes enters the keys that he has written, and after the
/// lock hands the new values to those who watch them. If another writer is about that already, he goes on with it. So
/// nobody else is woken, however many watch other keys.
// @unchecked: the variables say what guards them.
@usableFromInline
final class KeyHub<Key: Hashable & Sendable, Element: Sendable>: Ledger<PersistentDictionary<Key, Element>>,
  @unchecked Sendable
{
  @usableFromInline typealias Whole = PersistentDictionary<Key, Element>
  @usableFromInline typealias Watcher = KeyWatcher<Key, Element>

  /// What an update has written.
  @usableFromInline
  enum Entry: Sendable {
    case element(Element, key: Key, hash: UInt, version: UInt64)
    case whole(Whole, old: Whole, version: UInt64)
  }

  /// What is to be done next.
  @usableFromInline
  enum Step: Sendable {
    /// These are to be told.
    case tell([Entry])
    /// The dictionary has ended.
    case end
    /// Nothing, until it is woken again.
    case rest
  }

  /// Those whose keys have one hash. Most of the time it is one, and he needs no list.
  @usableFromInline
  struct Watchers: Sendable {
    @usableFromInline var first: Watcher
    @usableFromInline var others: [Watcher] = []

    @usableFromInline
    init(_ first: Watcher) {
      self.first = first
    }

    @inlinable
    func forEach(_ body: (Watcher) -> Void) {
      body(first)
      others.forEach(body)
    }

    /// Nil if nobody is left.
    func without(_ watcher: Watcher) -> Watchers? {
      var rest = self
      if first !== watcher {
        rest.others.removeAll { $0 === watcher }
      } else if others.isEmpty {
        return nil
      } else {
        rest.first = rest.others.removeLast()
      }
      return rest
    }
  }

  @usableFromInline let cell: Cell<Whole>

  // Guarded by the lock of the cell, as the next three: so accesses do not overlap.
  @exclusivity(unchecked) @usableFromInline var storedEntries: [Entry] = []
  // What is being told, and was entered before those.
  @exclusivity(unchecked) @usableFromInline var storedBatch: [Entry] = []
  @exclusivity(unchecked) @usableFromInline var storedWatcherCount = 0
  // It is parked in the cell, or somebody has taken it out and reads it, or will do so.
  @exclusivity(unchecked) @usableFromInline var storedIsPresent = false

  @usableFromInline let lock = Lock()
  // Guarded by `lock`: by the hashes of their keys, for it runs nobody's code then.
  @exclusivity(unchecked) @usableFromInline var storedWatchers: [UInt: Watchers] = [:]

  @inlinable
  init(_ cell: Cell<Whole>) {
    self.cell = cell
    super.init { hub, new, old, version in
      unsafe unsafeDowncast(hub, to: KeyHub.self).storedEntries.append(
        .whole(new, old: old, version: version)
      )
    } read: { hub in
      unsafe unsafeDowncast(hub, to: KeyHub.self).tellAll()
    }
  }
}

// MARK: - What was written

extension KeyHub {
  /// `element` is the value of `key` now. Under the lock of the cell.
  @inlinable
  func enter(_ element: Element, for key: Key, hash: UInt, _ version: UInt64) {
    unsafe storedEntries.append(.element(element, key: key, hash: hash, version: version))
  }

  /// Tells what was entered, until nothing is left. Whoever writes meanwhile leaves it to this.
  @inlinable
  func tellAll() {
    var spare: [Entry] = []
    while true {
      let step = cell.locked { state, roster in nextStep(&spare, &state, &roster) }
      // What was told is released here; and there is room for the next ones.
      spare.removeAll(keepingCapacity: spare.count <= 64)
      switch step {
      case .tell(let batch): for entry in batch { tell(entry) }
      case .end: return tellEnd()
      case .rest:
        return cell.locked { _, _ in
          // Who writes next finds the room; unless one has written already.
          if unsafe storedEntries.isEmpty { unsafe swap(&storedEntries, &spare) }
        }
      }
    }
  }

  /// - Parameter spare: Room for what is entered next; then the batch that was told.
  @inlinable
  func nextStep(_ spare: inout [Entry], _ state: inout CellState<Whole>, _ roster: inout Roster) -> Step {
    unsafe swap(&storedBatch, &spare)
    unsafe swap(&storedBatch, &storedEntries)
    if unsafe !storedBatch.isEmpty { return unsafe .tell(storedBatch) }
    if roster.isFinished {
      // Whoever has this read holds it too.
      _ = state.closeLedger()
      unsafe storedIsPresent = false
      return .end
    }
    if unsafe storedWatcherCount == 0 {
      unsafe storedIsPresent = false
    } else {
      roster.idle.append(self)
    }
    return .rest
  }

  /// Tells who watches the key of `watcher` what others have not come to yet: each is told once, and in order, for all
  /// begin with the oldest.
  @inlinable
  func tellWhatIsNew(to watcher: Watcher) {
    let entries = cell.locked { _, _ in unsafe storedBatch + storedEntries }
    for entry in entries {
      switch entry {
      case .element(let element, let key, _, let version):
        if key == watcher.key { watcher.outlet.send(element, at: version) }
      case .whole(let new, let old, let version):
        let mark = new.mark(forKey: watcher.key, hash: watcher.hash)
        if mark != old.mark(forKey: watcher.key, hash: watcher.hash) {
          watcher.outlet.send(new[watcher.key], at: version)
        }
      }
    }
  }

  @inlinable
  func tell(_ entry: Entry) {
    switch entry {
    case .element(let element, let key, let hash, let version):
      tell(element, to: key, hash: hash, version)
    case .whole(let new, let old, let version):
      for edit in new.edits(from: old) {
        tell(edit.newValue, to: edit.key, hash: HashBits.of(edit.key), version)
      }
    }
  }

  @inlinable
  func tell(_ element: Element?, to key: Key, hash: UInt, _ version: UInt64) {
    guard let watchers = lock.withLock({ unsafe storedWatchers[hash] }) else { return }
    watchers.forEach { watcher in
      if watcher.key == key { watcher.outlet.send(element, at: version) }
    }
  }

  @usableFromInline
  func tellEnd() {
    for watchers in lock.withLock({ unsafe storedWatchers }).values {
      watchers.forEach { $0.outlet.finish() }
    }
  }
}

// MARK: - Who watches

extension KeyHub {
  /// From here on `watcher` is told of each update of its key, after the ones that are in what is returned.
  @usableFromInline
  func add(_ watcher: Watcher) -> Draft<Whole> {
    lock.withLock {
      if unsafe storedWatchers[watcher.hash]?.others.append(watcher) == nil {
        unsafe storedWatchers[watcher.hash] = Watchers(watcher)
      }
    }
    return cell.locked { state, roster in
      roster.readers += 1
      unsafe storedWatcherCount += 1
      if unsafe storedWatcherCount == 1, !roster.isFinished {
        state.open(self)
        // Otherwise it is read just now, and parks when that is over.
        if unsafe !storedIsPresent { roster.idle.append(self) }
        unsafe storedIsPresent = true
      }
      return state.draft(roster)
    }
  }

  /// `watcher` has had enough.
  @usableFromInline
  func remove(_ watcher: Watcher) {
    // Released after the lock; `KeyWatcher` holds the hub.
    var entries: [Entry] = []
    cell.locked { state, roster in
      roster.readers -= 1
      unsafe storedWatcherCount -= 1
      if unsafe storedWatcherCount > 0 { return }
      if roster.idle.remove(self) { unsafe storedIsPresent = false }
      unsafe swap(&entries, &storedEntries)
      _ = state.closeLedger()
    }
    lock.withLock {
      unsafe storedWatchers[watcher.hash] = storedWatchers[watcher.hash]?.without(watcher)
    }
  }
}

/// Watches one key, while somebody reads what it writes.
@usableFromInline
final class KeyWatcher<Key: Hashable & Sendable, Element: Sendable>: RelayDriver {
  @usableFromInline let key: Key
  @usableFromInline let hash: UInt
  @usableFromInline let outlet: Outlet<Element?>
  @usableFromInline let hub: KeyHub<Key, Element>

  @inlinable
  init(_ key: Key, _ outlet: Outlet<Element?>, _ hub: KeyHub<Key, Element>) {
    self.key = key
    hash = HashBits.of(key)
    self.outlet = outlet
    self.hub = hub
  }

  @inlinable
  func begin() {
    let draft = hub.add(self)
    guard outlet.open(by: self, with: draft.value[key], at: draft.version) else { return hub.remove(self) }
    // The hub may have told the end before this was open.
    if hub.cell.horizon.isFinished { outlet.finish() }
  }

  /// Whoever writes may have left it to another one to tell of it, who has not come to it.
  @inlinable
  func freshen() {
    hub.tellWhatIsNew(to: self)
  }

  @usableFromInline
  func stop() {
    hub.remove(self)
  }
}

/// The cursor of the source of one key's value.
public struct KeyCursor<Key: Hashable & Sendable, Element: Sendable>: StateCursor {
  @usableFromInline var base: RelayCursor<Element?>
  @usableFromInline let key: Key
  @usableFromInline let dictionary: Cell<PersistentDictionary<Key, Element>>

  @inlinable
  init(_ key: Key, _ hub: KeyHub<Key, Element>) {
    self.key = key
    dictionary = hub.cell
    base = RelayCursor(of: hub.cell) { outlet, _ in KeyWatcher(key, outlet, hub).begin() }
  }

  /// The innermost cursor.
  @inlinable
  public var root: CellCursor<Element??> {
    get { base.root }
    _modify { yield &base.root }
  }

  /// What the dictionary holds for the key.
  @inlinable
  public var current: Element? { dictionary.value[key] }

  /// The next value of the key; nil while it has none.
  @inlinable
  public mutating func next(in round: Round<Element??>?) -> Pull<Element?> {
    base.next(in: round)
  }
}
