import ActorBindings

/// Counts of allocations.
enum Allocations {
  static let counts = [
    Count(
      "allocations.update",
      "an update, an observer on the cell",
      {
        let cell = BindableActor(-1)
        let tally = Tally(until: 999)
        let token = cell.observe(on: .cell, tally.handler)
        // After this, the actor has no other job.
        await cell.settled()
        await cell.update(-1)
        let found = pumped {
          for i in 0..<1000 { await cell.update(i) }
        }
        try tally.expectAll(1000)
        token.cancel()
        return found / 1000
      },
      [
        "actor of closures": {
          let actor = ClosureActor()
          let tally = Tally(until: 999)
          await actor.add(tally.handler)
          let found = pumped {
            for i in 0..<1000 { await actor.send(i) }
          }
          try tally.expectAll(1000)
          return found / 1000
        }
      ]
    ),
    Count(
      "allocations.observe.wake",
      "a value that wakes an observer's context",
      {
        let (cell, context, tally) = (BindableActor(-1), PumpedContext(), Tally(until: 999))
        let token = cell.observe(on: context.context, tally.handler)
        context.run()
        let found = oneByOne {
          cell.send($0)
          context.run()
        }
        try tally.expectAll(1000)
        token.cancel()
        return found
      },
      [
        "block per value": {
          let (context, tally) = (PumpedContext(), Tally(until: 999))
          let found = oneByOne { i in
            context.schedule { tally.receive(i) }
            context.run()
          }
          try tally.expectAll(1000)
          return found
        }
      ]
    ),
    Count(
      "allocations.observe.wakeTask",
      "a value that wakes an observer's task executor",
      {
        let (cell, pump, tally) = (BindableActor(-1), Pump(), Tally(until: 999))
        let token = cell.observe(on: .taskExecutor(pump), tally.handler)
        pump.run()
        let found = oneByOne {
          cell.send($0)
          pump.run()
        }
        try tally.expectAll(1000)
        token.cancel()
        return found
      },
      [
        "Task per value": {
          let (pump, tally) = (Pump(), Tally(until: 999))
          let found = oneByOne { i in
            Task(executorPreference: pump) { tally.receive(i) }
            pump.run()
          }
          try tally.expectAll(1000)
          return found
        }
      ]
    ),
    Count(
      "allocations.observe.latest",
      "a value of a burst, a .latest observer",
      { try burst(.latest, observers: 1) },
    ),
    Count(
      "allocations.observe.unbounded",
      "a value of a burst, an .unbounded observer",
      { try burst(.unbounded, observers: 1) },
    ),
    Count(
      "allocations.observe.unbounded.100",
      "a value of a burst, 100 .unbounded observers",
      { try burst(.unbounded, observers: 100) },
    ),
    Count(
      "allocations.observe.bounded",
      "a value of a burst, a .bounded(10) observer",
      { try burst(.bounded(10), observers: 1) },
    ),
    Count(
      "allocations.observe.owner",
      "a value of a burst, an observer with an owner",
      {
        let (cell, context, tally) = (BindableActor(-1), PumpedContext(), Tally(until: 9999))
        cell.observe(tally, on: context.context, backlog: .unbounded) { tally, value in tally.receive(value) }
        let found = burst(of: cell) { context.run() }
        try tally.expectAll(10_000)
        return found
      }
    ),
    Count(
      "allocations.bind",
      "a value of a burst, an object that is bound",
      {
        let (cell, context, tally) = (BindableActor(-1), PumpedContext(), Tally(until: 9999))
        cell.bind(to: tally, on: context.context, backlog: .unbounded)
        let found = burst(of: cell) { context.run() }
        try tally.expectAll(10_000)
        return found
      }
    ),
    Count(
      "allocations.observe.actor",
      "a value of a burst, an observer on an actor",
      {
        let (cell, pump, tally) = (BindableActor(-1), SerialPump(), Tally(until: 9999))
        let actor = PumpedActor(pump)
        cell.observe(with: actor, backlog: .unbounded) { _, value in tally.receive(value) }
        let found = burst(of: cell) { pump.run() }
        try tally.expectAll(10_000)
        return found
      }
    ),
    Count(
      "allocations.observe.operators",
      "a value of a burst, behind map.filter.map",
      {
        let (cell, context, tally) = (BindableActor(-1), PumpedContext(), Tally(until: 9999))
        let source = cell.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }
        let token = source.observe(on: context.context, backlog: .unbounded, tally.handler)
        let found = burst(of: cell) { context.run() }
        try tally.expectAll(10_000)
        token.cancel()
        return found
      }
    ),
    Count(
      "allocations.loop.parked",
      "a value for a parked loop",
      { try FedLoop.cell(.latest, .eachTime, counting) },
      [
        "AsyncStream": { try FedLoop.asyncStream(.eachTime, counting) },
        "watch by hand": { try FedLoop.watch(.eachTime, counting) },
      ]
    ),
    Count(
      "allocations.loop.parked.unbounded",
      "a value for a parked .unbounded loop",
      { try FedLoop.cell(.unbounded, .eachTime, counting) }
    ),
    Count(
      "allocations.loop.unbounded",
      "a value of a burst, an .unbounded loop",
      { try FedLoop.cell(.unbounded, .atTheEnd, counting) },
      ["AsyncStream": { try FedLoop.asyncStream(.atTheEnd, counting) }]
    ),
    Count(
      "allocations.subscribe",
      "an observer that comes and goes",
      {
        let (cell, context) = (BindableActor(-1), PumpedContext())
        let token = cell.observe(on: context.context) { _ in }
        context.run()
        let found = allocations(per: 1000) {
          for _ in 0..<1000 {
            cell.observe(on: context.context) { _ in }.cancel()
            context.run()
          }
        }
        token.cancel()
        return found
      },
      [
        "dictionary under a Mutex": {
          let registry = Registry()
          _ = registry.subscribe { _ in }
          return allocations(per: 1000) {
            for _ in 0..<1000 { registry.cancel(registry.subscribe { _ in }) }
          }
        }
      ]
    ),
    Count(
      "allocations.life",
      "a stream's whole life: spawn, value, cancel, join",
      {
        let cell = BindableActor(1)
        return life {
          for await _ in cell.values {}
        }
      },
      [
        "watch by hand": {
          let watch = Watch(1)
          return life {
            var receiver = watch.receiver()
            while await receiver.next() != nil {}
          }
        },
        "AsyncStream": {
          life {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            continuation.yield(1)
            for await _ in stream {}
          }
        },
        "bare task": { life {} },
      ]
    ),
  ]

  // Counts for a thousand values, each of which is delivered before the next is sent.
  private static func oneByOne(_ handOver: (Int) -> Void) -> Double {
    allocations(per: 1000) {
      for i in 0..<1000 { handOver(i) }
    }
  }

  // Counts for ten thousand values, which are delivered after the last is sent. The initial value of the observers is
  // delivered before, and not counted.
  private static func burst(of cell: BindableActor<Int>, handedOverBy run: () -> Void) -> Double {
    run()
    return allocations(per: 10_000) {
      for i in 0..<10_000 { cell.send(i) }
      run()
    }
  }

  private static func burst(_ backlog: Backlog, observers: Int) throws -> Double {
    let (cell, context) = (BindableActor(-1), PumpedContext())
    let tally = Tally(until: 9999, handlers: observers)
    let tokens = (0..<observers).map { _ in
      cell.observe(on: context.context, backlog: backlog, tally.handler)
    }
    let found = burst(of: cell) { context.run() }
    if backlog == .unbounded { try tally.expectAll(10_000, handlers: observers) }
    withExtendedLifetime(tokens) {}
    return found
  }

  @Sendable private static func counting(per n: Int, on pump: Pump, _ work: () -> Void) -> Double {
    allocations(per: n, work)
  }

  private static func life(_ loop: @escaping @Sendable () async -> Void) -> Double {
    let pump = Pump()
    return allocations(per: 1000) {
      for _ in 0..<1000 {
        let task = Task(executorPreference: pump, operation: loop)
        pump.run()
        task.cancel()
        pump.run()
      }
    }
  }

  // Counts for work that has to be awaited, in a task that runs on this thread.
  private static func pumped(_ body: @escaping @Sendable () async -> Void) -> Double {
    let pump = Pump()
    return allocations(per: 1) {
      Task(executorPreference: pump, operation: body)
      pump.run()
    }
  }
}
