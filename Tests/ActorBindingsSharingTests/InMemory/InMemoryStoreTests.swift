import ActorBindings
import ActorBindingsSharing
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(9))) struct InMemoryStoreTests {
  // A ttl that the pauses of a busy machine do not reach.
  private let limits = StoreLimits(shortestTTL: .seconds(1))

  @Test(arguments: StoreContract.checks)
  func `keeps the contract`(_ check: StoreContract.Check) async throws {
    let store = InMemoryStore(limits: limits)
    try await check.run(on: store, patience: .seconds(240), loseHistory: { store.compact() })
  }

  @Test(arguments: StoreContract.checks)
  func `a scripted store without faults keeps the contract`(_ check: StoreContract.Check) async throws {
    let base = InMemoryStore(limits: limits)
    try await check.run(on: ScriptedStore(base), patience: .seconds(240), loseHistory: { base.compact() })
  }

  @Test func `the contract fails for a store that breaks it, and says how`() async throws {
    let store = ScriptedStore(InMemoryStore(limits: limits))
    store.begin(.writesLost)
    let check = try #require(
      StoreContract.checks.first { $0.name.hasPrefix("a load returns what was written") }
    )
    await #expect(throws: StoreError.uncertain("the request was lost")) { try await check.run(on: store) }
    store.mend()
    store.begin(.duplicates)
    let order = try #require(
      StoreContract.checks.first { $0.name.contains("in order, and ends on the last") }
    )
    let failure = await #expect(throws: ContractFailure.self) { try await order.run(on: store) }
    #expect(failure?.check == order.name)
  }

  private func changes(_ store: InMemoryStore, after revision: UInt64) async throws -> [StoreChange]? {
    let changes = try await store.changes(in: .prefix("a/"), after: StoreRevision(revision))
    for try await batch in changes { return batch }
    return nil
  }

  @Test func `a subscription after a revision that the store has forgotten, or has not reached, is refused`()
    async throws
  {
    let store = InMemoryStore(history: 4)
    for number in 1...20 { try await store.put(number, "a/b") }
    await #expect(throws: StoreError.historyLost) { try await changes(store, after: 3) }
    await #expect(throws: StoreError.historyLost) { try await changes(store, after: 21) }
    #expect(
      try await changes(store, after: 16)?.map(\.revision.number) == [20],
      "only the last change of the key"
    )
    store.compact()
    await #expect(throws: StoreError.historyLost) { try await changes(store, after: 19) }
    #expect(store.subscriptionCount == 0)
  }

  @Test func `a slow reader finds only the last change of each key`() async throws {
    let store = InMemoryStore()
    let changes = try await store.changes(in: .prefix("a/"), after: StoreRevision(0))
    for number in 1...1_000 { try await store.put(number, "a/\(number % 3)") }
    var batches: [[StoreChange]] = []
    for try await batch in changes {
      batches.append(batch)
      break
    }
    #expect(batches.map { $0.map(\.revision.number) } == [[998, 999, 1_000]])
  }

  @Test func `a restored store goes on after the revision of its snapshot`() async throws {
    let entry = StoreEntry(key: "a/b", bytes: [1], revision: StoreRevision(40))
    let store = InMemoryStore(StoreSnapshot(entries: [entry], revision: StoreRevision(50)))
    #expect(try await store.load(.key("a/b")).entries == [entry])
    let write = StoreWrite(key: "a/b", bytes: [2], expected: .revision(StoreRevision(40)))
    #expect(try await store.write(write) == .applied(StoreRevision(51)))
    await #expect(throws: StoreError.historyLost) { try await changes(store, after: 49) }
  }

  @Test func `a lease ends by the clock of the store, at its ttl after the last renewal`() async throws {
    let clock = ManualClock()
    let store = InMemoryStore(clock: clock)
    let lease = try await store.grantLease(ttl: .seconds(10))
    _ = try await store.write(StoreWrite(key: "a", bytes: [1], expected: .absent, lease: lease))
    _ = await clock.sleepers.first { $0 == 1 }
    clock.jump(by: .seconds(9))
    try await store.renew(lease)
    clock.jump(by: .milliseconds(9_999))
    #expect(store.leaseCount == 1)
    #expect(try await store.load(.key("a")).entries.count == 1)
    _ = await clock.sleepers.first { $0 == 1 }
    clock.jump(by: .milliseconds(1))
    await #expect(throws: StoreError.leaseEnded) { try await store.renew(lease) }
    while store.leaseCount > 0 { await Task.yield() }
    #expect(try await store.load(.key("a")).entries.isEmpty)
    #expect(clock.sleepers.value == 0)
  }

  @Test func `a store that is deallocated, and a lease that is revoked, leave no timer`() async throws {
    let clock = ManualClock()
    do {
      let store = InMemoryStore(clock: clock)
      try await store.revoke(try await store.grantLease(ttl: .seconds(10)))
      _ = try await store.grantLease(ttl: .seconds(10))
    }
    _ = await clock.sleepers.first { $0 == 0 }
  }
}

@Suite(.timeLimit(.minutes(9))) struct ManualClockTests {
  private let clock = ManualClock()

  @Test func `a sleeper wakes at its instant, and not before`() async throws {
    let done = BindableActor(false)
    let task = Task {
      try await clock.sleep(for: .seconds(2))
      done.send(true)
    }
    _ = await clock.sleepers.first { $0 == 1 }
    clock.jump(by: .milliseconds(1_999))
    #expect(clock.sleepers.value == 1)
    #expect(!done.value)
    clock.jump(by: .milliseconds(1))
    #expect(clock.sleepers.value == 0)
    try await task.value
    try await clock.sleep(until: ManualClock.Instant(offset: .seconds(2)), tolerance: nil)
  }

  @Test func `a cancelled sleeper throws a CancellationError`() async throws {
    let task = Task { try await clock.sleep(for: .seconds(2)) }
    _ = await clock.sleepers.first { $0 == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers.value == 0)
  }
}
