import ActorBindings
import Observation
import Reporting
import Synchronization

/// W6: loops that want the newest value, behind a producer at full speed.
enum Watching {
  static let workloads = [1, 100, 1000].flatMap { [sending($0), arriving($0)] }

  private static func sending(_ loops: Int) -> Workload {
    Workload(
      "W6.send.\(loops)",
      "At full speed, \(grouped(loops)) loop\(loops == 1 ? "" : "s") that want\(loops == 1 ? "s" : "") the newest value",
      per: "send",
      comparedTo: "Mutex store",
      [
        .ours("send", 1_000_000, .times(4, of: "Mutex store")) { n in try await cell(n, loops).sends },
        .baseline("Mutex store", 1_000_000) { n in
          let cell = LockedInt()
          let sample = timed {
            for i in 0..<n { cell.store(i) }
          }
          try expect(cell.value, equals: n - 1, "the last value")
          return sample
        },
        .baseline("watch by hand", 500_000) { n in try await watch(n, loops).sends },
        .baseline("bufferingNewest(1)", 100_000 / loops) { n in try await asyncStreams(n, loops).sends },
        .baseline("Observations", 20_000) { n in try await observations(n, loops).sends },
      ]
    )
  }

  private static func arriving(_ loops: Int) -> Workload {
    Workload(
      "W6.last.\(loops)",
      "From the last send until \(loops == 1 ? "the loop has" : "all \(grouped(loops)) loops have") the last value",
      per: "burst",
      comparedTo: "watch by hand",
      [
        .ours("cell", 20, loops == 1000 ? .nanoseconds(2_000_000) : nil) { n in
          try await bursts(n) { try await cell(20_000, loops).last }
        },
        .baseline("watch by hand", 20) { n in
          try await bursts(n) { try await watch(20_000, loops).last }
        },
        .baseline("bufferingNewest(1)", 4) { n in
          try await bursts(n) { try await asyncStreams(20_000 / loops, loops).last }
        },
      ]
    )
  }

  private static func bursts(_ n: Int, _ burst: () async throws -> Sample) async throws -> Sample {
    var total = Duration.zero
    for _ in 0..<n { total += try await burst().duration }
    return Sample(duration: total)
  }

  // MARK: Subjects

  fileprivate typealias Parts = (sends: Sample, last: Sample)

  private static func cell(_ n: Int, _ loops: Int) async throws -> Parts {
    let cell = BindableActor(-1)
    let tasks = Loops(loops, until: n - 1) { await $0.follow(cell.values) }
    await tasks.haveBegun()
    let sends = timed {
      for i in 0..<n { cell.send(i) }
    }
    return try await tasks.parts(sends, of: n)
  }

  private static func watch(_ n: Int, _ loops: Int) async throws -> Parts {
    let watch = Watch(-1)
    let tasks = Loops(loops, until: n - 1) { follower in
      var receiver = watch.receiver()
      while let value = await receiver.next() {
        if follower.receive(value) { break }
      }
    }
    await tasks.haveBegun()
    let sends = timed {
      for i in 0..<n { watch.send(i) }
    }
    return try await tasks.parts(sends, of: n)
  }

  private static func asyncStreams(_ n: Int, _ loops: Int) async throws -> Parts {
    let streams = (0..<loops).map { _ in
      AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
    }
    let next = Atomic(0)
    let tasks = Loops(loops, until: n - 1) { follower in
      let index = next.add(1, ordering: .relaxed).oldValue
      await follower.follow(streams[index].stream)
    }
    let producers = streams.map(\.continuation)
    for producer in producers { producer.yield(-1) }
    await tasks.haveBegun()
    let sends = timed {
      for i in 0..<n {
        for producer in producers { producer.yield(i) }
      }
    }
    return try await tasks.parts(sends, of: n)
  }

  // `Observations` does not promise the last value: loops that have not seen the last value after a while are counted
  // as stale.
  private static func observations(_ n: Int, _ loops: Int) async throws -> Parts {
    let model = ObservableInt(-1)
    let tasks = Loops(loops, until: n - 1) { await $0.follow(Observations { model.value }) }
    await tasks.haveBegun()
    var sends = timed {
      for i in 0..<n { model.value = i }
    }
    sends.stale = await tasks.staleSoon()
    sends.lost = tasks.lost(of: n)
    return (sends, Sample(duration: .zero))
  }
}

/// Loops that end with the last value.
private struct Loops: Sendable {
  let begun: Gate
  let ended: Gate
  let tasks: [Task<Void, Never>]
  private let received = Received()

  init(_ count: Int, until end: Int, _ loop: @escaping @Sendable (Follower) async -> Void) {
    let begun = Gate(count)
    let ended = Gate(count)
    self.begun = begun
    self.ended = ended
    tasks = (0..<count).map { [received] _ in
      Task { await loop(Follower(end: end, begun: begun, ended: ended, received: received)) }
    }
  }

  /// Returns when each loop has seen the first value.
  func haveBegun() async {
    await begun.passed()
  }

  /// Returns when each loop has seen the last value.
  func last() async throws -> Sample {
    let stopwatch = Stopwatch()
    await ended.passed()
    let sample = stopwatch.sample
    for task in tasks { await task.value }
    return sample
  }

  /// Returns both times when each loop has seen the last value.
  func parts(_ sends: Sample, of n: Int) async throws -> Watching.Parts {
    var sends = sends
    let last = try await last()
    sends.lost = lost(of: n)
    return (sends, last)
  }

  /// The number of the values 0 to `n - 1` that a loop did not receive, on average.
  func lost(of n: Int) -> Int {
    n - received.count.load(ordering: .relaxed) / tasks.count
  }

  /// The number of values that the loops received.
  fileprivate final class Received: Sendable {
    let count = Atomic(0)
  }

  /// Returns the number of loops that have not seen the last value after a while. Abandons these loops.
  func staleSoon() async -> Int {
    for _ in 0..<20 where ended.missing > 0 { try? await Task.sleep(for: .milliseconds(5)) }
    for task in tasks { task.cancel() }
    return ended.missing
  }

  struct Follower: Sendable {
    let end: Int
    let begun: Gate
    let ended: Gate
    fileprivate let received: Received

    /// Returns true if this was the last value.
    func receive(_ value: Int) -> Bool {
      if value < 0 { begun.arrive() } else { received.count.add(1, ordering: .relaxed) }
      if value == end { ended.arrive() }
      return value == end
    }

    @inline(__always)
    func follow(_ values: some AsyncSequence<Int, Never>) async {
      for await value in values where receive(value) { break }
    }
  }
}
