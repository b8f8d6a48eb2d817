internal import Synchronization

/// The upstream of the cell of one key: picks the writes to the key from the log of the key's hash.
///
/// A key follower works as a `Junction` with one source does. Only writes to keys with the hash of its key wake the
/// follower. A reader of the cell brings the cell up to date when the reader looks. When a reader parks, the waiter of
/// the cell parks at the hash of the key. The next writer of a key with this hash wakes the waiter, which brings the
/// cell up to date, and wakes the readers. `FollowerState` decides what the cell keeps.
///
/// ### States
/// The follower has the states of `FollowerState`. While the follower is not detached, it is also in one of these
/// states:
/// - *known*: it knows whether the newest chain that it has read belongs to its key. (A chain is a sequence of writes
///   to one key: see `WatchedHash`.)
/// - *asking*: it has come to a chain whose key it has not compared yet. The step goes on when the follower has the
///   answer.
///
/// ### Transitions
/// | event | known | asking |
/// |---|---|---|
/// | a reader looks, the waiter is linked, and no write is unread | nothing | the same |
/// | a reader looks, without history | shows the newest write if it is this key's; unknown chain: asks `lookUp` | – |
/// | a reader looks, with history | shows each write to this key; unknown chain: asks `compare` | – |
/// | the first reader joins | – | without a history: `begin` looks the key up; else asks `lookUp`, which also begins to watch |
/// | an answer | – | known; shows the entry that the lookup has found, if the entry is new |
/// | an answer that is outdated | – | dropped: the step looks again |
///
/// ### Behavior
/// A writer that brings the cell up to date for parked readers parks the waiter again. While the waiter is linked and
/// the log has no unread write, readers look and park without the lock of the dictionary's cell. If the readers are busy
/// when the next writer comes, the waiter leaves the list, and stays away until a reader parks.
///
/// Without a history, most steps need one hold of the lock (see `takeAtOnceWhileLocked`), and the first reader joins by
/// `begin`. Other steps may need several holds (see `proceedWhileLocked`).
///
/// If a reader wants all writes, the follower shows each write to its key once, in order. Otherwise the follower shows
/// only the newest write. A lookup in the dictionary already includes all writes up to the dictionary's version. So the
/// follower passes over these writes when it finds them in the log.
///
/// A combination does not read the cell of the key. It reads the dictionary's own cell, and the cursor of the key looks
/// the key up in the dictionary. So a combination reads several keys of one dictionary at one instant.
// @unchecked: the lock of the cell of the key guards all variables. So accesses to the variables do not overlap, and
// need no exclusivity check.
@usableFromInline
final class KeyFollower<Key: Hashable & Sendable, Element: Sendable>: ViewUpstream<KeyView<Key, Element>>,
  @unchecked Sendable
{
  @usableFromInline typealias View = KeyView<Key, Element>
  @usableFromInline typealias Watched = WatchedHash<Key, Element>

  @usableFromInline let key: Key
  @usableFromInline let hash: UInt
  @usableFromInline let keys: WatchedKeys<Key, Element>
  /// The cell of `keys`.
  @usableFromInline let dictionary: Cell<PersistentDictionary<Key, Element>>

  @exclusivity(unchecked) @usableFromInline var storedState = FollowerState()
  @exclusivity(unchecked) @usableFromInline var storedWatched: Watched?  // Nil while detached.
  // The number of times that the follower has begun to watch. An answer or a `HashSnapshot` with an older number is
  // outdated.
  @exclusivity(unchecked) @usableFromInline var storedGeneration: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var storedWaiter: KeyWaiter?
  // The same two objects, for steps that only look at them. The lock keeps the objects alive, and most steps would
  // spend more time on counting their references than on looking.
  @exclusivity(unchecked) @usableFromInline var storedUncounted: Uncounted?
  // The number of writes to the hash that the follower has processed.
  @exclusivity(unchecked) @usableFromInline var storedSeen: UInt64 = 0
  // With a history: the node of the last processed write. Otherwise nil, so that the follower keeps no log alive.
  @exclusivity(unchecked) @usableFromInline var storedPosition: Watched.Node?
  // The last chain whose key the follower knows, and whether that key equals `key`.
  @exclusivity(unchecked) @usableFromInline var storedKnownChain: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var storedIsChainMine = false
  // The write ID of the entry that the cell shows; nil if the key has no entry.
  @exclusivity(unchecked) @usableFromInline var storedWriteID: WriteID?
  // The version of the dictionary at the last lookup that the follower has applied. The follower leaves out writes up
  // to this version.
  @exclusivity(unchecked) @usableFromInline var storedIncluded: UInt64 = 0

  // The watermark of the dictionary's cell at the follower's last look. Any thread may read it.
  private let found = Atomic(UInt64.max)

  @usableFromInline
  @safe
  struct Uncounted {
    @usableFromInline let watched: Unmanaged<Watched>
    @usableFromInline let waiter: Unmanaged<KeyWaiter>

    @inlinable
    init(_ watched: Watched, _ waiter: KeyWaiter) {
      unsafe self.watched = .passUnretained(watched)
      unsafe self.waiter = .passUnretained(waiter)
    }
  }

  /// The waiters to wake, and the objects to release, after the lock. The first object of each kind has its own
  /// variable. Most of the time there is no second object, so `more` stays empty.
  @usableFromInline
  struct Leftovers: Sendable {
    @usableFromInline enum More: Sendable {
      case view(View)
      case object(any AnyObject & Sendable)
    }

    @usableFromInline var woken: Waiter?
    @usableFromInline var view = View.unread
    @usableFromInline var object: (any AnyObject & Sendable)?
    @usableFromInline var more: [More] = []

    @inlinable
    init() {}

    @inlinable
    mutating func add(_ others: consuming Woken) {
      if woken == nil { woken = others.first } else { others.add(to: &woken) }
    }

    @inlinable
    mutating func add(_ view: View) {
      if case .unread = view { return }
      if case .unread = self.view { self.view = view } else { more.append(.view(view)) }
    }

    @inlinable
    mutating func add(_ object: any AnyObject & Sendable) {
      if self.object == nil { self.object = object } else { more.append(.object(object)) }
    }
  }

  @usableFromInline typealias Perform =
    @Sendable (KeyFollower, Cell<View>, Purpose, (inout Roster) -> Void) -> Void
  // Swift does not specialize a method that it calls through the vtable of a generic class. So `performStep` is a
  // stored function.
  private let performStep: Perform

  @inlinable
  convenience init(_ key: Key, hash: UInt, _ keys: WatchedKeys<Key, Element>) {
    self.init(key, hash, keys) { follower, cell, purpose, step in
      follower.takeStep(in: cell, for: purpose, step)
    } makeView: { follower, counted in
      let cell = unsafe unsafeDowncast(follower, to: KeyFollower.self).keys.cell
      let isRepeated = !counted.insert(cell)
      let input = JunctionInput(in: cell, isRepeated: isRepeated)
      return JunctionView(inputs: [input]) { time, former in
        if let former, case .writtenSide(let written) = time, written !== cell { return former }
        let snapshot = input.snapshot(at: time)
        return Snapshot(
          snapshot.value.map { .dictionary($0) },
          version: snapshot.version,
          at: snapshot.instant,
          isRepeated: isRepeated
        )
      }
    }
  }

  @usableFromInline
  init(
    _ key: Key,
    _ hash: UInt,
    _ keys: WatchedKeys<Key, Element>,
    performStep: @escaping Perform,
    makeView: @escaping MakeView
  ) {
    self.key = key
    self.hash = hash
    self.keys = keys
    dictionary = keys.cell
    self.performStep = performStep
    super.init(makeView: makeView)
  }

  override var sources: [AnyCell]? { keys.cells }
  package override var host: (any Actor)? { keys.cell.host }

  /// Whether a writer has written the dictionary since the follower's last look. The write may concern only other keys.
  @usableFromInline
  package override var isStale: Bool {
    dictionary.watermark.rawValue != found.load(ordering: .relaxed)
  }

  // Whether the follower has looked since it was detached: only a guess, without the lock.
  @usableFromInline var hasLooked: Bool { found.load(ordering: .relaxed) != .max }
  @usableFromInline package override var isPulled: Bool { true }

  override func bringUpToDate(_ cell: AnyCell) {
    keys.distribute()
    refresh(cell)
  }

  override func mayParkWhileLocked() -> Bool { isUpToDateWhileLocked(for: .reading) }

  package override func keptUpdates(in source: AnyCell, for cell: AnyCell) -> KeptUpdates? {
    cell.locked { _ in unreadWhileLocked() }
  }

  @usableFromInline
  func noteFound(_ watermark: Watermark?) {
    found.store(watermark?.rawValue ?? .max, ordering: .relaxed)
  }

  override func read(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    performStep(self, unsafe unsafeDowncast(cell, to: Cell<View>.self), purpose, step)
  }
}

// MARK: - One step of a reader

extension KeyFollower {
  @inlinable
  func takeStep(in cell: Cell<View>, for purpose: Purpose, _ body: (inout Roster) -> Void) {
    if case .joining(1) = purpose, !hasLooked, begin(in: cell, body) { return }
    var leftovers = Leftovers()
    switch cell.locked({ takeAtOnceWhileLocked(purpose, cell, &$0, &$1, &leftovers, body) }) {
    case .taken: Woken(first: leftovers.woken.take()).wake()
    case .begins: if !begin(in: cell, body) { takeLongStep(in: cell, for: purpose, body) }
    case .takesLonger: takeLongStep(in: cell, for: purpose, body)
    }
  }

  // Takes a step that may need several holds of the lock.
  @inlinable
  @inline(never)
  func takeLongStep(in cell: Cell<View>, for purpose: Purpose, _ body: (inout Roster) -> Void) {
    let startedOrdering = startsOrdering(for: purpose)
    defer { if startedOrdering { keys.stopOrdering() } }
    var step = FollowerStep(for: purpose)
    var goal: HashSnapshot?
    var answer: Answer?
    while step.phase != .done {
      var leftovers = Leftovers()
      let pending = cell.locked {
        proceedWhileLocked(&step, &goal, answer, cell, &$0, &$1, &leftovers, body)
      }
      Woken(first: leftovers.woken.take()).wake()
      if let unused = pending.unused { _ = keys.stopWatching(unused, nil) }
      answer = pending.question.map(self.answer)
    }
  }

  // Compares keys, so the caller must not hold a lock.
  @inlinable
  func answer(_ question: Question) -> Answer {
    switch question {
    case .compare(let write, let generation):
      return .chain(write.chain, isMine: write.key == key, generation: generation)
    case .lookUp(let watched):
      let found = watched.map(keys.snapshot) ?? keys.startWatching(hash, nil)
      let entry = found.draft.value.entry(forKey: key, hash: hash)
      return .entry(
        KeyWrite(
          key,
          entry?.value,
          writeID: entry?.writeID,
          formerWriteID: nil,
          version: found.draft.version
        ),
        found,
        isChainMine: found.newestKey == key,
        isBeginning: watched == nil
      )
    }
  }

  // Does as much of the step as is possible in one hold of the lock.
  //
  // The problem: `==` of the key is user code, which must not run under a lock. But a writer wakes all watchers of a
  // hash, and several keys may have this hash, so a watcher must compare keys. A separate log for each key would not
  // help: the writer would have to compare keys under the lock to find the log. Comparing keys before the lock would
  // not help either: the follower learns only under the lock which writes there are. So the follower stops at the first
  // write whose key it does not know, and returns a question. The follower finds the answer after the lock, and goes on
  // in another hold of the lock. One answer serves a whole chain of writes, so most of the time there is only one
  // question.
  @inlinable
  func proceedWhileLocked(
    _ step: inout FollowerStep,
    _ goal: inout HashSnapshot?,
    _ answer: Answer?,
    _ cell: Cell<View>,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers,
    _ body: (inout Roster) -> Void
  ) -> Pending {
    var (unused, seen): (Watched?, Watched.Node?) = (nil, nil)
    let parks = if case .refreshing = step.purpose { true } else { false }
    if let answer { unused = takeWhileLocked(answer, cell, &state, &roster, &leftovers, &seen) }
    if step.phase == .preparing {
      let preparation = unsafe storedState.preparation(
        for: step.purpose,
        hasParkedReaders: roster.hasParkedReaders
      )
      // A reader of a finished cell finds the last value, and follows nothing.
      if preparation.contains(.attach), !roster.isFinished { return Pending(.lookUp(nil), unused: unused) }
      // If `seen` is set, this step has just looked the key up in the dictionary, so the step does not look at the log
      // again. If each write began another chain, each further look would ask another question, without end.
      if preparation.contains(.refresh), seen == nil, !isUpToDateWhileLocked(for: step.purpose) {
        switch refreshWhileLocked(cell, parks: parks, &goal, &seen, &state, &roster, &leftovers) {
        case .isUpToDate: break
        case .hasMore: return Pending(unused: unused)
        case .asks(let question): return Pending(question, unused: unused)
        }
      }
      if preparation.contains(.beginHistory) { beginHistoryWhileLocked(after: seen, roster) }
      body(&roster)
      step.taken(mustRefresh: adjustToReadersWhileLocked(&state, &roster, &leftovers))
      if step.phase == .done { return Pending(unused: unused) }
    }
    switch refreshWhileLocked(cell, parks: parks, &goal, &seen, &state, &roster, &leftovers) {
    case .isUpToDate: step.broughtUpToDate()
    case .hasMore: break
    case .asks(let question): return Pending(question, unused: unused)
    }
    return Pending(unused: unused)
  }
}

// The lock of the key's cell guards it.
@available(*, unavailable)
extension KeyFollower.Uncounted: Sendable {}
