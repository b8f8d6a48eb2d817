import ActorBindings

extension SharedEntries {
  /// Changes the value of an entry by compare-and-set, and returns once the store has acknowledged the write and the new
  /// value, or a newer one, is visible here.
  ///
  /// - Parameters:
  ///   - key: The key in the store.
  ///   - body: Changes the value; nil is the absence of an entry. It runs again after each lost race.
  nonisolated(nonsending) func modify<R: Sendable>(
    _ key: String,
    _ body: (inout Value?) throws -> R
  ) async throws -> R {
    try await replace(key, lease: nil) { base in
      var value = try base.map(decodedBase)
      let result = try body(&value)
      return (value, result)
    }
  }

  /// Gives an entry a value and a lease, as `modify` does. The bytes before need not be decodable.
  nonisolated(nonsending) func set(_ value: Value, for key: String, lease: StoreLease) async throws {
    try await replace(key, lease: lease) { _ in (value, ()) }
  }

  private nonisolated(nonsending) func replace<R: Sendable>(
    _ key: String,
    lease: StoreLease?,
    by successor: (StoreEntry?) throws -> (value: Value?, result: R)
  ) async throws -> R {
    try checkKey()
    if onlyKey == nil { try store.limits.check(key: key, of: store.name) }
    var state = ModifyState(token: StoreEnvelope.makeToken())
    var pause = ModifyPause(id: store.followers.makeTicket())
    requestBegan(for: key)
    defer {
      requestEnded(for: key)
      requestAnswered(pause.id)
    }
    var (base, isRead) = try await currentEntry(of: key, &pause)
    while true {
      let (value, result) = try successor(base)
      if base == nil, value == nil {
        // Nothing is written, so only a load can tell that the absence was no old news.
        if isRead { return result }
        base = try await read(key, &pause)
        isRead = true
        continue
      }
      state.began(on: base)
      let write = try write(of: value, for: key, on: state, lease)
      switch try await send(write, &state, &pause) {
      case .applied(let entry, let revision, let began):
        try await show(key, entry, at: revision, began: began, &pause)
        return result
      case .outrun(let entry):
        (base, isRead) = (entry, true)
        try await pause.afterLostRace(store.followers)
      }
    }
  }

  private enum Sent {
    /// The write was applied: the entry is now this, at this revision. `began` is the ticket of the request.
    case applied(StoreEntry?, StoreRevision, began: UInt64)
    /// The write was not applied, and never will be.
    case outrun(StoreEntry?)
  }

  // Sends one write until the store answers. The write expects the revision of its base, so it is applied at most once.
  private nonisolated(nonsending) func send(
    _ write: StoreWrite,
    _ state: inout ModifyState,
    _ pause: inout ModifyPause
  ) async throws -> Sent {
    while true {
      let began = store.followers.makeTicket()
      let answer: StoreWriteResult
      do {
        answer = try await store.write(write)
      } catch StoreError.uncertain(let reason) {
        state.acknowledgementLost()
        try await troubleCame(reason, &pause)
        continue
      } catch StoreError.unavailable(let reason) {
        try await troubleCame(reason, &pause)
        continue
      }
      storeAnswered(&pause)
      switch answer {
      case .applied(let revision):
        let entry = write.bytes.map { StoreEntry(key: write.key, bytes: $0, revision: revision) }
        return .applied(entry, revision, began: began)
      case .conflict(let entry):
        switch state.conflicted(with: entry) {
        case .runAgain: return .outrun(entry)
        case .applied: return .applied(entry, entry?.revision ?? StoreRevision(0), began: began)
        case .unknown: throw StoreError.uncertain(uncertainty(about: write))
        }
      }
    }
  }

  private func uncertainty(about write: StoreWrite) -> String {
    write.bytes == nil
      ? """
      \(store.name) did not acknowledge the removal of "\(write.key)", and no entry tells whether this call or another \
      one has removed it: read the value, and decide; a call that only removes need not know, and always ends
      """
      : """
      \(store.name) did not acknowledge a write of "\(write.key)", and the entry no longer tells whether it was applied: \
      read the value, and decide
      """
  }

  private func decodedBase(_ entry: StoreEntry) throws -> Value {
    do {
      return try codec.decode(Array(StoreEnvelope(entry.bytes).payload))
    } catch {
      throw StoreError.refused(
        """
        the value of "\(entry.key)" in \(store.name), revision \(entry.revision.number), cannot be decoded, so it \
        cannot be changed: \(error). Write what this program can decode, or remove the entry
        """
      )
    }
  }

  private func write(
    of value: Value?,
    for key: String,
    on state: ModifyState,
    _ lease: StoreLease?
  ) throws -> StoreWrite {
    let replaced = state.base.map { StoreEnvelope($0.bytes) }
    let bytes = try value.map {
      StoreEnvelope(token: state.token, after: replaced, payload: try codec.encode($0)).bytes
    }
    try store.limits.check(bytes: bytes?.count ?? 0, key: key, of: store.name)
    let expected = state.base.map { StoreWrite.Expectation.revision($0.revision) } ?? .absent
    return StoreWrite(key: key, bytes: bytes, expected: expected, lease: bytes == nil ? nil : lease)
  }
}

// MARK: - Removing

extension SharedEntries {
  /// Removes an entry, and returns once the absence, or a newer entry, is visible here.
  nonisolated(nonsending) func remove(_ key: String) async throws {
    try checkKey()
    if onlyKey == nil { try store.limits.check(key: key, of: store.name) }
    var state = ModifyState(token: StoreEnvelope.makeToken())
    var pause = ModifyPause(id: store.followers.makeTicket())
    requestBegan(for: key)
    defer {
      requestEnded(for: key)
      requestAnswered(pause.id)
    }
    while true {
      let began = store.followers.makeTicket()
      let snapshot = try await load(key, &pause)
      guard let entry = snapshot.entries.first(where: { $0.key.hasSameBytes(as: key) }) else {
        return try await show(key, nil, at: snapshot.revision, began: began, &pause)
      }
      state.began(on: entry)
      let write = StoreWrite(key: key, bytes: nil, expected: .revision(entry.revision))
      do {
        if case .applied(_, let revision, let began) = try await send(write, &state, &pause) {
          return try await show(key, nil, at: revision, began: began, &pause)
        }
      } catch StoreError.uncertain {
        // The entry is not the one that was to be removed. It does no harm to remove this one too.
      }
      try await pause.afterLostRace(store.followers)
    }
  }
}

// MARK: - Reading

extension SharedEntries {
  // What is held, if the loop says that it is current; otherwise what the store has.
  private nonisolated(nonsending) func currentEntry(
    of key: String,
    _ pause: inout ModifyPause
  ) async throws -> (StoreEntry?, isRead: Bool) {
    let (isCurrent, entry) = lock.withLock { (linking.isCurrent, states[StoreKey(key)]?.entry) }
    return isCurrent ? (entry, false) : (try await read(key, &pause), true)
  }

  private nonisolated(nonsending) func read(
    _ key: String,
    _ pause: inout ModifyPause
  ) async throws -> StoreEntry? {
    try await load(key, &pause).entries.first { $0.key.hasSameBytes(as: key) }
  }

  private nonisolated(nonsending) func load(
    _ key: String,
    _ pause: inout ModifyPause
  ) async throws -> StoreSnapshot {
    while true {
      do {
        let snapshot = try await store.load(.key(key))
        storeAnswered(&pause)
        return snapshot
      } catch StoreError.unavailable(let reason) {
        try await troubleCame(reason, &pause)
      } catch StoreError.uncertain(let reason) {
        try await troubleCame(reason, &pause)
      }
    }
  }

  // Makes an answer of the store visible, or something newer.
  private nonisolated(nonsending) func show(
    _ key: String,
    _ entry: StoreEntry?,
    at revision: StoreRevision,
    began: UInt64,
    _ pause: inout ModifyPause
  ) async throws {
    var (entry, revision, began) = (entry, revision, began)
    while true {
      let (verdict, decision) = take(key) { $0.answered(entry, at: revision, began: began, ticket: $1) }
      switch verdict {
      case .news, .known:
        // What is held already may still be on its way into the cell.
        try await published(decision ?? lock.withLock { queue.lastNumber })
        return
      case .readAgain:
        began = store.followers.makeTicket()
        let snapshot = try await load(key, &pause)
        entry = snapshot.entries.first { $0.key.hasSameBytes(as: key) }
        revision = entry?.revision ?? snapshot.revision
      }
    }
  }
}

// MARK: - Trouble

extension SharedEntries {
  // The store did not answer: shows why if this lasts, and waits.
  private nonisolated(nonsending) func troubleCame(_ reason: String, _ pause: inout ModifyPause) async throws
  {
    let delay = pause.troubleCame(jitter: store.followers.jitter())
    if pause.isLasting { requestFailed(pause.id, reason) }
    try await store.followers.time.sleep(for: delay)
  }

  private func storeAnswered(_ pause: inout ModifyPause) {
    if pause.isLasting { requestAnswered(pause.id) }
    pause.answered()
  }
}
