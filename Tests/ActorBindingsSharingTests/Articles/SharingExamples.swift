import ActorBindings
import ActorBindingsSharing
import ActorBindingsTesting
import Dispatch
import Testing

// The code between the markers is shown in the article `Sharing`; the suite `SharingArticleTests` compares the two.

@Suite
struct SharingExamples {
  struct Flags: Codable, Hashable, Sendable {
    var limit = 4
  }

  struct Session: Codable, Hashable, Sendable {
    var name = "ann"
  }

  private func makeStore() -> MyStore { MyStore(Engine()) }

  private let store = InMemoryStore()

  @Test
  func `a shared cell`() async throws {
    // article
    let flags = SharedCell("config/flags", in: store, initially: Flags())
    flags.start()  // or `try await flags.run()` in a task group
    try await flags.ready()

    let limits = flags.map(\.limit).removeDuplicates().values
    try await flags.modify { $0.limit = 8 }
    // end
    _ = await limits.first { $0 == 8 }
    #expect(flags.value.limit == 8)
  }

  @Test
  func `presence`() async throws {
    let session = Session()
    func serve(_ session: Session) async throws {
      #expect(try await store.load(.prefix("sessions/")).entries.count == 1)
    }
    // article
    let sessions = SharedDictionary<String, Session>("sessions/", in: store)
    try await sessions.withPresence(session, for: "ann", ttl: .seconds(10)) {
      try await serve(session)
    }
    // end
    #expect(try await store.load(.prefix("sessions/")).entries.isEmpty)
  }

  @Test
  func `leadership`() async throws {
    let numbers = BindableActor<[UInt64]>([])
    let store = store
    @Sendable func publish(_ number: UInt64) async throws {
      numbers.modify { $0.append(number) }
    }
    let task = Task {
      // article
      while !Task.isCancelled {
        do {
          try await store.withLeadership(of: "feed", ttl: .seconds(5)) {
            try await publish($0.fencingNumber)
          }
        } catch StoreError.leaseEnded {
          // Another process may lead now: become a candidate again.
        }
      }
      // end
    }
    _ = await numbers.first { $0.count >= 2 }
    task.cancel()
    _ = await task.result
    #expect(numbers.value == numbers.value.sorted())
  }

  @Test
  func `alerts`() async throws {
    let flags = SharedCell("..", in: store, initially: Flags())
    let (log, pages) = (DispatchQueue(label: "log"), BindableActor<[String]>([]))
    @Sendable func page(_ text: String) { pages.modify { $0.append(text) } }
    @Sendable func note(_ text: String) {}
    // article
    let token = flags.link.observe(on: .queue(log)) { link in
      switch link {
      case .ended(let reason): page("flags: \(reason)")
      case .stale: note("flags: \(link)")
      case .idle, .connecting, .live: break
      }
    }
    // end
    flags.start()
    _ = await pages.first { !$0.isEmpty }
    token.cancel()
  }

  // article
  final class MyStore: SharedStore {
    let name = "my engine at 10.0.0.7"
    let limits = StoreLimits(bytesPerEntry: 100_000, idleLimit: .seconds(3))
    let followers = StoreFollowers()
    private let engine: Engine

    init(_ engine: Engine) {
      self.engine = engine
    }

    func load(_ scope: StoreScope) async throws -> StoreSnapshot {
      try await answered { try await engine.read(scope) }
    }

    func changes(
      in scope: StoreScope,
      after revision: StoreRevision
    ) async throws
      -> any AsyncSequence<[StoreChange], any Error> & Sendable
    {
      try await answered { try await engine.subscribe(scope, revision) }
    }

    func write(_ write: StoreWrite) async throws -> StoreWriteResult {
      try limits.check(write, of: name)
      do {
        return try await engine.compareAndSet(write)
      } catch is EngineTimeout {
        throw StoreError.uncertain(
          "\(name) did not answer a write of \(write.key)"
        )
      }
    }

    func grantLease(ttl: Duration) async throws -> StoreLease {
      try await answered { try await engine.lease(ttl) }
    }
    func renew(_ lease: StoreLease) async throws {
      try await answered { try await engine.renew(lease) }
    }

    func revoke(_ lease: StoreLease) async throws {
      try await answered { try await engine.revoke(lease) }
    }

    private func answered<R>(
      _ request: () async throws -> R
    ) async throws -> R {
      do {
        return try await request()
      } catch is EngineTimeout {
        throw StoreError.unavailable("\(name) did not answer in time")
      }
    }
  }
  // end

  // article
  @Test(arguments: StoreContract.checks)
  func `keeps the contract`(check: StoreContract.Check) async throws {
    try await check.run(on: makeStore())
  }
  // end

  @Test
  func `a codec that reads two forms`() throws {
    // article
    let codec = StoreCodec<Flags>(
      encode: { try StoreCodec<Flags>.json.encode($0) },
      decode: { bytes in
        let new = StoreCodec<Flags>.json
        if let flags = try? new.decode(bytes) { return flags }
        let old = StoreCodec<Int>.json
        return Flags(limit: try old.decode(bytes))
      }
    )
    // end
    #expect(try codec.decode(Array("7".utf8)) == Flags(limit: 7))
    #expect(try codec.decode(codec.encode(Flags(limit: 9))) == Flags(limit: 9))
  }
}

/// An engine that a user has: one that answers by itself, and is never late.
struct Engine: Sendable {
  private let entries = InMemoryStore()

  func read(_ scope: StoreScope) async throws -> StoreSnapshot { try await entries.load(scope) }

  func subscribe(
    _ scope: StoreScope,
    _ revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable {
    try await entries.changes(in: scope, after: revision)
  }

  func compareAndSet(_ write: StoreWrite) async throws -> StoreWriteResult { try await entries.write(write) }
  func lease(_ ttl: Duration) async throws -> StoreLease { try await entries.grantLease(ttl: ttl) }
  func renew(_ lease: StoreLease) async throws { try await entries.renew(lease) }
  func revoke(_ lease: StoreLease) async throws { try await entries.revoke(lease) }
}

/// The engine did not answer in time.
struct EngineTimeout: Error {}
