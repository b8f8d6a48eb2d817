import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A process of the fleet: writes and follows counters and a dictionary, is present, and stands for leadership.
///
/// It does what its input says: it works until the line `quiet`; then it writes nothing and reports what it holds, until
/// the line `end`. It dies when the input ends.
struct Client {
  static let ttl = Duration.seconds(3)
  static let prefix = "trial/"

  private enum Phase: Sendable {
    case work, quiet, end
  }

  private let number: Int
  private let name: String
  private let board: String
  private let folder: URL
  private let endpoints: [String]
  private let log: ClientLog
  private let phase = BindableActor(Phase.work)
  private let pending = BindableActor(0)
  private let leads = BindableActor<UInt64?>(nil)
  private let clock = ContinuousClock()

  /// - Parameter arguments: `client NUMBER LIFE FOLDER URL…`
  init(_ arguments: [String]) throws {
    let number = Int(arguments[1]) ?? 0
    self.number = number
    name = "\(number)-\(arguments[2])"
    board = "client \(number)"
    folder = URL(fileURLWithPath: arguments[3])
    let urls = Array(arguments[4...])
    // Each client prefers another member.
    endpoints = urls.indices.map { urls[($0 + number) % urls.count] }
    log = try ClientLog(folder.appendingPathComponent("client-\(name).log").path)
  }

  func run() async throws {
    Thread.detachNewThread { [phase] in
      while let line = readLine() {
        phase.send(line == "end" ? .end : .quiet)
      }
      exit(0)
    }
    try await takePart()
    try Data().write(to: folder.appendingPathComponent("ended-\(name)"))
    // The trial now counts threads and descriptors, and then ends the input.
    while true { try await clock.sleep(for: .seconds(60)) }
  }

  private func takePart() async throws {
    let store = try EtcdStore(endpoints: endpoints, prefix: Self.prefix)
    let counters = TrialCounter.all.map { SharedCell($0.key, in: store, initially: 0) }
    let entries = SharedDictionary<String, Int>("board/", in: store)
    let here = SharedDictionary<String, Int>("here/", in: store)
    let work = Task {
      await withTaskGroup(of: Void.self) { group in
        for (index, counter) in counters.enumerated() {
          group.addTask { await failing("run") { try await counter.run() } }
          group.addTask { await watch(counter, index) }
          if TrialCounter.all[index].writers.contains(number) {
            group.addTask { await write(counter, index) }
          }
          group.addTask { await read(store, index) }
        }
        group.addTask { await failing("run of the board") { try await entries.run() } }
        group.addTask { await failing("run of the presence") { try await here.run() } }
        group.addTask { await write(entries) }
        group.addTask { await lead(store) }
        group.addTask {
          await failing("withPresence") {
            try await here.withPresence(1, for: name, ttl: Self.ttl) { await untilCancelled() }
          }
        }
        group.addTask { await report(counters, entries, here) }
      }
    }
    _ = await phase.first { $0 == .end }
    work.cancel()
    await work.value
  }

  // MARK: - Following

  private func watch(_ counter: SharedCell<Int>, _ index: Int) async {
    var last = 0
    for await value in counter.values {
      if value < last { log.note("back \(index) \(last) \(value)") }
      last = value
    }
  }

  /// Reads a counter from the store now and then.
  private func read(_ store: EtcdStore, _ index: Int) async {
    while !Task.isCancelled, phase.value == .work {
      let began = now()
      do {
        let entry = try await store.load(.key(TrialCounter.all[index].key)).entries.first
        if let entry {
          log.note("read \(index) \(began) \(try CounterEntry.value(of: entry.bytes))")
        }
      } catch StoreError.unavailable {
        // A member is down: the next read asks another one.
      } catch {
        if !Task.isCancelled { log.note("failed to read: \(error)") }
      }
      await pause(150...450)
    }
  }

  // MARK: - Writing

  private func write(_ counter: SharedCell<Int>, _ index: Int) async {
    while !Task.isCancelled, phase.value == .work {
      pending.modify { $0 += 1 }
      let began = now()
      log.note("intends \(index)")
      do {
        let written = try await counter.modify { value in
          value += 1
          return value
        }
        if counter.value < written {
          log.note("failed: the cell holds \(counter.value) after writing \(written)")
        }
        log.note("acknowledged \(index) \(began) \(written)")
      } catch StoreError.uncertain {
        log.note("uncertain \(index)")
      } catch {
        log.note("failed to modify: \(error)")
      }
      pending.modify { $0 -= 1 }
      await pause(60...180)
    }
  }

  private func write(_ entries: SharedDictionary<String, Int>) async {
    while !Task.isCancelled, phase.value == .work {
      pending.modify { $0 += 1 }
      do {
        try await entries.modify(forKey: board) { $0 = ($0 ?? 0) + 1 }
      } catch StoreError.uncertain {
        // The next change tells the others what this one may not have told.
      } catch {
        log.note("failed to modify the board: \(error)")
      }
      pending.modify { $0 -= 1 }
      await pause(300...700)
    }
  }

  // MARK: - Leading

  private func lead(_ store: EtcdStore) async {
    while !Task.isCancelled {
      do {
        try await store.withLeadership(of: "head", ttl: Self.ttl) { leadership in
          log.note("leads \(leadership.fencingNumber)")
          leads.send(leadership.fencingNumber)
          // After the faults the leader stays.
          await pause(500...4000)
          if phase.value != .work { await untilCancelled() }
          leads.send(nil)
          log.note("left \(leadership.fencingNumber)")
        }
      } catch StoreError.leaseEnded {
        // Another process may lead now.
      } catch {
        if !Task.isCancelled { log.note("failed to lead: \(error)") }
      }
    }
  }

  // MARK: - Reporting

  private func report(
    _ counters: [SharedCell<Int>],
    _ entries: SharedDictionary<String, Int>,
    _ here: SharedDictionary<String, Int>
  ) async {
    _ = await phase.first { $0 != .work }
    let file = folder.appendingPathComponent("state-\(name).json")
    while !Task.isCancelled {
      let state = ClientState(
        counters: counters.map(\.value),
        board: Dictionary(uniqueKeysWithValues: entries.value.map { ($0.key, $0.value) }),
        here: Set(here.value.map(\.key)),
        leads: leads.value,
        pending: pending.value,
        isLive: counters[0].link.value == .live && entries.link.value == .live && here.link.value == .live
      )
      try? JSONEncoder().encode(state).write(to: file, options: .atomic)
      await pause(100...100)
    }
  }

  private func failing(_ what: String, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      if !Task.isCancelled { log.note("failed in \(what): \(error)") }
    }
  }

  private func untilCancelled() async {
    while !Task.isCancelled { await pause(60_000...60_000) }
  }

  private func pause(_ milliseconds: ClosedRange<Int>) async {
    try? await clock.sleep(for: .milliseconds(Int.random(in: milliseconds)))
  }
}

/// The form of a counter in the store: perhaps a line of tokens, then the number.
enum CounterEntry {
  struct Unreadable: Error {}

  static func value(of bytes: [UInt8]) throws -> Int {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let value = lines.last.flatMap({ Int($0) }) else { throw Unreadable() }
    return value
  }
}
