import ActorBindings

extension SharedEntries {
  /// Changes the value of an entry by compare-and-set, and returns once the store has acknowledged the write and the new
  /// value, or a newer one, is visible here.
  ///
  /// - Parameters:
  ///   - key: The key in the store.
  ///   - lease: The lease that the entry then has.
  ///   - body: Changes the value; nil is the absence of an entry. It runs again after each lost race.
  nonisolated(nonsending) func modify<R: Sendable>(
    _ key: String,
    lease: StoreLease? = nil,
    _ body: (inout Value?) throws -> R
  ) async throws -> R {
    try checkKey()
    try store.limits.check(key: key, of: store.name)
    requestBegan(for: key)
    defer { requestEnded(for: key) }
    var state = ModifyState(token: StoreEnvelope.makeToken())
    var pause = ModifyPause()
    var (base, isRead) = try await currentEntry(of: key, &pause)
    while true {
      var value = try base.map(decodedBase)
      let result = try body(&value)
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
        try await pause.afterLostRace(store.followers.time)
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
      switch try await answer(to: write, &state) {
      case .applied(let revision):
        let entry = write.bytes.map { StoreEntry(key: write.key, bytes: $0, revision: revision) }
        return .applied(entry, revision, began: began)
      case .conflict(let entry):
        switch state.conflicted(with: entry) {
        case .runAgain: return .outrun(entry)
        case .applied: return .applied(entry, entry?.revision ?? StoreRevision(0), began: began)
        case .unknown:
          throw StoreError.uncertain(
            """
            \(store.name) did not acknowledge a write of "\(write.key)", and the entry no longer tells whether it was \
            applied: read the value, and decide
            """
          )
        }
      case nil: try await pause.afterTrouble(store.followers.time)
      }
    }
  }

  // Returns nil if the store did not answer, so that the same write is sent again.
  private nonisolated(nonsending) func answer(
    to write: StoreWrite,
    _ state: inout ModifyState
  ) async throws -> StoreWriteResult? {
    do {
      return try await store.write(write)
    } catch StoreError.uncertain {
      state.acknowledgementLost()
      return nil
    } catch StoreError.unavailable {
      return nil
    }
  }

  private func decodedBase(_ entry: StoreEntry) throws -> Value {
    do {
      return try codec.decode(StoreEnvelope(entry.bytes).payload)
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
    try store.limits.check(key: key, of: store.name)
    requestBegan(for: key)
    defer { requestEnded(for: key) }
    var state = ModifyState(token: StoreEnvelope.makeToken())
    var pause = ModifyPause()
    while true {
      let began = store.followers.makeTicket()
      let snapshot = try await load(key, &pause)
      guard let entry = snapshot.entries.first(where: { $0.key == key }) else {
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
      try await pause.afterLostRace(store.followers.time)
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
    let (isCurrent, entry) = lock.withLock { (linking.isCurrent, states[key]?.entry) }
    return isCurrent ? (entry, false) : (try await read(key, &pause), true)
  }

  private nonisolated(nonsending) func read(
    _ key: String,
    _ pause: inout ModifyPause
  ) async throws -> StoreEntry? {
    try await load(key, &pause).entries.first { $0.key == key }
  }

  private nonisolated(nonsending) func load(
    _ key: String,
    _ pause: inout ModifyPause
  ) async throws -> StoreSnapshot {
    while true {
      do {
        return try await store.load(.key(key))
      } catch StoreError.unavailable {
      } catch StoreError.uncertain {
      }
      try await pause.afterTrouble(store.followers.time)
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
        await published(decision ?? lock.withLock { queue.lastNumber })
        return
      case .readAgain:
        began = store.followers.makeTicket()
        let snapshot = try await load(key, &pause)
        entry = snapshot.entries.first { $0.key == key }
        revision = entry?.revision ?? snapshot.revision
      }
    }
  }
}
