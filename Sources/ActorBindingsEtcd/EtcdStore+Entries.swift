import ActorBindings
public import ActorBindingsSharing

extension EtcdStore {
  /// Reads all entries of a scope, as they are at one revision. Reads a large scope in several requests.
  public func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    // Compaction during a long load forgets the revision at which the load reads. Then the load begins again.
    for _ in 0..<3 {
      do {
        return try await request(key: scope.name) { try await pages(of: scope) }
      } catch StoreError.historyLost {
        continue
      }
    }
    throw StoreError.unavailable("\(name) forgets its history faster than \"\(scope.name)\" can be read")
  }

  private func pages(of scope: StoreScope) async throws -> StoreSnapshot {
    let (start, end) = keys.range(of: scope)
    var request = EtcdRequest.Range(key: start, end: end)
    guard end != nil else {
      let answer = try await client.call("/v3/kv/range", request, as: EtcdResponse.Range.self)
      return StoreSnapshot(entries: entries(of: answer), revision: Self.revision(of: answer))
    }
    var found: [StoreEntry] = []
    var revision: StoreRevision?
    while true {
      let page = try await page(&request, of: scope)
      revision = revision ?? Self.revision(of: page)
      found += entries(of: page)
      guard page.more, let last = page.entries.last else { break }
      request.key = last.key + [0]
      request.revision = revision?.number
    }
    return StoreSnapshot(entries: found, revision: revision ?? StoreRevision(0))
  }

  /// Reads one page: again with fewer entries if it is too large. Later pages and loads of the scope then have fewer too.
  private func page(
    _ request: inout EtcdRequest.Range,
    of scope: StoreScope
  ) async throws -> EtcdResponse.Range {
    while true {
      let limit = pageLimits.value[scope.name].entries
      request.limit = UInt64(limit)
      do {
        let (page, bytes) = try await client.page("/v3/kv/range", request, as: EtcdResponse.Range.self)
        pageLimits.modify { $0[scope.name].answerCame(entries: page.entries.count, bytes: bytes) }
        return page
      } catch let trouble as EtcdTrouble {
        switch trouble {
        case .answerTooLarge where limit > 1:
          pageLimits.modify { $0[scope.name].answerFailed(entries: limit) }
        case .unanswered:
          pageLimits.modify { $0[scope.name].answerFailed(entries: limit) }
          throw trouble
        default: throw trouble
        }
      }
    }
  }

  private func entries(of answer: EtcdResponse.Range) -> [StoreEntry] {
    answer.entries.compactMap { keys.entry($0) }
  }

  private static func revision(of answer: EtcdResponse.Range) -> StoreRevision {
    StoreRevision(answer.header.revision ?? 0)
  }

  /// Writes or removes one entry, if the entry is as the caller expects.
  public func write(_ write: StoreWrite) async throws -> StoreWriteResult {
    try Task.checkCancellation()
    try limits.check(key: write.key, of: name)
    try limits.check(bytes: write.bytes?.count ?? 0, key: write.key, of: name)
    let answer = try await request(key: write.key, isWrite: true) {
      do {
        return try await client.call("/v3/kv/txn", transaction(of: write), as: EtcdResponse.Transaction.self)
      } catch EtcdTrouble.rejected(let rejection) where rejection.reason == .noSpace {
        throw try await troubleWithoutSpace(rejection, write)
      }
    }
    if answer.succeeded { return .applied(StoreRevision(answer.header.revision ?? 0)) }
    let found = answer.responses.first?.found.first
    return .conflict(found.flatMap { keys.entry($0) })
  }

  // The write that fills the space may be applied although etcd answers that there is no space. Reading tells: etcd has
  // answered, so a write that is not applied now never will be.
  private func troubleWithoutSpace(
    _ rejection: EtcdRejection,
    _ write: StoreWrite
  ) async throws -> EtcdTrouble {
    let uncertain = EtcdTrouble.unanswered(rejection.message)
    let request = EtcdRequest.Range(key: keys.etcdKey(write.key))
    guard let answer = try? await client.call("/v3/kv/range", request, as: EtcdResponse.Range.self) else {
      return uncertain
    }
    let found = answer.entries.first?.modRevision ?? 0
    let isUnchanged =
      switch write.expected {
      case .anything: false
      case .absent: found == 0
      case .revision(let revision): found == revision.number
      }
    return isUnchanged ? .rejected(rejection) : uncertain
  }

  private func transaction(of write: StoreWrite) -> EtcdRequest.Transaction {
    let key = keys.etcdKey(write.key)
    let operation: EtcdRequest.Operation =
      if let bytes = write.bytes {
        .put(key: key, value: bytes, lease: write.lease?.id)
      } else {
        .delete(key: key)
      }
    let revision: UInt64? =
      switch write.expected {
      case .anything: nil
      case .absent: 0
      case .revision(let revision): revision.number
      }
    return EtcdRequest.Transaction(
      compare: revision.map { [EtcdRequest.Comparison(key: key, modRevision: $0)] } ?? [],
      success: [operation],
      failure: [.range(key: key)]
    )
  }
}

extension StoreScope {
  /// The key or the prefix, for messages.
  var name: String {
    switch self {
    case .key(let key): key
    case .prefix(let prefix): prefix
    }
  }
}
