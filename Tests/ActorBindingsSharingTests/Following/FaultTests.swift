import ActorBindings
import ActorBindingsSharing
import ActorBindingsTesting
import Testing

/// Each fault of a store, and what a cell does.
@Suite(.timeLimit(.minutes(9))) struct FaultTests {
  private let clock: ManualClock
  private let counting: CountingStore
  private let store: ScriptedStore

  init() {
    clock = ManualClock()
    counting = CountingStore(InMemoryStore(clock: clock))
    store = ScriptedStore(counting, clock: clock)
  }

  /// Returns a live cell.
  private func cell() async throws -> SharedCell<Int> {
    let cell = SharedCell("config/a", in: store, initially: 0)
    cell.start()
    _ = await cell.link.first { $0 == .live }
    return cell
  }

  /// Runs `body` while the clock goes on.
  private func whileTimePasses(_ body: () async throws -> Void) async rethrows {
    let time = Task { [clock] in
      while !Task.isCancelled {
        clock.jump(by: .milliseconds(50))
        await Task.yield()
      }
    }
    defer { time.cancel() }
    try await body()
  }

  @Test func `after the end of its connection a cell loads what it has missed`() async throws {
    let cell = try await cell()
    store.begin(.unavailable)
    store.endConnections()
    let link = await cell.link.first { $0.staleReason != nil }
    #expect(link?.staleReason == "the connection has ended")
    try await counting.put(7, "config/a")
    store.mend()
    await whileTimePasses {
      _ = await cell.first { $0 == 7 }
      _ = await cell.link.first { $0 == .live }
    }
  }

  @Test func `a silent cut makes the link stale within the idle limit`() async throws {
    let cell = try await cell()
    store.begin(.silent)
    try await counting.put(7, "config/a")
    clock.jump(by: .seconds(2))
    _ = await clock.sleepers.first { $0 > 0 }
    #expect(cell.link.value == .live)
    clock.jump(by: .seconds(1))
    let link = await cell.link.first { $0.staleReason != nil }
    #expect(link?.staleReason == "the store has been silent for 3.0 seconds")
    #expect(cell.value == 0)
    store.mend()
    await whileTimePasses {
      _ = await cell.first { $0 == 7 }
      _ = await cell.link.first { $0 == .live }
    }
  }

  @Test func `a quiet renewal is not stale, and makes no update`() async throws {
    let cell = try await cell()
    try await counting.put(7, "config/a")
    _ = await cell.first { $0 == 7 }
    var links = cell.link.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await links.next() == .live)
    let version = cell.version
    for round in 2...11 {
      clock.jump(by: .seconds(2))
      _ = await counting.subscriptions.first { $0 == round }
      // The loop has seen the confirmation when it has seen this change.
      try await counting.put(100 + round, "config/a")
      _ = await cell.first { $0 == 100 + round }
    }
    #expect(counting.loads.value == 11)
    #expect(cell.version == version + 10, "only the writes have made updates")
    store.endConnections()
    let next = await links.next()
    #expect(next?.staleReason == "the connection has ended", "no other link came before")
  }

  @Test func `a store that has lost its history is loaded again`() async throws {
    let cell = try await cell()
    store.begin(.historyLost)
    store.endConnections()
    _ = await cell.link.first { $0.staleReason != nil }
    try await counting.put(7, "config/a")
    await whileTimePasses { _ = await cell.first { $0 == 7 } }
    #expect(cell.link.value != .live)
    store.mend()
    await whileTimePasses { _ = await cell.link.first { $0 == .live } }
  }

  @Test func `a store that goes back replaces what is held by an older revision`() async throws {
    let cell = try await cell()
    try await counting.put(1, "config/a")
    let backup = try await counting.load(.prefix(""))
    for number in 2...9 { try await counting.put(number, "config/a") }
    _ = await cell.first { $0 == 9 }
    store.replace(by: InMemoryStore(backup))
    await whileTimePasses {
      _ = await cell.first { $0 == 1 }
      _ = await cell.link.first { $0 == .live }
    }
    try await cell.modify { $0 += 10 }
    #expect(cell.value == 11)
  }

  @Test func `a wiped store makes a cell hold its initial value`() async throws {
    let cell = try await cell()
    try await cell.modify { $0 = 9 }
    store.replace(by: InMemoryStore())
    await whileTimePasses { _ = await cell.first { $0 == 0 } }
  }

  @Test func `a store that was replaced by one further on is loaded`() async throws {
    let cell = try await cell()
    try await cell.modify { $0 = 9 }
    let entry = StoreEntry(key: "config/a", bytes: Array("5".utf8), revision: StoreRevision(1000))
    store.replace(by: InMemoryStore(StoreSnapshot(entries: [entry], revision: StoreRevision(2000))))
    await whileTimePasses { _ = await cell.first { $0 == 5 } }
  }

  @Test func `duplicates make no update`() async throws {
    let cell = try await cell()
    store.begin(.duplicates)
    let version = cell.version
    for number in 1...10 {
      try await counting.put(number, "config/a")
      _ = await cell.first { $0 == number }
    }
    #expect(cell.version == version + 10)
  }

  @Test func `a slow store is followed`() async throws {
    let cell = try await cell()
    store.begin(.slow(.seconds(1)))
    try await counting.put(7, "config/a")
    await whileTimePasses { _ = await cell.first { $0 == 7 } }
    #expect(clock.now.offset >= .seconds(1))
  }

  @Test func `a retry that fails for the same reason as the last one tells no cell`() async throws {
    let decisions = BindableActor(0)
    let store = ScriptedStore(counting, clock: clock) {
      decisions.modify { $0 += 1 }
      return 0
    }
    let cell = SharedCell("config/a", in: store, initially: 0)
    cell.start()
    _ = await cell.link.first { $0 == .live }
    var links = cell.link.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await links.next() == .live)
    store.begin(.unavailable)
    store.endConnections()
    // The machine takes a jitter when an attempt begins, and when it fails.
    await whileTimePasses { _ = await decisions.first { $0 > 20 } }
    store.mend()
    await whileTimePasses {
      var reasons: [String] = []
      while let link = await links.next(), let reason = link.staleReason { reasons.append(reason) }
      // The clock may run so fast that a load seems to get no answer, so there may be other reasons too.
      #expect(reasons.contains("the store cannot be reached"))
      #expect(zip(reasons, reasons.dropFirst()).allSatisfy { $0 != $1 })
    }
  }

  @Test func `a refusal ends run by an error, and the cell keeps its value`() async throws {
    let cell = SharedCell("config/a", in: store, initially: 0)
    let run = Task { try await cell.run() }
    _ = await cell.link.first { $0 == .live }
    store.begin(.refusing("wrong password"))
    store.endConnections()
    await whileTimePasses { _ = await cell.link.first { $0 == .ended(reason: "wrong password") } }
    await #expect(throws: StoreError.refused("wrong password")) { try await run.value }
    await expectNothingLeft()
    store.mend()
    let again = Task { try await cell.run() }
    _ = await cell.link.first { $0 == .live }
    again.cancel()
    try await again.value
    await expectNothingLeft()
  }

  @Test func `a write whose acknowledgement was lost is applied once`() async throws {
    let cell = try await cell()
    store.begin(.acknowledgementsLost)
    let modify = Task { try await cell.modify { $0 += 1 } }
    _ = await counting.writes.first { $0 == 1 }
    store.mend()
    try await whileTimePasses { try await modify.value }
    #expect(cell.value == 1)
    #expect(try await counting.modifiedValue == 1)
    try await cell.modify { $0 += 1 }
    #expect(cell.value == 2)
  }

  @Test func `a write that was lost is sent again`() async throws {
    let cell = try await cell()
    store.begin(.writesLost)
    let modify = Task { try await cell.modify { $0 += 1 } }
    _ = await clock.sleepers.first { $0 == 2 }  // The timer of the loop, and the pause.
    store.mend()
    try await whileTimePasses { try await modify.value }
    #expect(cell.value == 1)
  }

  @Test func `a lost acknowledgement that nobody can resolve is an error`() async throws {
    let cell = try await cell()
    store.begin(.acknowledgementsLost)
    let modify = Task { try await cell.modify { $0 += 1 } }
    _ = await counting.writes.first { $0 == 1 }
    _ = await cell.first { $0 == 1 }
    try await counting.put(50, "config/a")
    store.mend()
    await whileTimePasses {
      let error = await #expect(throws: StoreError.self) { try await modify.value }
      guard case .uncertain(let message) = error else {
        Issue.record("the error is \(String(describing: error))")
        return
      }
      #expect(message.contains("config/a"))
    }
    #expect(try await counting.modifiedValue == 50)
  }

  @Test func `modify waits while the store cannot be reached`() async throws {
    let cell = try await cell()
    store.begin(.unavailable)
    let modify = Task { try await cell.modify { $0 += 1 } }
    _ = await clock.sleepers.first { $0 == 2 }
    #expect(cell.value == 0)
    store.mend()
    try await whileTimePasses { try await modify.value }
    #expect(cell.value == 1)
  }

  @Test func `modify that is cancelled while it waits throws a CancellationError`() async throws {
    let cell = try await cell()
    store.begin(.unavailable)
    let modify = Task { try await cell.modify { $0 += 1 } }
    _ = await clock.sleepers.first { $0 == 2 }
    modify.cancel()
    await #expect(throws: CancellationError.self) { try await modify.value }
    #expect(try await counting.modifiedValue == nil)
  }

  @Test(arguments: [ScriptedStore.Fault.silent, .unavailable, .historyLost, .slow(.seconds(9))])
  func `a cell that is cancelled during a fault leaves nothing behind`(_ fault: ScriptedStore.Fault)
    async throws
  {
    store.begin(fault)
    let cell = SharedCell("config/a", in: store, initially: 0)
    let run = Task { try await cell.run() }
    _ = await clock.sleepers.first { $0 > 0 }
    run.cancel()
    try await run.value
    await expectNothingLeft()
    #expect(clock.sleepers.value == 0)
  }

  private func expectNothingLeft() async {
    #expect(store.followers.loopCount == 0)
    #expect(store.followers.taskCount == 0)
    #expect(store.connectionCount == 0)
    // The task of the scripted connection ends by itself.
    while counting.base.subscriptionCount > 0 { await Task.yield() }
  }
}

extension CountingStore {
  /// The payload of the entry config/a as a number; nil if there is none.
  fileprivate var modifiedValue: Int? {
    get async throws {
      let entry = try await base.load(.key("config/a")).entries.first
      return entry.flatMap { Int(String(decoding: StoreEnvelope($0.bytes).payload, as: UTF8.self)) }
    }
  }
}
