import ActorBindings
import Dispatch

/// W3: several tasks that write, and one observer that is called for each write. As many tasks write at once as the
/// pool has threads.
enum Contending {
  static let workloads = [4, 8].flatMap { [sending($0), modifying($0)] }

  private static let baseline = "closure under a Mutex"

  static func sending(_ writers: Int) -> Workload {
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
        .baseline("batch mailbox by hand", 800_000) { n in try await mailbox(n, writers) },
        word,
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
        .baseline("draft and publish by hand", 800_000) { n in try await drafts(n, writers) },
        word,
      ]
    )
  }

  /// A subject whose time shows the distance of the processors. If a writer writes twice in a row, the second write
  /// takes less time than this.
  private static let word = Subject.baseline("a word, there and back", 200_000) { n in try Word().sample(n) }

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
    // The first call has the initial value.
    try seen.expectAll(n / writers * writers, isCounting, besides: 1)
    if isCounting { try expect(cell.value, equals: n / writers * writers, "the sum") }
    try expect(seen.value, equals: cell.value, "the value that was delivered last")
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
    try seen.expectAll(n / writers * writers, isCounting)
    if isCounting { try expect(list.value, equals: n / writers * writers, "the sum") }
    try expect(seen.value, equals: list.value, "the value that was delivered last")
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
    try seen.expectAll(n / writers * writers, isCounting)
    if isCounting { try expect(await actor.value, equals: n / writers * writers, "the sum") }
    try expect(seen.value, equals: await actor.value, "the value that was delivered last")
    return sample
  }

  /// Delivers every value to a handler on a queue, and does no more: no current value, one handler.
  private static func mailbox(_ n: Int, _ writers: Int) async throws -> Sample {
    let seen = Seen()
    let queue = DispatchQueue(label: "observer")
    let mailbox = QueueMailbox(queue, seen.handler)
    let stopwatch = Stopwatch()
    await concurrently(writers, n) { mailbox.send($0) }
    await isDone(queue)
    let sample = stopwatch.sample
    try seen.expectAll(n / writers * writers, false)
    return sample
  }

  /// Does the work of `modify`, for one handler.
  private static func drafts(_ n: Int, _ writers: Int) async throws -> Sample {
    let seen = Seen()
    let queue = DispatchQueue(label: "observer")
    let cell = MailedInt(queue, seen.handler)
    let stopwatch = Stopwatch()
    await concurrently(writers, n) { _ in cell.modify { $0 += 1 } }
    await isDone(queue)
    let sample = stopwatch.sample
    try seen.expectAll(n / writers * writers, true)
    try expect(cell.value, equals: n / writers * writers, "the sum")
    return sample
  }

  // Returns when the queue has done all its work, so that all values have been delivered.
  private static func isDone(_ queue: DispatchQueue) async {
    await withUnsafeContinuation { continuation in
      queue.async { continuation.resume() }
    }
  }

  // The writers, one task each, divide the values among themselves.
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
  // @unchecked: the handler is called by one thread at a time, which `overlaps` checks.
  private final class Seen: @unchecked Sendable {
    @exclusivity(unchecked) private(set) var value = 0
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var sum = 0
    @exclusivity(unchecked) private(set) var descents = 0
    @exclusivity(unchecked) private(set) var overlaps = 0
    @exclusivity(unchecked) private var isBusy = false

    var handler: Handler {
      { [self] value in
        if isBusy { overlaps += 1 }
        isBusy = true
        if value < self.value { descents += 1 }
        self.value = value
        count += 1
        sum &+= value
        isBusy = false
      }
    }

    /// Checks that each written value was delivered, and that no calls overlapped. If `isCounting` is true, each write
    /// increments the value, so this function also checks that the values came in order.
    func expectAll(_ written: Int, _ isCounting: Bool, besides first: Int = 0) throws {
      let sum = isCounting ? written * (written + 1) / 2 : written * (written - 1) / 2
      try expect(count, equals: written + first, "values delivered")
      try expect(self.sum, equals: sum, "the sum of the values")
      if isCounting { try expect(descents, equals: 0, "values that came before an older one") }
      try expect(overlaps, equals: 0, "calls that overlapped")
    }
  }
}
