import ActorBindings

/// The services of the board. The services know neither each other nor their readers.
package struct Services: Sendable {
  package let prices = Prices()
  package let jobs = Jobs()
  package let sessions = Sessions()
  package let health: Health

  package init(_ health: Health = Health()) {
    self.health = health
  }

  /// Runs all services until the task is cancelled, or all have ended.
  package func run() async {
    await withTaskGroup { group in
      group.addTask { await prices.trade() }
      group.addTask { await jobs.work() }
      group.addTask { await health.check() }
    }
  }

  /// Finishes all cells: each reader receives the values that it has not had yet, and then the end.
  package func finish() {
    prices.cell.finish()
    jobs.cell.finish()
    sessions.cell.finish()
    health.cell.finish()
  }
}
