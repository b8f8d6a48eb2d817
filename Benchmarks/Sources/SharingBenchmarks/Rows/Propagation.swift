import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation
import Reporting
import Synchronization

/// The time from the call of `modify` of one cell until an observer of another cell has the value.
enum Propagation {
  @Sendable static func overOneMember(_ effort: Effort) async throws -> [Line] {
    try await withEtcd { ports in
      let times = try await measure(
        from: EtcdStore(url(ports[0])),
        to: EtcdStore(url(ports[0])),
        effort
      )
      let byHand = try await onThread { try EtcdByHand.arrivals(ports[0], effort.seriesTime / 3) }
      var median = times.line("observer, p50", \.arrivals, 0.5, aim: 2e6)
      median.byHand = Spread(byHand).median
      median.remark += "; by hand: a put on one socket, a watch on another"
      var tail = times.line("observer, p99", \.arrivals, 0.99, aim: 4e6)
      tail.byHand = quantile(0.99, of: byHand)
      return [
        median,
        tail,
        times.line("acknowledgement, p50", \.acknowledgements, 0.5),
      ]
    }
  }

  @Sendable static func overThreeMembers(_ effort: Effort) async throws -> [Line] {
    try await withEtcd(members: 3) { ports in
      // Each store uses its first endpoint, so A and B use different members.
      let times = try await measure(
        from: EtcdStore(endpoints: ports.map(url)),
        to: EtcdStore(endpoints: ports.reversed().map(url)),
        effort
      )
      return [
        times.line("observer, p50", \.arrivals, 0.5, aim: 3e6),
        times.line("observer, p99", \.arrivals, 0.99),
        times.line("acknowledgement, p50", \.acknowledgements, 0.5),
      ]
    }
  }

  @Sendable static func overFolder(_ effort: Effort) async throws -> [Line] {
    try await withTemporaryFolder { folder in
      let safe = try await measure(
        from: FileStore("\(folder)/safe"),
        to: FileStore("\(folder)/safe"),
        effort
      )
      let fast = try await measure(
        from: FileStore("\(folder)/fast", durability: .processExit),
        to: FileStore("\(folder)/fast", durability: .processExit),
        effort
      )
      let synchronized = try await onThread { try Spread.ofFiles(in: folder, effort.seriesTime / 3) }
      var median = safe.line("observer, p50", \.arrivals, 0.5, aim: 5e5)
      median.byHand = synchronized.median
      median.remark = "by hand: a file that is synchronized and renamed, and its folder synchronized"
      return [
        median,
        safe.line("observer, p99", \.arrivals, 0.99, aim: 2e6),
        safe.line("acknowledgement, p50", \.acknowledgements, 0.5),
        fast.line("processExit: observer, p50", \.arrivals, 0.5, aim: 5e5),
        fast.line("processExit: observer, p99", \.arrivals, 0.99, aim: 2e6),
      ]
    }
  }

  @Sendable static func overMemory(_ effort: Effort) async throws -> [Line] {
    let store = InMemoryStore()
    var times = try await measure(from: store, to: store, effort)
    times.remark = "one store object"
    // The bytes of the number: what the stores and the loop take without JSON.
    let codec = StoreCodec<Int>(
      encode: { number in withUnsafeBytes(of: number) { Array($0) } },
      decode: { bytes in bytes.withUnsafeBytes { $0.loadUnaligned(as: Int.self) } }
    )
    let other = InMemoryStore()
    let plain = try await measure(from: other, to: other, effort, codec: codec)
    return [
      times.line("observer, p50", \.arrivals, 0.5, aim: 1e4),
      times.line("observer, p99", \.arrivals, 0.99),
      times.line("acknowledgement, p50", \.acknowledgements, 0.5),
      plain.line("no JSON: observer, p50", \.arrivals, 0.5, aim: 1e4),
    ]
  }

  // MARK: Measuring

  private struct Times {
    /// Nanoseconds from the call of `modify` until the observer had the value.
    var arrivals: [Double] = []
    /// Nanoseconds from the call of `modify` until it returned.
    var acknowledgements: [Double] = []
    var remark = ""

    func line(_ name: String, _ times: KeyPath<Self, [Double]>, _ fraction: Double, aim: Double? = nil)
      -> Line
    {
      Line(
        name: name,
        unit: .nanoseconds,
        measured: quantile(fraction, of: self[keyPath: times]),
        aim: aim.map { .atMost($0) },
        remark: [fraction == 0.5 ? "\(grouped(arrivals.count)) writes" : "", remark].filter { !$0.isEmpty }
          .joined(separator: ", ")
      )
    }
  }

  /// What the observer of B has received, and when.
  private final class Arrivals: Sendable {
    let values = Mutex<[(value: Int, instant: ContinuousClock.Instant)]>([])
    /// The last value that is in `values`.
    let last = BindableActor(0)

    func receive(_ value: Int) {
      let now = ContinuousClock.now
      values.withLock { $0.append((value, now)) }
      last.send(value)
    }
  }

  /// Writes one value after the other: the next one when B has the last one. So B must receive each value, in order.
  private static func measure(
    from storeA: some SharedStore,
    to storeB: some SharedStore,
    _ effort: Effort,
    codec: StoreCodec<Int> = .json
  ) async throws -> Times {
    let a = SharedCell("propagation/value", in: storeA, initially: 0, codec: codec)
    let b = SharedCell("propagation/value", in: storeB, initially: 0, codec: codec)
    let arrivals = Arrivals()
    let observation = b.observe(on: .immediate) { arrivals.receive($0) }
    defer { observation.cancel() }
    for cell in [a, b] { cell.start() }
    for cell in [a, b] {
      try await cell.ready()
      _ = await cell.link.first { $0 == .live }
    }
    var begins: [ContinuousClock.Instant] = []
    var times = Times()
    let (warmUp, most) = (50, 20_000)
    var end = ContinuousClock.now + effort.seriesTime
    while begins.count < most, begins.count < warmUp + 20 || ContinuousClock.now < end {
      if begins.count == warmUp { end = ContinuousClock.now + effort.seriesTime }
      let value = begins.count + 1
      begins.append(.now)
      try await a.modify { $0 = value }
      times.acknowledgements.append((ContinuousClock.now - begins[value - 1]) / .nanoseconds(1))
      _ = await arrivals.last.first { $0 >= value }
    }
    let received = arrivals.values.withLock { $0 }
    try expect(received.map(\.value), equals: Array(0...begins.count), "what B received")
    times.arrivals = zip(received.dropFirst(), begins).map { ($0.instant - $1) / .nanoseconds(1) }
    times.arrivals.removeFirst(warmUp)
    times.acknowledgements.removeFirst(warmUp)
    return times
  }
}

private func quantile(_ fraction: Double, of numbers: [Double]) -> Double {
  let sorted = numbers.sorted()
  return sorted[min(Int(fraction * Double(sorted.count)), sorted.count - 1)]
}

extension Spread {
  /// The nanoseconds of the floor of a write that survives a loss of power: a synchronized file of 100 bytes replaces
  /// another, and the folder is synchronized.
  fileprivate static func ofFiles(in folder: String, _ time: Duration) throws -> Spread {
    let bytes = [UInt8](repeating: 7, count: 100)
    let (name, temporary) = ("\(folder)/by-hand", "\(folder)/by-hand.new")
    let directory = open(folder, O_RDONLY)
    defer { close(directory) }
    try expect(directory >= 0, "the folder \(folder) cannot be opened")
    var samples: [Double] = []
    let end = ContinuousClock.now + time
    while samples.isEmpty || ContinuousClock.now < end {
      let begin = ContinuousClock.now
      let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
      close(file)
      let isRenamed = rename(temporary, name) == 0 && fsync(directory) == 0
      samples.append((ContinuousClock.now - begin) / .nanoseconds(1))
      try expect(isWritten && isRenamed, "a file by hand cannot be written")
    }
    return Spread(samples)
  }
}
