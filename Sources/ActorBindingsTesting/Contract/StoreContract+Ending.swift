import ActorBindings
import ActorBindingsSharing

extension StoreContract {
  /// Checks of lost history, of cancellation, and of the end of subscriptions.
  static let ending: [Check] = [
    Check("a subscription after a revision whose changes are gone throws historyLost") { run in
      guard let loseHistory = run.loseHistory else { return }
      let start = try await run.load(run.scope).revision
      for number in 0..<3 { try await run.put("a", [UInt8(number)]) }
      try await loseHistory()
      try await run.refuses("the subscription", with: "historyLost", { $0 == .historyLost }) {
        let changes = try await run.soon("changes") { [store = run.store, scope = run.scope] in
          try await store.changes(in: scope, after: start)
        }
        // A store may confirm the subscription, and then throw.
        try await run.soon("the first change") { try await ContractRun.first(changes) }
      }
      let now = try await run.load(run.scope).revision
      let found = try await run.changes(in: run.scope, after: now) {
        try await run.put("a", [7])
      } until: {
        !$0.isEmpty
      }
      try run.require(found.map(\.key), is: [run.key("a")], "the list of changed keys")
    },
    Check("releasing the iterator of a subscription ends it, and others go on") { run in
      let start = try await run.load(run.scope).revision
      let stays = try await run.store.changes(in: run.scope, after: start)
      // More than an engine allows, if a released one stayed open.
      for number in 0..<200 {
        let leaves = try await run.soon("subscription \(number)") { [store = run.store, scope = run.scope] in
          try await store.changes(in: scope, after: start)
        }
        if number == 0 { try await run.put("a", [1]) }
        try await run.soon("the first change") { try await ContractRun.first(leaves) }
      }
      try await run.soon("the change") { try await ContractRun.first(stays) }
    },
    Check("a call of a cancelled task throws a CancellationError, whichever call it is") { run in
      let (store, scope, key) = (run.store, run.scope, run.key("a"))
      let start = try await run.load(scope).revision
      let lease = try await store.grantLease(ttl: max(store.limits.shortestTTL, .seconds(300)))
      let calls: [(String, @Sendable () async throws -> Void)] = [
        ("write", { _ = try await store.write(StoreWrite(key: key, bytes: [1], expected: .anything)) }),
        ("changes", { _ = try await store.changes(in: scope, after: start) }),
        ("grantLease", { _ = try await store.grantLease(ttl: max(store.limits.shortestTTL, .seconds(1))) }),
        ("renew", { try await store.renew(lease) }),
        ("revoke", { try await store.revoke(lease) }),
      ]
      for (name, call) in calls {
        let task = Task {
          while !Task.isCancelled { await Task.yield() }
          try await call()
        }
        task.cancel()
        switch try await run.soon("the cancelled \(name)", { await task.result }) {
        case .failure(let error) where error is CancellationError: break
        case let result: throw run.failure("\(name) ended with \(result)")
        }
      }
      try run.require(try await run.entry("a"), is: nil, "the entry")
      try await store.revoke(lease)
    },
  ]
}

extension ContractRun {
  /// Waits for the first changes of a subscription, and releases its iterator.
  fileprivate static func first(_ changes: some AsyncSequence<[StoreChange], any Error>) async throws {
    for try await batch in changes where !batch.isEmpty { return }
  }
}
