import ActorBindings
import Dispatch

/// W11: very many updates to one observer on another context.
enum Delivering {
  static let workloads = [queue, mainActor, actor]

  private static let queue = Workload(
    "W11.queue",
    "Updates to an observer on a serial queue, until it has the last",
    per: "update",
    comparedTo: "queue.async per value",
    [
      .ours("observe", 1_000_000, .times(1.0 / 8, of: "queue.async per value")) { n in
        try await ours(n, on: .queue(DispatchQueue(label: "observer")), .latest)
      },
      .ours("observe(.unbounded)", 1_000_000, .times(1.0 / 5, of: "queue.async per value")) { n in
        try await ours(n, on: .queue(DispatchQueue(label: "observer")), .unbounded)
      },
      .baseline("queue.async per value", 200_000) { n in
        let queue = DispatchQueue(label: "observer")
        let tally = Tally(until: n - 1)
        let stopwatch = Stopwatch()
        for i in 0..<n { queue.async { tally.receive(i) } }
        await tally.isDone()
        let sample = stopwatch.sample
        try tally.expectAll(n)
        return sample
      },
      .baseline("Task per value", 100_000) { n in
        let actor = ClosureActor()
        let (tally, done) = (Tally(until: n), Gate())
        // The values come out of order, so the last arrival ends the sample.
        await actor.add {
          tally.receive($0)
          if tally.count == n { done.arrive() }
        }
        let stopwatch = Stopwatch()
        for i in 0..<n { Task { await actor.send(i) } }
        await done.passed()
        let sample = stopwatch.sample
        try tally.expectAll(n)
        return sample
      },
      .baseline("newest value by hand", 1_000_000) { n in
        let tally = Tally(until: n - 1)
        let slot = QueueSlot(DispatchQueue(label: "observer"), tally.handler)
        let stopwatch = Stopwatch()
        for i in 0..<n { slot.send(i) }
        await tally.isDone()
        var sample = stopwatch.sample
        sample.lost = n - tally.count
        return sample
      },
      .baseline("batch mailbox by hand", 1_000_000) { n in
        try await mailbox(n, on: DispatchQueue(label: "observer"))
      },
    ]
  )

  private static let mainActor = Workload(
    "W11.main",
    "Updates to an observer on the main actor, until it has the last",
    per: "update",
    comparedTo: "Task per value",
    [
      .ours("observe", 1_000_000, .times(1.0 / 8, of: "Task per value")) { n in
        try await ours(n, on: .main, .latest)
      },
      .ours("observe(.unbounded)", 1_000_000, .times(1.0 / 5, of: "Task per value")) { n in
        try await ours(n, on: .main, .unbounded)
      },
      .baseline("Task per value", 50_000) { n in
        let (tally, done) = (Tally(until: n), Gate())
        let stopwatch = Stopwatch()
        for i in 0..<n {
          Task { @MainActor in
            tally.receive(i)
            if tally.count == n { done.arrive() }
          }
        }
        await done.passed()
        let sample = stopwatch.sample
        try tally.expectAll(n)
        return sample
      },
      // On Linux, as on Apple's systems, the main actor runs on this queue.
      .baseline("batch mailbox by hand", 1_000_000) { n in try await mailbox(n, on: .main) },
      .baseline("DispatchQueue.main.async per value", 100_000) { n in
        let tally = Tally(until: n - 1)
        let stopwatch = Stopwatch()
        for i in 0..<n { DispatchQueue.main.async { tally.receive(i) } }
        await tally.isDone()
        let sample = stopwatch.sample
        try tally.expectAll(n)
        return sample
      },
    ]
  )

  private static let actor = Workload(
    "W11.actor",
    "Updates to an observer on an actor, until it has the last",
    per: "update",
    comparedTo: "actor call per value",
    [
      .ours("observe(.unbounded)", 1_000_000) { n in
        let (cell, actor, tally) = (BindableActor(-1), PlainActor(), Tally(until: n - 1))
        let token = cell.observe(with: actor, backlog: .unbounded) { _, value in tally.receive(value) }
        await cell.settled()
        let stopwatch = Stopwatch()
        for i in 0..<n { cell.send(i) }
        await tally.isDone()
        let sample = stopwatch.sample
        try tally.expectAll(n)
        token.cancel()
        return sample
      },
      .baseline("actor call per value", 200_000) { n in
        let (actor, tally) = (ClosureActor(), Tally(until: n - 1))
        await actor.add(tally.handler)
        let stopwatch = Stopwatch()
        for i in 0..<n { await actor.send(i) }
        let sample = stopwatch.sample
        try tally.expectAll(n)
        return sample
      },
      .baseline("batch mailbox by hand", 1_000_000) { n in
        let tally = Tally(until: n - 1)
        let mailbox = ActorMailbox(tally.handler)
        let stopwatch = Stopwatch()
        for i in 0..<n { mailbox.send(i) }
        await tally.isDone()
        let sample = stopwatch.sample
        try tally.expectAll(n)
        return sample
      },
    ]
  )

  private static func mailbox(_ n: Int, on queue: DispatchQueue) async throws -> Sample {
    let tally = Tally(until: n - 1)
    let mailbox = QueueMailbox(queue, tally.handler)
    let stopwatch = Stopwatch()
    for i in 0..<n { mailbox.send(i) }
    await tally.isDone()
    let sample = stopwatch.sample
    try tally.expectAll(n)
    return sample
  }

  private static func ours(_ n: Int, on context: DeliveryContext, _ backlog: Backlog) async throws -> Sample {
    let cell = BindableActor(-1)
    let tally = Tally(until: n - 1)
    let token = cell.observe(on: context, backlog: backlog, tally.handler)
    await cell.settled()
    let stopwatch = Stopwatch()
    for i in 0..<n { cell.send(i) }
    await tally.isDone()
    var sample = stopwatch.sample
    if backlog == .unbounded { try tally.expectAll(n) }
    sample.lost = n - tally.count
    token.cancel()
    return sample
  }
}
