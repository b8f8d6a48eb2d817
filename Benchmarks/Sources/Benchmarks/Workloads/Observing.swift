import ActorBindings
import Dispatch
import Reporting

/// W2: every value to 1 to 10,000 observers on one context.
enum Observing {
  static let workloads = [1, 10, 100, 1000, 10_000].flatMap { [onCell($0), onQueue($0), onActor($0)] }

  private static func title(_ observers: Int, _ place: String) -> String {
    "Every value to \(grouped(observers)) observer\(observers == 1 ? "" : "s") on \(place)"
  }

  // The target is set for 1,000 observers: at most the time of an array of closures.
  private static func target(_ observers: Int, _ baseline: String) -> Target? {
    observers == 1000 ? .times(1, of: baseline) : nil
  }

  // A sample makes some millions of deliveries, of some hundred thousand values at most.
  private static func values(_ observers: Int, atMost most: Int = 200_000) -> Int {
    min(most, 4_000_000 / observers)
  }

  private static func onCell(_ observers: Int) -> Workload {
    Workload(
      "W2.cell.\(observers)",
      title(observers, "the cell"),
      per: "delivery",
      fan: observers,
      comparedTo: "closures",
      [
        .ours("update", values(observers), target(observers, "closures")) { n in
          let cell = BindableActor(-1)
          let tally = Tally(until: n - 1, handlers: observers)
          let tokens = (0..<observers).map { _ in cell.observe(on: .cell, tally.handler) }
          await cell.settled()
          let stopwatch = Stopwatch()
          for i in 0..<n { await cell.update(i) }
          let sample = stopwatch.sample
          try tally.expectAll(n, handlers: observers)
          withExtendedLifetime(tokens) {}
          return sample
        },
        .baseline("closures", values(observers)) { n in
          let list = ClosureList()
          let tally = Tally(until: n - 1, handlers: observers)
          for _ in 0..<observers { list.add(tally.handler) }
          let sample = timed {
            for i in 0..<n { list.send(i) }
          }
          try tally.expectAll(n, handlers: observers)
          return sample
        },
        .baseline("actor of closures", values(observers)) { n in try await closureActor(n, observers) },
      ]
    )
  }

  static func onQueue(_ observers: Int) -> Workload {
    Workload(
      "W2.queue.\(observers)",
      title(observers, "a serial queue"),
      per: "delivery",
      fan: observers,
      comparedTo: "queue.async",
      [
        .ours("send", values(observers), target(observers, "queue.async")) { n in
          let cell = BindableActor(-1)
          let tally = Tally(until: n - 1, handlers: observers)
          let queue = DispatchQueue(label: "observers")
          let tokens = (0..<observers).map { _ in
            cell.observe(on: .queue(queue), backlog: .unbounded, tally.handler)
          }
          await cell.settled()
          let stopwatch = Stopwatch()
          for i in 0..<n { cell.send(i) }
          await tally.isDone()
          let sample = stopwatch.sample
          try tally.expectAll(n, handlers: observers)
          withExtendedLifetime(tokens) {}
          return sample
        },
        .baseline("queue.async", values(observers, atMost: 50_000)) { n in
          let list = ClosureList()
          let tally = Tally(until: n - 1, handlers: observers)
          for _ in 0..<observers { list.add(tally.handler) }
          let queue = DispatchQueue(label: "observers")
          let stopwatch = Stopwatch()
          for i in 0..<n { queue.async { list.send(i) } }
          await tally.isDone()
          let sample = stopwatch.sample
          try tally.expectAll(n, handlers: observers)
          return sample
        },
        .baseline("batch mailbox of closures", values(observers)) { n in
          let list = ClosureList()
          let tally = Tally(until: n - 1, handlers: observers)
          for _ in 0..<observers { list.add(tally.handler) }
          let mailbox = QueueMailbox(DispatchQueue(label: "observers")) { list.send($0) }
          let stopwatch = Stopwatch()
          for i in 0..<n { mailbox.send(i) }
          await tally.isDone()
          let sample = stopwatch.sample
          try tally.expectAll(n, handlers: observers)
          return sample
        },
      ]
    )
  }

  private static func onActor(_ observers: Int) -> Workload {
    Workload(
      "W2.actor.\(observers)",
      title(observers, "an actor"),
      per: "delivery",
      fan: observers,
      comparedTo: "actor of closures",
      [
        .ours("send", values(observers), target(observers, "actor of closures")) { n in
          let cell = BindableActor(-1)
          let tally = Tally(until: n - 1, handlers: observers)
          let actor = PlainActor()
          let handler = tally.handler
          let tokens = (0..<observers).map { _ in
            cell.observe(with: actor, backlog: .unbounded) { _, value in handler(value) }
          }
          await cell.settled()
          let stopwatch = Stopwatch()
          for i in 0..<n { cell.send(i) }
          await tally.isDone()
          let sample = stopwatch.sample
          try tally.expectAll(n, handlers: observers)
          withExtendedLifetime(tokens) {}
          return sample
        },
        .baseline("actor of closures", values(observers)) { n in try await closureActor(n, observers) },
      ]
    )
  }

  private static func closureActor(_ n: Int, _ observers: Int) async throws -> Sample {
    let actor = ClosureActor()
    let tally = Tally(until: n - 1, handlers: observers)
    for _ in 0..<observers { await actor.add(tally.handler) }
    let stopwatch = Stopwatch()
    for i in 0..<n { await actor.send(i) }
    let sample = stopwatch.sample
    try tally.expectAll(n, handlers: observers)
    return sample
  }
}
