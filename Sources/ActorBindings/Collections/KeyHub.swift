/// Tells the watchers of single keys of a dictionary what becomes of these.
///
/// While there are any it observes the dictionary: whoever writes that finds out, after the lock, which keys were written,
/// and hands the new values to those who watch them. So nobody else is woken, however many watch other keys.
// @unchecked: the variables are guarded by `lock`.
final class KeyHub<Key: Hashable & Sendable, Element: Sendable>: @unchecked Sendable {
  typealias Whole = PersistentDictionary<Key, Element>
  typealias Watcher = KeyWatcher<Key, Element>

  let cell: Cell<Whole>

  // Written as a cell is, without a lock around the user's `==`.
  private let watchers = Cell(PersistentDictionary<Key, [Watcher]>())

  private let lock = Lock()
  private var count = 0
  private var token: BindingToken?

  init(_ cell: Cell<Whole>) {
    self.cell = cell
  }

  /// From here on `watcher` is told of each update of its key.
  func add(_ watcher: Watcher) {
    watchers.modify { $0[watcher.key, default: []].append(watcher) }
    let isObserved = lock.withLock {
      count += 1
      return token != nil
    }
    if isObserved { return }
    let new = observe()
    // Of several who came at once, one is enough: a watcher who is told twice takes what is newer.
    let surplus = lock.withLock { () -> BindingToken? in
      guard token == nil, count > 0 else { return new }
      token = new
      return nil
    }
    surplus?.cancel()
  }

  /// `watcher` has had enough.
  func remove(_ watcher: Watcher) {
    watchers.modify { watchers in
      let others = watchers[watcher.key]?.filter { $0 !== watcher } ?? []
      watchers[watcher.key] = others.isEmpty ? nil : others
    }
    let last = lock.withLock { () -> BindingToken? in
      count -= 1
      return count == 0 ? token.take() : nil
    }
    last?.cancel()
  }

  private func observe() -> BindingToken {
    // The order of the versions matters, so none may be left out.
    var cursor = VersionedCursor(base: CellCursor(cell: cell))
    cursor.root.place = cell.beginReading(depth: Backlog.unbounded.depth, pin: nil)
    let teller = KeyTeller(self)
    let observation = CursorObservation(cursor, teller, endsWithToken: false, isConfined: false)
    cell.begin(observation, depth: nil, on: .writers(for: teller))
    return BindingToken(observation)
  }

  fileprivate func tell(_ edits: [DictionaryEdit<Key, Element>], at version: UInt64) {
    let watchers = watchers.value
    for edit in edits {
      for watcher in watchers[edit.key] ?? [] { watcher.outlet.send(edit.newValue, at: version) }
    }
  }

  fileprivate func end() {
    let last = cell.locked { $0.draft($1) }
    for (key, watchers) in watchers.value {
      // One that has just begun may have been told nothing yet.
      for watcher in watchers { watcher.outlet.finish(on: last.value[key], at: last.version) }
    }
  }
}

/// Hands what became of a dictionary on to the watchers of its keys.
// @unchecked: the observation's own, one call at a time.
private final class KeyTeller<Key: Hashable & Sendable, Element: Sendable>: Recipient, @unchecked Sendable {
  private let hub: KeyHub<Key, Element>
  private var told: PersistentDictionary<Key, Element>?

  init(_ hub: KeyHub<Key, Element>) {
    self.hub = hub
  }

  var isGone: Bool { false }

  func receive(_ update: Update<PersistentDictionary<Key, Element>>) -> Bool {
    if let told { hub.tell(update.value.edits(from: told), at: update.version) }
    told = update.value
    return true
  }

  func sourceEnded() {
    hub.end()
  }
}

/// Watches one key, while somebody reads what it writes.
final class KeyWatcher<Key: Hashable & Sendable, Element: Sendable>: RelayDriver {
  let key: Key
  let outlet: Outlet<Element?>
  private let hub: KeyHub<Key, Element>

  init(_ key: Key, _ outlet: Outlet<Element?>, _ hub: KeyHub<Key, Element>) {
    self.key = key
    self.outlet = outlet
    self.hub = hub
  }

  func begin() {
    hub.add(self)
    guard outlet.open(by: self) else { return hub.remove(self) }
    // What is written from here on it is told.
    let draft = hub.cell.locked { $0.draft($1) }
    outlet.send(draft.value[key], at: draft.version)
    if hub.cell.locked({ $0.isFinished }) { outlet.finish() }
  }

  func stop() {
    hub.remove(self)
  }
}

/// The cursor of the source of one key's value.
public struct KeyCursor<Key: Hashable & Sendable, Element: Sendable>: StateCursor {
  private var base: RelayCursor<Element?>
  private let key: Key
  private let dictionary: Cell<PersistentDictionary<Key, Element>>

  init(_ key: Key, _ hub: KeyHub<Key, Element>) {
    self.key = key
    dictionary = hub.cell
    base = RelayCursor(of: hub.cell) { outlet, _ in KeyWatcher(key, outlet, hub).begin() }
  }

  /// The innermost cursor.
  public var root: CellCursor<Element??> {
    get { base.root }
    _modify { yield &base.root }
  }

  /// What the dictionary holds for the key.
  public var current: Element? { dictionary.value[key] }

  /// The next value of the key; nil while it has none.
  public mutating func next(in round: Round<Element??>?) -> Pull<Element?> {
    base.next(in: round)
  }
}
