public import Synchronization

// MARK: - Under the lock

extension KeyFollower {
  @usableFromInline
  enum RefreshOutcome: Sendable {
    case isUpToDate
    /// There is more to read in the log.
    case hasMore
    case asks(Question)
  }

  /// A snapshot of the watched hash of the key.
  @usableFromInline
  struct HashSnapshot: Sendable {
    @usableFromInline let newest: Watched.Node
    @usableFromInline let count: UInt64
    @usableFromInline let chain: UInt64
    @usableFromInline let isEnd: Bool
    @usableFromInline let generation: UInt64
    /// Nil while a batch waits, because the writes of the batch are not in the log yet.
    @usableFromInline let watermark: Watermark?

    @inlinable
    init(
      newest: Watched.Node,
      count: UInt64,
      chain: UInt64,
      isEnd: Bool,
      generation: UInt64,
      watermark: Watermark?
    ) {
      self.newest = newest
      self.count = count
      self.chain = chain
      self.isEnd = isEnd
      self.generation = generation
      self.watermark = watermark
    }
  }

  // The problem is the same as for a junction: no writer may get in between the look and the parking of a reader. One
  // lock suffices here: the lock of the dictionary's cell. But the waiter parks at the hash, not in the dictionary's
  // cell. If the waiters of all watched keys parked in the dictionary's cell, each write to any key would wake all of
  // them.
  //
  // Looks at the hash. If there is nothing new, parks the waiter in the same hold of the lock, because a reader may be
  // about to park. If `parks` is true, or the follower is eager, parks the waiter even if there is something new.
  @inlinable
  func takeSnapshotWhileLocked(of watched: Watched, parks: Bool) -> HashSnapshot {
    keys.locked { keys, _, roster in lookWhileLocked(at: watched, parks: parks, keys, roster) }
  }

  @inlinable
  func lookWhileLocked(
    at watched: Watched,
    parks: Bool,
    _ keys: WatchedKeys<Key, Element>.State,
    _ roster: Roster
  ) -> HashSnapshot {
    let isNew = unsafe watched.count != storedSeen
    let isEnd = roster.isFinished && keys.isDistributed
    if unsafe !isNew || parks || storedState.isEager, !isEnd, let waiter = unsafe storedWaiter,
      unsafe !watched.waiting.contains(waiter)
    {
      unsafe watched.waiting.append(waiter)
    }
    return unsafe HashSnapshot(
      newest: watched.nodeWhileLocked(),
      count: watched.count,
      chain: watched.chain,
      isEnd: isEnd,
      generation: storedGeneration,
      watermark: keys.isDistributed ? roster.watermark : nil
    )
  }

  /// Brings the cell up to date with what the step's first look found. `goal` is nil before that look, and nil again
  /// once everything is read. Leaves later writes to the next step, so that a step ends even if writers never pause.
  ///
  /// If this function publishes nothing, the reader may park before the lock is released. So in that case this function
  /// must have parked the waiter. A first look that finds something new does not park the waiter, because most of the
  /// time the follower then publishes what the look has found. If the follower publishes nothing, because the writes
  /// concern other keys with this hash, this function looks a second time. The second look parks the waiter even if
  /// there is something new.
  ///
  /// - Parameter parks: Whether the first look parks the waiter too. A writer that brings the cell up to date for parked
  ///   readers does so: it wakes these readers, and they need not look at the hash in order to park again.
  @inlinable
  func refreshWhileLocked(
    _ cell: Cell<View>,
    parks: Bool,
    _ goal: inout HashSnapshot?,
    _ seen: inout Watched.Node?,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers
  ) -> RefreshOutcome {
    guard !roster.isFinished, let watched = unsafe storedWatched else { return .isUpToDate }
    defer { cell.publishWhileLocked(roster.watermark) }
    let version = roster.version
    var parks = parks
    while true {
      let snapshot: HashSnapshot
      var isParked = false
      let begun = goal.take()
      // `begun` may hold the last reference to the node, which must not be released under the lock.
      if let begun { leftovers.add(begun.newest) }
      // In the meantime another reader may have read the log up to the goal. Or all readers may have left, and others
      // may have joined. In both cases this step looks again.
      if let begun, unsafe storedState.hasHistory, unsafe begun.generation == storedGeneration,
        isBehindWhileLocked(begun)
      {
        snapshot = begun
      } else {
        snapshot = self.takeSnapshotWhileLocked(of: watched, parks: parks)
        isParked = parks || !isBehindWhileLocked(snapshot)
        noteFound(snapshot.watermark)
      }
      leftovers.add(snapshot.newest)
      if unsafe storedState.hasHistory {
        let outcome = readLogWhileLocked(to: snapshot, &state, &roster, &leftovers)
        switch outcome {
        case .isUpToDate: break
        case .hasMore, .asks:
          goal = snapshot
          return outcome
        }
      } else if isBehindWhileLocked(snapshot) {
        // If the newest chain is unknown, asks the dictionary, because older unread chains may belong to this key too.
        guard unsafe snapshot.chain == storedKnownChain else { return .asks(.lookUp(watched)) }
        if unsafe storedIsChainMine, let write = snapshot.newest.value {
          publishWhileLocked(write, &state, &roster, &leftovers)
        }
        unsafe storedSeen = snapshot.count
      }
      seen = snapshot.newest
      if snapshot.isEnd { leftovers.add(roster.finished()) }
      if isParked || roster.version != version || snapshot.isEnd { return .isUpToDate }
      parks = true
    }
  }

  // The problem: a lane looks when its turn begins, and again when it parks. Most of the time nothing has been written
  // since the writer that woke the lane brought the cell up to date. A look takes the lock of the dictionary's cell,
  // which all writers take. The log of the hash counts its writes, so a reader can see without that lock that there is
  // nothing to read. But a reader that parks must also be sure that the next writer wakes it. If the waiter is linked,
  // either it is parked, or a writer is about to wake it. In both cases the woken waiter takes the lock of this cell
  // after this step, and brings the cell up to date for the readers that have parked.
  //
  // Returns whether a look would find nothing, and the next write will wake the waiter.
  @inlinable
  func isUpToDateWhileLocked(for purpose: Purpose) -> Bool {
    guard case .reading = purpose, let uncounted = unsafe storedUncounted else { return false }
    let isLinked = unsafe uncounted.waiter._withUnsafeGuaranteedRef { $0.isLinked.load(ordering: .acquiring) }
    let count = unsafe uncounted.watched._withUnsafeGuaranteedRef { $0.count }
    return unsafe isLinked && count == storedSeen && !dictionary.watermark.isFinished
  }

  /// Returns whether the log has unread writes up to `snapshot`.
  @inlinable
  func isBehindWhileLocked(_ snapshot: HashSnapshot) -> Bool {
    unsafe Int64(bitPattern: snapshot.count &- storedSeen) > 0
  }

  // Publishes each write to the key up to `snapshot`, but reads only a limited number of writes in one hold of the
  // lock. A write of an unknown chain ends the hold, because comparing its key runs user code.
  @inlinable
  func readLogWhileLocked(
    to snapshot: HashSnapshot,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers
  )
    -> RefreshOutcome
  {
    // The first node keeps the later nodes alive until the lock is released.
    if let first = unsafe storedPosition { leftovers.add(first) }
    for _ in 0..<AnyJunction.longestPortion {
      guard isBehindWhileLocked(snapshot), let next = unsafe storedPosition?.next else { return .isUpToDate }
      if let write = next.value {
        guard unsafe write.chain == storedKnownChain else {
          return unsafe .asks(.compare(write, generation: storedGeneration))
        }
        if unsafe storedIsChainMine { publishWhileLocked(write, &state, &roster, &leftovers) }
      }
      unsafe storedPosition = next
      unsafe storedSeen &+= 1
    }
    return isBehindWhileLocked(snapshot) ? .hasMore : .isUpToDate
  }

  // Publishes a write, unless the cell has already shown a dictionary that includes the write.
  @inlinable
  func publishWhileLocked(
    _ write: KeyWrite<Key, Element>,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers
  ) {
    if unsafe write.version > storedIncluded { showWhileLocked(write, &state, &roster, &leftovers) }
  }

  @inlinable
  func showWhileLocked(
    _ write: KeyWrite<Key, Element>,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers
  ) {
    var view = View.write(write.element, write.writeID)
    showWhileLocked(&view, at: write.instant, &state, &roster, &leftovers)
  }

  // Afterwards `view` is empty: its former value is the cell's, and the cell's is in `leftovers`.
  @inlinable
  func showWhileLocked(
    _ view: inout View,
    at instant: LogicalInstant = .unordered,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers
  ) {
    guard case .write(_, let writeID) = view,
      case .published(let woken, let outdated) = state.sent(&view, by: .insistent, at: instant, &roster)
    else { return }
    unsafe storedWriteID = writeID
    var former = View.unread
    swap(&view, &former)
    leftovers.add(former)
    leftovers.add(woken)
    if let outdated { leftovers.add(outdated) }
  }

  // Called after each step, as in a junction (see `Junction.adjustToReadersWhileLocked`).
  //
  // Does what a change of the readers requires. Returns true if the cell must be brought up to date.
  @inlinable
  func adjustToReadersWhileLocked(
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers
  ) -> Bool {
    let obligations = unsafe storedState.readersChanged(
      isRead: roster.readers > 0 || state.keepsHistory,
      keepsHistory: state.keepsHistory,
      wantsAll: state.logReaders > 0
    )
    if obligations.contains(.endHistory), let position = unsafe storedPosition.take() {
      leftovers.add(position)
      keys.stopOrdering()
    }
    if obligations.contains(.detach) { detachWhileLocked(&state, roster, &leftovers) }
    return obligations.contains(.refresh)
  }
}

// MARK: - Coming and going

extension KeyFollower {
  // The problem: the follower finds an answer without a lock, so the answer may be outdated when the follower applies
  // it. Meanwhile another reader may have brought the cell up to date. Or all readers may have left, and others may
  // have begun to watch the hash again. Asking again until nothing has changed in between might never end while writers
  // go on. So each answer carries numbers that only grow, and these numbers show whether the answer is outdated. The
  // follower drops an outdated answer: the cell already holds something newer, or the step asks again for what it still
  // needs.
  //
  // Applies an answer. Returns the registration that the answer carries if it must be undone, because another reader
  // was faster, or the cell has finished. If this publishes a value, sets `seen` to the newest write that the value
  // includes.
  @inlinable
  func takeWhileLocked(
    _ answer: Answer,
    _ cell: Cell<View>,
    _ state: inout CellState<View>,
    _ roster: inout Roster,
    _ leftovers: inout Leftovers,
    _ seen: inout Watched.Node?
  )
    -> Watched?
  {
    switch answer {
    case .chain(let chain, let isMine, let generation):
      // Each watched hash numbers its own chains, so a chain number means nothing once the follower has begun to watch
      // again.
      guard unsafe generation == storedGeneration else { return nil }
      unsafe storedKnownChain = chain
      unsafe storedIsChainMine = isMine
    case .entry(let write, let found, let isChainMine, let isBeginning):
      if isBeginning {
        if unsafe storedState.isAttached || roster.isFinished { return found.watched }
        attachWhileLocked(to: found.watched, KeyWaiter(cell))
        keys.followerJoined(cell)
      } else if unsafe storedWatched !== found.watched || storedState.hasHistory || found.count < storedSeen
        || write.version < storedIncluded
      {
        // The answer is outdated: another reader was faster, or has brought the cell up to date since.
        return nil
      }
      let isNew = unsafe isBeginning || storedWriteID != write.writeID
      unsafe storedSeen = found.count
      unsafe storedKnownChain = found.chain
      unsafe storedIsChainMine = isChainMine
      unsafe storedIncluded = write.version
      if isNew {
        showWhileLocked(write, &state, &roster, &leftovers)
        seen = found.node
      }
      cell.publishWhileLocked(roster.watermark)
    }
    return nil
  }

  // Begins a history of the cell after `seen`, the newest write that the cell includes.
  @inlinable
  func beginHistoryWhileLocked(after seen: Watched.Node?, _ roster: Roster) {
    guard unsafe storedState.isAttached, unsafe !storedState.hasHistory, !roster.isFinished else { return }
    precondition(seen != nil, "a history begins before its cell was brought up to date")
    unsafe storedPosition = seen
    unsafe storedState.historyBegan()
    keys.startOrdering()
  }

  // Moves what the follower holds of the dictionary into `leftovers`, because the last reader has left. A watched hash
  // may hold the last reference to a log of writes, and the values in the log must be released after the lock.
  @inlinable
  func detachWhileLocked(
    _ state: inout CellState<View>,
    _ roster: Roster,
    _ leftovers: inout Leftovers
  ) {
    guard let watched = unsafe storedWatched.take(), let waiter = unsafe storedWaiter.take() else { return }
    unsafe storedUncounted = nil
    noteFound(nil)
    if let changeLog = keys.stopWatching(watched, waiter, follower: waiter.cellIdentity) {
      leftovers.add(changeLog)
    }
    leftovers.add(watched)
    unsafe storedWriteID = nil
    if roster.isFinished { return }
    // A reader that joins later must not find an outdated value.
    var view = View.unread
    state.lastReaderLeft(&view)
    leftovers.add(view)
  }
}
