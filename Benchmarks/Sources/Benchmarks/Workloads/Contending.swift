import ActorBindings
import Dispatch

/// W3: several tasks that write, and one observer that is called for each write. As many of them write at once as the
/// pool has threads.
enum Contending {
  static let workloads = [4, 8].flatMap { [sending($0), modifying($0)] }

  private static let baseline = "closure under a Mutex"

  private static func sending(_ writers: Int) -> Workload {
    Workload(
      "W3.send.\(writers)",
      "\(writers) tasks that write, 1 observer",
      per: "write",
      comparedTo: baseline,
      [
        .ours("send", 800_000, .times(2, of: baseline)) { n in
          try await ours(n, writers) { cell, value in cell.send(value) }
        },
        .baseline(baseline, 800_000) { n in
          try await lockedClosures(n, writers) { list, value in list.send(value) }
        },
        .baseline("actor of closures", 80_000) { n in
          try await closureActor(n, writers) { actor, value in await actor.send(value) }
        },
      ]
    )
  }

  private static func modifying(_ writers: Int) -> Workload {
    Workload(
      "W3.modify.\(writers)",
      "\(writers) tasks that count, 1 observer",
      per: "write",
      comparedTo: baseline,
      [
        .ours("modify", 800_000, .times(3, of: baseline)) { n in
          try await ours(n, writers, isCounting: true) { cell, _ in cell.modify { $0 += 1 } }
        },
        .baseline(baseline, 800_000) { n in
          try await lockedClosures(n, writers, isCounting: true) { list, _ in list.modify { $0 += 1 } }
        },
        .baseline("actor of closures", 80_000) { n in
          try await closureActor(n, writers, isCounting: true) { actor, _ in await actor.modify { $0 += 1 } }
        },
      ]
    )
  }

  // MARK: Subjects

  private static func ours(
    _ n: Int,
    _ writers: Int,
    isCounting: Bool = false,
    _ write: @escaping @Sendable (BindableActor<Int>, Int) -> Void
  ) async throws -> Sample {
    let cell = BindableActor(0)
    let seen = Seen()
    let context = DeliveryContext.queue(DispatchQueue(label: "observer"))
    let token = cell.observe(on: context, backlog: .unbounded, seen.handler)
    await cell.settled()
    let stopwatch = Stopwatch()
    await concurrently(writers, n) { write(cell, $0) }
    await cell.settled()
    let sample = stopwatch.sample
    try expect(Int(cell.version), equals: n / writers * writers, "version")
    try expect(seen.count, equals: n / writers * writers + 1, "values handed over")
    if isCounting { try expect(cell.value, equals: n / writers * writers, "the sum") }
    try expect(seen.value, equals: cell.value, "the value that was handed over last")
    try expect(seen.overlaps, equals: 0, "calls that overlapped")
    token.cancel()
    return sample
  }

  private static func lockedClosures(
    _ n: Int,
    _ writers: Int,
    isCounting: Bool = false,
    _ write: @escaping @Sendable (LockedClosures, Int) -> Void
  ) async throws -> Sample {
    let list = LockedClosures()
    let seen = Seen()
    list.add(seen.handler)
    let stopwatch = Stopwatch()
    await concurrently(writers, n) { write(list, $0) }
    let sample = stopwatch.sample
    try expect(seen.count, equals: n / writers * writers, "values handed over")
    if isCounting { try expect(list.value, equals: n / writers * writers, "the sum") }
    try expect(seen.value, equals: list.value, "the value that was handed over last")
    return sample
  }

  private static func closureActor(
    _ n: Int,
    _ writers: Int,
    isCounting: Bool = false,
    _ write: @escaping @Sendable (ClosureActor, Int) async -> Void
  ) async throws -> Sample {
    let actor = ClosureActor()
    let seen = Seen()
    await actor.add(seen.handler)
    let stopwatch = Stopwatch()
    await withTaskGroup { group in
      for writer in 0..<writers {
        group.addTask {
          for i in 0..<(n / writers) { await write(actor, writer + i * writers) }
        }
      }
    }
    let sample = stopwatch.sample
    try expect(seen.count, equals: n / writers * writers, "values handed over")
    if isCounting { try expect(await actor.value, equals: n / writers * writers, "the sum") }
    try expect(seen.value, equals: await actor.value, "the value that was handed over last")
    return sample
  }

  // As many tasks as there are writers, which share the values among them.
  private static func concurrently(
    _ writers: Int,
    _ n: Int,
    _ write: @escaping @Sendable (Int) -> Void
  ) async {
    await withTaskGroup { group in
      for writer in 0..<writers {
        group.addTask {
          for i in 0..<(n / writers) { write(writer + i * writers) }
        }
      }
    }
  }

  /// What the observer has seen.
  // @unchecked: the handler is called by one thread at a time, or `overlaps` tells.
  private final class Seen: @unchecked Sendable {
    @exclusivity(unchecked) private(set) var value = 0
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var overlaps = 0
    @exclusivity(unchecked) private var isBusy = false

    var handler: Handler {
      { [self] value in
        if isBusy { overlaps += 1 }
        isBusy = true
        self.value = value
        count += 1
        isBusy = false
      }
    }
  }
}
