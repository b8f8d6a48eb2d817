package import ActorBindings
package import WebServer

/// What the board did in one second.
package struct Vitals: Sendable, Equatable {
  /// The clients at the end of the second.
  package var clients = 0
  package var writes = 0
  package var events = 0
  package var skipped = 0
  /// The age of events when they were sent, in milliseconds: the median, and the 99th percentile.
  package var p50 = 0.0
  package var p99 = 0.0
  package var megabytes = 0

  var json: String {
    "[\(clients),\(writes),\(events),\(skipped),\(Self.rounded(p50)),\(Self.rounded(p99)),\(megabytes)]"
  }

  private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}

/// Measures the board each second, and keeps the last minute.
package struct Gauge: Sendable {
  private let tally: BindableActor<Tally>
  private let services: Services

  package init(_ tally: BindableActor<Tally>, _ services: Services) {
    self.tally = tally
    self.services = services
  }

  /// Measures until the task is cancelled, or the services have ended.
  package func run() async {
    var (count, writes, time) = (tally.value, self.writes, ContinuousClock.now)
    while !Task.isCancelled, !services.prices.cell.isFinished {
      try? await Task.sleep(for: .seconds(1))
      let (newCount, newWrites, newTime) = (tally.value, self.writes, ContinuousClock.now)
      measured(from: count, to: newCount, writes: newWrites - writes, in: newTime - time)
      (count, writes, time) = (newCount, newWrites, newTime)
    }
  }

  /// About a second has passed, in which the counts went from `earlier` to `count`. On a busy machine, the second may
  /// be longer.
  package func measured(from earlier: Tally, to count: Tally, writes: Int, in time: Duration = .seconds(1)) {
    let ages = count.ages.since(earlier.ages)
    func rate(_ number: Int) -> Int { Int(Double(number) / max(time / .seconds(1), 0.001)) }
    let vitals = Vitals(
      clients: count.streams,
      writes: rate(writes),
      events: rate(count.events - earlier.events),
      skipped: rate(count.skipped - earlier.skipped),
      p50: (ages.quantile(0.5) ?? .zero) / .milliseconds(1),
      p99: (ages.quantile(0.99) ?? .zero) / .milliseconds(1),
      megabytes: (System.residentBytes ?? 0) / 1_048_576
    )
    services.minute.modify { minute in
      if minute.count >= 60 { minute.remove(at: 0) }
      minute.append(vitals)
    }
    services.seconds.modify { $0 += 1 }
  }

  // The version of a cell is the number of its writes.
  private var writes: Int {
    Int(services.prices.cell.version + services.jobs.cell.version + services.sessions.cell.version)
  }
}
