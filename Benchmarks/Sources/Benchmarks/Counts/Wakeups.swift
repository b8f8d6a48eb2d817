import ActorBindings

/// Counts of jobs and wake-ups of deliveries.
enum Wakeups {
  static let counts = [
    Count(
      "wakeups.observe.1000",
      "a burst of 100 values, 1,000 .unbounded observers on one context",
      { try burst(observers: 1000, values: 100) },
      [
        "block per value": {
          let (context, list) = (PumpedContext(), ClosureList())
          let tally = Tally(until: 99, handlers: 1000)
          for _ in 0..<1000 { list.add(tally.handler) }
          for i in 0..<100 { context.schedule { list.send(i) } }
          context.run()
          try tally.expectAll(100, handlers: 1000)
          return Double(context.count)
        }
      ]
    ),
    Count(
      "wakeups.observe.backlog",
      "a burst of 10,000 values, an .unbounded observer",
      { try burst(observers: 1, values: 10_000) }
    ),
    Count(
      "jobs.observe",
      "a burst of 100 values, an observer on a task executor",
      {
        let (cell, pump) = (BindableActor(-1), Pump())
        let tally = Tally(until: 99)
        let token = cell.observe(on: .taskExecutor(pump), backlog: .unbounded, tally.handler)
        pump.run()
        let found = jobs(per: 1, on: pump) {
          for i in 0..<100 { cell.send(i) }
          pump.run()
        }
        try tally.expectAll(100)
        token.cancel()
        return found
      },
      [
        "Task per value": {
          let (pump, tally) = (Pump(), Tally(until: 99))
          let found = jobs(per: 1, on: pump) {
            for i in 0..<100 { Task(executorPreference: pump) { tally.receive(i) } }
            pump.run()
          }
          try tally.expectAll(100)
          return found
        }
      ]
    ),
    Count(
      "jobs.update",
      "an update, 1,000 observers on the cell",
      {
        let (cell, pump) = (BindableActor(-1), Pump())
        let tally = Tally(until: 99, handlers: 1000)
        let tokens = (0..<1000).map { _ in cell.observe(on: .cell, tally.handler) }
        // After this, the actor has no other job.
        await cell.settled()
        await cell.update(-1)
        Task(executorPreference: pump) {
          for i in 0..<100 { await cell.update(i) }
        }
        pump.run()
        try tally.expectAll(100, handlers: 1000)
        withExtendedLifetime(tokens) {}
        // One of the jobs is the task that makes the updates.
        return Double(pump.count - 1) / 100
      }
    ),
    Count(
      "jobs.loop.parked",
      "a value for a parked loop",
      { try FedLoop.cell(.latest, .eachTime, jobs) },
      ["AsyncStream": { try FedLoop.asyncStream(.eachTime, jobs) }]
    ),
    Count(
      "jobs.loop.unbounded",
      "a value of a burst of 1,000, an .unbounded loop",
      { try FedLoop.cell(.unbounded, .atTheEnd, jobs) },
      ["AsyncStream": { try FedLoop.asyncStream(.atTheEnd, jobs) }]
    ),
  ]

  private static func burst(observers: Int, values: Int) throws -> Double {
    let (cell, context) = (BindableActor(-1), PumpedContext())
    let tally = Tally(until: values - 1, handlers: observers)
    let tokens = (0..<observers).map { _ in
      cell.observe(on: context.context, backlog: .unbounded, tally.handler)
    }
    context.run()
    let before = context.count
    for i in 0..<values { cell.send(i) }
    context.run()
    try tally.expectAll(values, handlers: observers)
    withExtendedLifetime(tokens) {}
    return Double(context.count - before)
  }

  // Returns the number of jobs that the pump runs for `work`, for each of `n`.
  @Sendable private static func jobs(per n: Int, on pump: Pump, _ work: () -> Void) -> Double {
    let before = pump.count
    work()
    return Double(pump.count - before) / Double(n)
  }
}
