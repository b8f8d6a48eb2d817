import ActorBindings
import ActorBindingsSharing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Another process that uses the folder of a store: the tests start it, stop it and kill it.
///
/// It writes a byte to its standard output after each step.
@main
struct FileStoreWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let durability: FileStore.Durability = arguments.contains("synchronized") ? .powerLoss : .processExit
    // From here on the system refuses to this process what it refuses to an ordinary user.
    if arguments[1] == "refused" && geteuid() == 0 && setuid(65534) != 0 { fatalError("setuid: \(errno)") }
    let store = try patientStore(arguments[2], durability)
    switch arguments[1] {
    case "refused": try await writeInVain(store, arguments[2])
    case "write": try await write(store, from: Int(arguments[3])!)
    case "increment": try await increment(store, times: Int(arguments[3])!)
    case "hold": try await hold(store, ttl: .milliseconds(Int(arguments[3])!))
    case "latency": try await measureLatency(store, arguments[2], durability, rounds: Int(arguments[3])!)
    default: fatalError("unknown command \(arguments[1])")
    }
  }

  /// Writes the steps of a `WriteScript` until the process is killed.
  private static func write(_ store: FileStore, from first: Int) async throws {
    var number = first
    while true {
      let step = WriteScript.step(number)
      _ = try await store.write(StoreWrite(key: step.key, bytes: step.bytes, expected: .anything))
      report()
      number += 1
    }
  }

  /// Adds to the number of an entry, by compare-and-set.
  private static func increment(_ store: FileStore, times: Int) async throws {
    for _ in 0..<times {
      while true {
        let entry = try await store.load(.key("sum")).entries.first
        let sum = entry.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
        let write = StoreWrite(
          key: "sum",
          bytes: Array("\(sum + 1)".utf8),
          expected: entry.map { .revision($0.revision) } ?? .absent
        )
        if case .applied = try await store.write(write) { break }
      }
      report()
    }
  }

  /// Writes an entry with a lease that it never renews, and lives on.
  private static func hold(_ store: FileStore, ttl: Duration) async throws {
    let lease = try await store.grantLease(ttl: ttl)
    _ = try await store.write(StoreWrite(key: "here/me", bytes: [1], expected: .anything, lease: lease))
    report()
    while true { pause() }
  }

  /// Reports a step if the store refuses to write.
  private static func writeInVain(_ store: FileStore, _ directory: String) async throws {
    do {
      _ = try await store.write(StoreWrite(key: "a", bytes: [1], expected: .anything))
    } catch StoreError.refused(let message) where message.contains(directory) {
      report()
    }
  }

  /// A store whose calls wait for the lock of the folder as long as a busy machine needs.
  private static func patientStore(_ directory: String, _ durability: FileStore.Durability) throws
    -> FileStore
  {
    try FileStore(directory, durability: durability, scanInterval: .seconds(1), patience: .seconds(240))
  }

  private static func report() {
    var byte: UInt8 = 0
    guard unsafe Self.put(1, &byte, 1) == 1 else { exit(1) }
  }

  private static func put(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(descriptor, bytes, count)
    #elseif canImport(Musl)
      unsafe Musl.write(descriptor, bytes, count)
    #else
      unsafe Darwin.write(descriptor, bytes, count)
    #endif
  }
}

// MARK: - Latency

extension FileStoreWriter {
  /// Measures the time from a write through one store object until a reader of another one has the change.
  private static func measureLatency(
    _ store: FileStore,
    _ directory: String,
    _ durability: FileStore.Durability,
    rounds: Int
  ) async throws {
    let other = try patientStore(directory, durability)
    let start = try await other.load(.prefix("time/")).revision
    let changes = try await other.changes(in: .prefix("time/"), after: start)
    try await follow(changes, store, rounds: rounds)
  }

  private static func follow(
    _ changes: some AsyncSequence<[StoreChange], any Error>,
    _ store: FileStore,
    rounds: Int
  ) async throws {
    let clock = ContinuousClock()
    var iterator = changes.makeAsyncIterator()
    var seen: [Duration] = []
    var acknowledged: [Duration] = []
    for round in 0..<rounds {
      let write = StoreWrite(key: "time/\(round % 10)", bytes: Array("\(round)".utf8), expected: .anything)
      let start = clock.now
      async let end: ContinuousClock.Instant = {
        _ = try await store.write(write)
        return clock.now
      }()
      _ = try await iterator.next()
      seen.append(clock.now - start)
      acknowledged.append(try await end - start)
    }
    for (name, times) in [("seen", seen.sorted()), ("acknowledged", acknowledged.sorted())] {
      print(
        name,
        "p50",
        times[times.count / 2],
        "p99",
        times[times.count * 99 / 100],
        "max",
        times[times.count - 1]
      )
    }
  }
}
