public import ActorBindingsSharing
import Foundation

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
    var limit = PageLimit()
    var snapshot: StoreSnapshot?
    while true {
      if end != nil { request.limit = EtcdNumber(UInt64(limit.entries)) }
      let (page, bytes) = try await client.callCounting("/v3/kv/range", request, as: EtcdResponse.Range.self)
      let found = page.entries ?? []
      let revision = snapshot?.revision ?? StoreRevision(page.header.revision?.value ?? 0)
      snapshot = StoreSnapshot(
        entries: (snapshot?.entries ?? []) + found.compactMap { keys.entry($0) },
        revision: revision
      )
      guard page.more == true, let last = found.last else { break }
      limit.answerCame(entries: found.count, bytes: bytes)
      request.key = last.key + [0]
      request.revision = EtcdNumber(revision.number)
    }
    return snapshot ?? StoreSnapshot(entries: [], revision: StoreRevision(0))
  }

  /// Writes or removes one entry, if the entry is as the caller expects.
  public func write(_ write: StoreWrite) async throws -> StoreWriteResult {
    try Task.checkCancellation()
    try limits.check(key: write.key, of: name)
    try limits.check(bytes: write.bytes?.count ?? 0, key: write.key, of: name)
    let answer = try await request(key: write.key, isWrite: true) {
      try await client.call("/v3/kv/txn", transaction(of: write), as: EtcdResponse.Transaction.self)
    }
    if answer.succeeded == true { return .applied(StoreRevision(answer.header.revision?.value ?? 0)) }
    let found = answer.responses?.first?.range?.entries?.first
    return .conflict(found.flatMap { keys.entry($0) })
  }

  private func transaction(of write: StoreWrite) -> EtcdRequest.Transaction {
    let key = keys.etcdKey(write.key)
    let operation: EtcdRequest.Operation =
      if let bytes = write.bytes {
        .put(key: key, value: Data(bytes), lease: write.lease?.id)
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
      compare: revision.map { [EtcdRequest.Comparison(key: key, modRevision: EtcdNumber($0))] } ?? [],
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
