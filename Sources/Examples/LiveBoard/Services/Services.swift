package import ActorBindings

/// The services of the board. The services know neither each other nor their readers.
package struct Services: Sendable {
  package let prices = Prices()
  package let jobs = Jobs()
  package let sessions = Sessions()
  package let health: Health
  /// Whether each service runs, by its name. A service that is stopped changes nothing.
  package let running = BindableDictionary<String, Bool>(["prices": true, "jobs": true, "health": true])
    .named("running")

  /// What the board did in each second of the last minute.
  package let minute = BindableArray<Vitals>().named("minute")

  /// The number of seconds that the board was measured.
  package let seconds = BindableActor(0).named("seconds")

  package init(_ health: Health = Health()) {
    self.health = health
  }

  /// Runs all services until the task is cancelled, or all have ended.
  package func run() async {
    await withTaskGroup { group in
      group.addTask {
        var last = ContinuousClock.now
        await repeats("prices") { last = await prices.trade(since: last) }
      }
      group.addTask { await repeats("jobs") { await jobs.work() } }
      group.addTask { await repeats("health") { await health.check() } }
    }
  }

  // Repeats the steps of a service while it should run.
  private func repeats(_ name: String, _ step: () async -> Void) async {
    while !Task.isCancelled, !running.isFinished {
      guard await running.source(forKey: name).first(where: { $0 == true }) != nil else { return }
      await step()
    }
  }

  /// Finishes all cells: each reader receives the values that it has not had yet, and then the end.
  package func finish() {
    running.finish()
    prices.cell.finish()
    prices.rate.finish()
    jobs.cell.finish()
    sessions.cell.finish()
    health.cell.finish()
    minute.finish()
    seconds.finish()
  }
}
