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
    store = ScriptedStore(first, clock: clock)
  }

  /// Returns a random number below a limit (SplitMix64).
  private func below(_ limit: Int) -> Int {
    let state = random.modify { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      return state
    }
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(limit))
  }

  func whileTimePasses(_ body: () async throws -> Void) async rethrows {
    let time = Task { [clock] in
      while !Task.isCancelled {
        clock.advance(by: .milliseconds(20))
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
      .writesLost,
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
    while store.followers.loopCount + store.followers.taskCount + store.connectionCount > 0 {
      await Task.yield()
    }
    while base.value.subscriptionCount > 0 { await Task.yield() }
    #expect(clock.sleepers.value == 0)
  }
}
