// Steps that need one hold of the lock, and the step of the first reader.
extension KeyFollower {
  @usableFromInline
  enum AtOnceOutcome: Sendable {
    case taken
    /// The first reader joins, and wants only the newest value: `begin` follows.
    case begins
    /// The general step follows.
    case takesLonger
  }

  // The problem: most steps are short. The write wakes the waiter, the writer publishes the write, and the lane looks and
  // parks. The general step handles questions, histories and unread logs. It carries its state from one hold of the
  // lock to the next, and this costs several times as much as the short step itself.
  //
  // So a step first tries to do everything in one hold of the lock. It does nothing and returns `takesLonger` if there
  // is a history, if a reader joins, if a reader finds unread writes, or if the newest write begins an unknown chain.
  // Then the general step follows, in other holds of the lock. Nothing has changed for it, except that the waiter may
  // be parked already.
  @inlinable
  func takeAtOnceWhileLocked(
    _ purpose: Purpose,
    _ cell: Cell<View>,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers,
    _ body: (inout Roster) -> Void
  ) -> AtOnceOutcome {
    if unsafe storedState.hasHistory { return .takesLonger }
    let mustFollow = unsafe storedState.isAttached && !roster.isFinished
    switch purpose {
    case .joining(let depth):
      return unsafe depth > 1 || storedState.isAttached || roster.isFinished ? .takesLonger : .begins
    case .leaving: break
    case .reading:
      if mustFollow, !isUpToDateWhileLocked(for: purpose) { return .takesLonger }
    case .refreshing:
      if mustFollow, roster.hasParkedReaders, !refreshAtOnceWhileLocked(cell, &state, &roster, &leftovers) {
        return .takesLonger
      }
    }
    body(&roster)
    if unsafe storedState.isAttached, roster.readers == 0, !state.keepsHistory {
      let mustRefresh = adjustToReadersWhileLocked(&state, &roster, &leftovers)
      assert(!mustRefresh, "a follower without history had to read a log")
    }
    return .taken
  }

  // Publishes the newest write for parked readers, and parks the waiter again.
  @inlinable
  func refreshAtOnceWhileLocked(
    _ cell: Cell<View>,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers
  ) -> Bool {
    guard let uncounted = unsafe storedUncounted,
      let reader = unsafe roster.firstParked.map({ unsafe Unmanaged.passUnretained($0) })
    else { return false }
    var view = View.unread
    let look = unsafe uncounted.watched._withUnsafeGuaranteedRef { watched in
      unsafe uncounted.waiter._withUnsafeGuaranteedRef { waiter in
        keys.locked { keys, _, roster in
          unsafe reader._withUnsafeGuaranteedRef { notePathWhileLocked(from: watched, to: $0, cell) }
          return lookAtOnceWhileLocked(at: watched, waiter, isDistributed: keys.isDistributed, roster, &view)
        }
      }
    }
    if !look.isChainKnown { return false }
    noteFound(look.watermark)
    unsafe storedSeen = look.count
    if look.isNew { showWhileLocked(&view, &state, &roster, &leftovers) }
    if look.isEnd { leftovers.add(roster.finished()) }
    cell.publishWhileLocked(roster.watermark)
    return true
  }

  @inlinable
  func notePathWhileLocked(from watched: Watched, to reader: Waiter, _ cell: AnyCell) {
    if unsafe watched.path.reader != WakePath.address(of: reader) {
      unsafe watched.path = WakePath(whileLocked: cell, reader)
    }
  }

  /// What one look at the hash has found.
  @usableFromInline
  struct LookAtOnce: Sendable {
    /// Whether the follower knows to which key the newest write belongs.
    @usableFromInline var isChainKnown = true
    /// Whether there is a new write to the follower's key.
    @usableFromInline var isNew = false
    @usableFromInline var isEnd = false
    @usableFromInline var count: UInt64
    /// As in `HashSnapshot`.
    @usableFromInline var watermark: Watermark?

    @inlinable
    init(count: UInt64) {
      self.count = count
    }
  }

  /// - Parameter view: Receives the newest write, if it is new. Copies the write, so that the write needs no node (see
  ///   `WatchedHash`).
  @inlinable
  func lookAtOnceWhileLocked(
    at watched: Watched,
    _ waiter: KeyWaiter,
    isDistributed: Bool,
    _ roster: Roster,
    _ view: inout View
  ) -> LookAtOnce {
    var look = LookAtOnce(count: watched.count)
    if unsafe look.count != storedSeen {
      guard unsafe watched.chain == storedKnownChain else {
        look.isChainKnown = false
        return look
      }
      if unsafe storedIsChainMine, let write = watched.newest,
        unsafe write.version > storedIncluded
      {
        view = .write(write.element, write.writeID)
        look.isNew = true
      }
    }
    look.isEnd = roster.isFinished && isDistributed
    look.watermark = isDistributed ? roster.watermark : nil
    if !look.isEnd, unsafe !watched.waiting.contains(waiter) { unsafe watched.waiting.append(waiter) }
    return look
  }
}

// MARK: - The first reader

extension KeyFollower {
  // The problem: the first reader must begin to watch before it looks the key up, so that it misses no write. The
  // lookup compares keys, so it runs without a lock. In between, another reader may be faster, or the cell may end.
  //
  // Begins to watch, and does the step of a reader that wants only the newest value. Returns false if another reader was
  // faster, or if the cell has ended. Then nothing has changed, and the general step follows.
  //
  // Parks the waiter at the beginning, because most readers park as soon as they have received the first value. A write
  // in between wakes the waiter in vain, and the reader looks again.
  @inlinable
  func begin(in cell: Cell<View>, _ body: (inout Roster) -> Void) -> Bool {
    let waiter = KeyWaiter(cell)
    let found = keys.startWatchingDistributed(hash, waiter)
    let value = found.draft.value.entry(forKey: key, hash: hash)
    let isChainMine = found.newestKey == key
    let entry = KeyWrite(
      key,
      value?.value,
      writeID: value?.writeID,
      formerWriteID: nil,
      version: found.draft.version
    )
    var leftovers = Leftovers()
    let hasBegun = cell.locked {
      hasBegunWhileLocked(
        found,
        entry,
        waiter,
        isChainMine: isChainMine,
        cell,
        &$0,
        &$1,
        &leftovers,
        body
      )
    }
    if !hasBegun { _ = keys.stopWatching(found.watched, waiter) }
    Woken(first: leftovers.woken.take()).wake()
    return hasBegun
  }

  @inlinable
  func hasBegunWhileLocked(
    _ found: WatchedKeys<Key, Element>.WatchedSnapshot,
    _ entry: KeyWrite<Key, Element>,
    _ waiter: KeyWaiter,
    isChainMine: Bool,
    _ cell: Cell<View>,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers,
    _ body: (inout Roster) -> Void
  ) -> Bool {
    if unsafe storedState.isAttached || roster.isFinished { return false }
    attachWhileLocked(to: found.watched, waiter)
    let beginsChain = keys.followerJoined(cell, finding: entry, in: found.watched)
    unsafe storedSeen = found.count
    unsafe storedKnownChain = beginsChain ? Watched.chainOfFoundEntry : found.chain
    unsafe storedIsChainMine = beginsChain || isChainMine
    unsafe storedIncluded = found.draft.version
    noteFound(Watermark(version: found.draft.version, isFinished: false))
    showWhileLocked(entry, &state, &roster, &leftovers)
    cell.publishWhileLocked(roster.watermark)
    body(&roster)
    return true
  }

  // The caller also registers the cell as a follower of the dictionary.
  @inlinable
  func attachWhileLocked(to watched: Watched, _ waiter: KeyWaiter) {
    unsafe storedState.attached()
    unsafe storedWatched = watched
    unsafe storedGeneration &+= 1
    unsafe storedWaiter = waiter
    unsafe storedUncounted = Uncounted(watched, waiter)
  }
}

// MARK: - Readers that join in several holds of the lock

extension KeyFollower {
  // A history may begin with a write that comes before a hold of the lock in which the history begins. That write needs
  // an instant too.
  //
  // Prepares the step of a reader that joins. Returns whether this has started to give instants to the writes: then the
  // step must stop that at its end.
  @usableFromInline
  func startsOrdering(for purpose: Purpose) -> Bool {
    guard case .joining(let depth) = purpose else { return false }
    if depth > 1 { keys.startOrdering() }
    // All earlier writes must reach the logs of their hashes.
    keys.distribute()
    return depth > 1
  }
}

// MARK: - Diagnostics

extension KeyFollower {
  /// With a history: the unread writes to keys with the hash of the key, which are in the log of that hash. Nil without a
  /// history.
  func unreadWhileLocked() -> KeptUpdates? {
    guard let watched = unsafe storedWatched, unsafe storedPosition != nil else { return nil }
    return unsafe KeptUpdates(count: watched.count &- storedSeen, positions: 0)
  }
}
