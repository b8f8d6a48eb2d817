import ActorBindings
import ActorBindingsSharing
import ActorBindingsTesting
import Testing

/// Random scripts of faults, by seed. The law: when the faults have ended, each cell holds what the store has, and
/// nothing is left over.
@Suite(.timeLimit(.minutes(9))) struct RandomFaultTests {
  @Test(arguments: 0..<60)
  func `increments under faults are applied once, and each cell ends on the sum`(_ seed: UInt64) async throws
  {
    let world = FaultyWorld(seed)
    let cell = SharedCell("c/a", in: world.store, initially: 0)
    let other = SharedCell("c/a", in: world.store, initially: 0)
    let counts = SharedDictionary<Int, Int>("c/d/", in: world.store)
    let tokens = [cell.start(), other.start(), counts.start()]
    // Counters only rise, so no reader may see one fall: not within a connection, and not after a new one.
    let readers = [cell, other].map { cell in
      let values = cell.values(backlog: .unbounded)
      return Task {
        var last = 0
        for await value in values {
          #expect(value >= last)
          last = value
        }
      }
    }
    let answers = BindableActor((acknowledged: 0, uncertain: 0))
    try await world.whileTimePasses {
      await withTaskGroup(of: Void.self) { group in
        for writer in 0..<4 {
          group.addTask {
            for _ in 0..<5 {
              do {
                try await cell.modify { $0 += 1 }
                try await counts.modify(forKey: writer % 2) { $0 = ($0 ?? 0) + 1 }
                answers.modify { $0.acknowledged += 1 }
              } catch {
                answers.modify { $0.uncertain += 1 }
              }
            }
          }
        }
        await world.playFaults(40)
      }
      let (acknowledged, uncertain) = answers.value
      let sum = try await world.number("c/a") ?? 0
      #expect((acknowledged...acknowledged + uncertain).contains(sum))
      #expect(acknowledged + uncertain == 20)
      try await world.ended(cell, other, counts)
      let total = Array(counts.value).map(\.value).reduce(0, +)
      #expect((acknowledged...acknowledged + uncertain).contains(total))
    }
    readers.forEach { $0.cancel() }
    for reader in readers { await reader.value }
    for token in tokens { await token.cancelAndWait() }
    await world.leftNothing()
  }

  @Test(arguments: 0..<60)
  func `of calls that remove an entry under faults, one is told that it did`(_ seed: UInt64) async throws {
    let world = FaultyWorld(seed &+ 2_000_000)
    let tickets = SharedDictionary<Int, Int>("c/d/", in: world.store)
    let follower = SharedDictionary<Int, Int>("c/d/", in: world.store)
    let tokens = [tickets.start(), follower.start()]
    for key in 0..<4 { try await world.put(key, "c/d/\(key)") }
    let claims = BindableActor([Int](repeating: 0, count: 4))
    let uncertain = BindableActor([Int](repeating: 0, count: 4))
    try await world.whileTimePasses {
      await withTaskGroup(of: Void.self) { group in
        for claimant in 0..<3 {
          group.addTask {
            for key in 0..<4 {
              do {
                let ticket = try await (claimant == 0 ? follower : tickets).modify(forKey: key) { ticket in
                  defer { ticket = nil }
                  return ticket
                }
                if ticket != nil { claims.modify { $0[key] += 1 } }
              } catch {
                uncertain.modify { $0[key] += 1 }
              }
            }
          }
        }
        await world.playFaults(40)
      }
      for key in 0..<4 {
        #expect(claims.value[key] <= 1, "ticket \(key)")
        #expect(claims.value[key] + uncertain.value[key] >= 1, "ticket \(key)")
      }
      try await tickets.removeValue(forKey: 0)
      _ = await tickets.first { $0.isEmpty }
      _ = await follower.first { $0.isEmpty }
    }
    for token in tokens { await token.cancelAndWait() }
    await world.leftNothing()
  }

  @Test(arguments: 0..<60)
  func `cells follow a store that is replaced at random`(_ seed: UInt64) async throws {
    let world = FaultyWorld(seed &+ 1_000_000)
    let cell = SharedCell("c/a", in: world.store, initially: 0)
    let other = SharedCell("c/a", in: world.store, initially: 0)
    let counts = SharedDictionary<Int, Int>("c/d/", in: world.store)
    let tokens = [cell.start(), other.start(), counts.start()]
    try await world.whileTimePasses {
      try await world.playReplacements(60)
      try await world.ended(cell, other, counts)
    }
    for token in tokens { await token.cancelAndWait() }
    await world.leftNothing()
  }
}

/// A store with random faults, and a clock that goes on.
private final class FaultyWorld: Sendable {
  private let clock = ManualClock()
  private let base: BindableActor<InMemoryStore>
  private let random: BindableActor<UInt64>
  let store: ScriptedStore

  init(_ seed: UInt64) {
    let first = InMemoryStore(clock: clock)
    base = BindableActor(first)
    random = BindableActor(seed)
    // Numbers of its own: the loops take them in an order that no seed fixes.
    let jitters = BindableActor(~seed)
    store = ScriptedStore(first, clock: clock) {
      Double(Self.next(jitters) % 1_000) / 1_000
    }
  }

  /// Returns a random number below a limit (SplitMix64).
  private func below(_ limit: Int) -> Int { Int(Self.next(random) % UInt64(limit)) }

  private static func next(_ random: BindableActor<UInt64>) -> UInt64 {
    let state = random.modify { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      return state
    }
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  func whileTimePasses(_ body: () async throws -> Void) async rethrows {
    let time = Task { [clock] in
      while !Task.isCancelled {
        clock.jump(by: .milliseconds(20))
        await Task.yield()
      }
    }
    defer { time.cancel() }
    try await body()
  }

  /// Lets time pass, a little.
  private func pause() async {
    for _ in 0..<below(20) { await Task.yield() }
  }

  /// Plays faults that lose no history, and ends them.
  func playFaults(_ count: Int) async {
    let faults: [ScriptedStore.Fault] = [
      .unavailable, .silent, .historyLost, .duplicates, .slow(.milliseconds(70)), .acknowledgementsLost,
      .writesLost, .lateChanges,
    ]
    for _ in 0..<count {
      switch below(8) {
      case 0...3: store.begin(faults[below(faults.count)])
      case 4: store.end(faults[below(faults.count)])
      case 5: store.endConnections()
      case 6: base.value.compact()
      default: store.mend()
      }
      await pause()
    }
    store.mend()
  }

  /// Plays faults, writes, and replacements of the store, and ends the faults.
  func playReplacements(_ count: Int) async throws {
    var backup = try await base.value.load(.prefix(""))
    for _ in 0..<count {
      switch below(9) {
      case 0...3: try await base.value.put(below(4) == 0 ? nil : below(1000), "c/a")
      case 4, 5: try await base.value.put(below(4) == 0 ? nil : below(1000), "c/d/\(below(4))")
      case 6: backup = try await base.value.load(.prefix(""))
      case 7: replace(by: below(2) == 0 ? backup : StoreSnapshot(entries: [], revision: StoreRevision(0)))
      default:
        let revision = StoreRevision(base.value.revision.number + 1000)
        let entry = StoreEntry(key: "c/a", bytes: Array("\(below(1000))".utf8), revision: revision)
        replace(by: StoreSnapshot(entries: [entry], revision: revision))
      }
      await playFaultsWithoutEnd()
      await pause()
    }
    store.mend()
  }

  private func playFaultsWithoutEnd() async {
    switch below(6) {
    case 0: store.begin(.silent)
    case 1: store.begin(.unavailable)
    case 2: store.endConnections()
    case 3: store.begin(.duplicates)
    default: store.mend()
    }
  }

  private func replace(by snapshot: StoreSnapshot) {
    let new = InMemoryStore(snapshot, clock: clock)
    base.send(new)
    store.replace(by: new)
  }

  /// Writes a number, past all faults.
  func put(_ number: Int, _ key: String) async throws { try await base.value.put(number, key) }

  /// The number that an entry holds; nil if there is none.
  func number(_ key: String) async throws -> Int? {
    let entry = try await base.value.load(.key(key)).entries.first
    return entry.flatMap { Int(String(decoding: StoreEnvelope($0.bytes).payload, as: UTF8.self)) }
  }

  /// Returns when all cells hold what the store has, and are live.
  func ended(
    _ cell: SharedCell<Int>,
    _ other: SharedCell<Int>,
    _ counts: SharedDictionary<Int, Int>
  ) async throws {
    let value = try await number("c/a") ?? 0
    _ = await cell.first { $0 == value }
    _ = await other.first { $0 == value }
    var entries: [Int: Int] = [:]
    for key in 0..<4 { entries[key] = try await number("c/d/\(key)") }
    _ = await counts.first { Dictionary($0) == entries }
    _ = await cell.link.first { $0 == .live }
    _ = await other.link.first { $0 == .live }
    _ = await counts.link.first { $0 == .live }
  }

  func leftNothing() async {
    #expect(store.followers.loopCount == 0)
    #expect(store.followers.taskCount == 0)
    #expect(store.connectionCount == 0)
    while base.value.subscriptionCount > 0 { await Task.yield() }
    #expect(clock.sleepers.value == 0)
  }
}
