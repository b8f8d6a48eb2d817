package import ActorBindings

/// The services of the board. The services know neither each other nor their readers.
package struct Services: Sendable {
  package let prices = Prices()
  package let jobs = Jobs()
  package let sessions = Sessions()
  package let health: Health
  /// Whether each service runs, by its name. A service that is stopped changes nothing.
  package let running = BindableDictionary<String, ServiceState>(
    ["prices": .running, "jobs": .running, "health": .running]
  ).named("running")

  /// What the board did in each second of the last minute.
  package let minute = BindableArray<Vitals>().named("minute")

  /// The number of seconds that the board was measured.
  package let seconds = BindableActor(0).named("seconds")

  package init(_ health: Health = Health()) {
    self.health = health
  }

  /// Runs all services until the task is cancelled. Each has a method `run()` that ends when its task is cancelled, as a
  /// program with ServiceLifecycle would have it.
  package func run() async {
    await withTaskGroup { group in
      group.addTask { await whileWanted("prices", prices.run) }
      group.addTask { await whileWanted("jobs", jobs.run) }
      group.addTask { await whileWanted("health", health.run) }
    }
  }

  // Calls `run` when the service is started, and cancels the call when the service is stopped.
  private func whileWanted(_ name: String, _ run: @escaping @Sendable () async -> Void) async {
    await running.source(forKey: name).removeDuplicates().forEachLatest { state in
      if state == .running { await run() }
    }
  }

  /// Starts a service.
  package func start(_ name: String) {
    running.set(.running, forKey: name)
  }

  /// Stops a service. A service that is stopped already keeps its time.
  package func stop(_ name: String) {
    let now = ContinuousClock.now
    running.modify(forKey: name) { if $0 == .running { $0 = .stopped(since: now) } }
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

/// Whether a service runs.
package enum ServiceState: Sendable, Equatable {
  case running
  case stopped(since: ContinuousClock.Instant)

  /// The time at which the service was stopped; nil if it runs.
  var stop: ContinuousClock.Instant? {
    if case .stopped(let instant) = self { instant } else { nil }
  }
}
