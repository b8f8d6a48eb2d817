import ActorBindings
import Reporting

/// The operations of the rows of the comparison that happen on one thread.
enum Operations {
  static let all = writing + inPlace + elsewhere + loops + combining + collecting + dying

  static let here = DeliveryContext.immediate

  // MARK: Writing

  private static let writing = [
    Operation("send", "a send, no readers") {
      let cell = BindableActor(-1)
      return Operation.Prepared {
        cell.send($0)
      } end: { n in
        try expect(cell.value, equals: n - 1, "the value")
      }
    },
    Operation("modify", "a modify, no readers") {
      let cell = BindableActor(0)
      return Operation.Prepared { _ in
        cell.modify { $0 += 1 }
      } end: { n in
        try expect(cell.value, equals: n, "the value")
      }
    },
    Operation("read", "a read of the current value") {
      let (cell, tally) = (BindableActor(1), Tally(until: -2))
      return Operation.Prepared(tally, [], .one) { _ in tally.receive(cell.value) }
    },
    Operation("update.task", "an update in a task of its own, an observer on the cell") {
      let (cell, pump, tally) = (BindableActor(-1), Pump(), Tally(until: -2))
      let token = cell.observe(on: .cell, tally.handler)
      // After this, the actor has no other job.
      await cell.settled()
      return Operation.Prepared(tally, [token]) { i in
        Task(executorPreference: pump) { await cell.update(i) }
        pump.run()
      }
    },
  ]

  // MARK: Handlers where the writer is

  private static let inPlace = [
    Operation("inPlace.latest", "a value to one observer, in place") {
      let (cell, tally) = (BindableActor(-1), Tally(until: -2))
      return Operation.Prepared(tally, [cell.observe(on: here, tally.handler)]) { cell.send($0) }
    },
    Operation("inPlace.unbounded", "a value to one .unbounded observer, in place") {
      let (cell, tally) = (BindableActor(-1), Tally(until: -2))
      let token = cell.observe(on: here, backlog: .unbounded, tally.handler)
      return Operation.Prepared(tally, [token]) { cell.send($0) }
    },
    Operation(
      "inPlace.100",
      "a delivery to one of 100 observers, in place",
      warmUp: 2,
      stepped: 1,
      fan: 100
    ) {
      let (cell, tally) = (BindableActor(-1), Tally(until: -2))
      let tokens = (0..<100).map { _ in cell.observe(on: here, tally.handler) }
      return Operation.Prepared(tally, tokens, .number(handlers: 100)) { cell.send($0) }
    },
    Operation("inPlace.operators", "a value through map.filter.map, in place") {
      let (cell, tally) = (BindableActor(-1), Tally(until: -2))
      let chain = cell.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }
      return Operation.Prepared(tally, [chain.observe(on: here, tally.handler)]) { cell.send($0) }
    },
    Operation("inPlace.events", "an event through map.filter.map, in place") {
      let (source, tally) = (EventSource<Int>(), Tally(until: -2))
      let chain = source.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }
      let token = chain.observe(on: here, backlog: .unbounded, tally.handler)
      return Operation.Prepared(tally, [token]) { source.send($0) }
    },
    Operation("inPlace.erased", "a value through map.filter.map, whose types are hidden, in place") {
      let (cell, tally) = (BindableActor(-1), Tally(until: -2))
      let chain = cell.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }.erased()
      let token = chain.observe(on: here, backlog: .unbounded, tally.handler)
      return Operation.Prepared(tally, [token]) { cell.send($0) }
    },
    Operation("inPlace.lens", "a write of a part of a cell, with an observer of that part in place") {
      let (cell, tally) = (BindableActor((name: "", volume: -1)), Tally(until: -2))
      let volume = cell.lens(\.volume)
      let token = volume.observe(on: here, backlog: .unbounded, tally.handler)
      return Operation.Prepared {
        volume.send($0)
      } end: { n in
        try expect(tally.count, equals: n, "values delivered")
        // The lens does not keep the cell.
        try expect(cell.value.volume, equals: n - 1, "the part")
        token.cancel()
      }
    },
    Operation("inPlace.subscribe", "an observer that comes and goes, in place") {
      let cell = BindableActor(-1)
      return Operation.Prepared { _ in
        cell.observe(on: here) { _ in }.cancel()
      } end: { _ in
        try expect(cell.observerCount, equals: 0, "observers that are left")
      }
    },
  ]

  // MARK: Handlers elsewhere

  private static let elsewhere = [
    Operation("observe.wake", "a value that wakes an observer's context", countsAllocations: false) {
      let (cell, context, tally) = (BindableActor(-1), PumpedContext(), Tally(until: -2))
      let token = cell.observe(on: context.context, tally.handler)
      context.run()
      return Operation.Prepared(tally, [token]) {
        cell.send($0)
        context.run()
      }
    },
    Operation(
      "observe.unbounded",
      "a value of a burst, an .unbounded observer",
      stepped: 2,
      fan: burst,
      countsAllocations: false
    ) {
      let (cell, context, tally) = (BindableActor(-1), PumpedContext(), Tally(until: -2))
      let token = cell.observe(on: context.context, backlog: .unbounded, tally.handler)
      context.run()
      return Operation.Prepared(tally, [token], .burst(burst)) {
        for i in $0 * burst..<($0 + 1) * burst { cell.send(i) }
        context.run()
      }
    },
    Operation(
      "observe.actor",
      "a value of a burst, an observer on an actor",
      stepped: 2,
      fan: burst,
      countsAllocations: false
    ) {
      let (cell, pump, tally) = (BindableActor(-1), SerialPump(), Tally(until: -2))
      let actor = PumpedActor(pump)
      let token = cell.observe(with: actor, backlog: .unbounded) { _, value in tally.receive(value) }
      pump.run()
      return Operation.Prepared(tally, [token], .burst(burst)) {
        for i in $0 * burst..<($0 + 1) * burst { cell.send(i) }
        actor.pump.run()
      }
    },
    Operation(
      "observe.100",
      "a delivery to one of 100 observers on a context",
      warmUp: 2,
      stepped: 1,
      fan: 100
    ) {
      let (cell, context, tally) = (BindableActor(-1), PumpedContext(), Tally(until: -2))
      let on = context.context
      let tokens = (0..<100).map { _ in cell.observe(on: on, tally.handler) }
      context.run()
      return Operation.Prepared(tally, tokens, .number(handlers: 100)) {
        cell.send($0)
        context.run()
      }
    },
    Operation("subscribe", "an observer that comes and goes", countsAllocations: false) {
      let (cell, context) = (BindableActor(-1), PumpedContext())
      let on = context.context
      let kept = cell.observe(on: on) { _ in }
      context.run()
      return Operation.Prepared { _ in
        cell.observe(on: on) { _ in }.cancel()
        context.run()
      } end: { _ in
        try expect(cell.observerCount, equals: 1, "observers that are left")
        kept.cancel()
      }
    },
  ]

  // MARK: Loops

  private static let loops = [
    Operation("loop.parked", "a value for a parked loop", countsAllocations: false) {
      let cell = BindableActor(-1)
      return Operation.Prepared(loopOver: cell, .latest) { cell.send($0) }
    },
    Operation("loop.parked.unbounded", "a value for a parked .unbounded loop", countsAllocations: false) {
      let cell = BindableActor(-1)
      return Operation.Prepared(loopOver: cell, .unbounded) { cell.send($0) }
    },
    Operation(
      "loop.unbounded",
      "a value of a burst, an .unbounded loop",
      stepped: 2,
      fan: burst,
      countsAllocations: false
    ) {
      let cell = BindableActor(-1)
      return Operation.Prepared(loopOver: cell, .unbounded, .burst(burst)) {
        for i in $0 * burst..<($0 + 1) * burst { cell.send(i) }
      }
    },
    Operation(
      "loop.operators",
      "a value of a burst, an .unbounded loop over map.filter.map",
      stepped: 2,
      fan: burst
    ) {
      let cell = BindableActor(-1)
      let chain = cell.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }
      return Operation.Prepared(loopOver: chain, .unbounded, .burst(burst)) {
        for i in $0 * burst..<($0 + 1) * burst { cell.send(i) }
      }
    },
    Operation(
      "loop.newest",
      "a send of a burst of 32 to a .latest loop that runs after the burst",
      stepped: 2,
      fan: burst
    ) {
      let cell = BindableActor(-1)
      // Of each burst, the loop receives the newest value.
      return Operation.Prepared(loopOver: cell, .latest, .last(of: burst)) {
        for i in $0 * burst..<($0 + 1) * burst { cell.send(i) }
      }
    },
    Operation("life", "a stream's whole life: spawn, value, cancel, end", countsAllocations: false) {
      let (cell, pump, tally) = (BindableActor(1), Pump(), Tally(until: -2))
      return Operation.Prepared { _ in
        let task = Task(executorPreference: pump) { for await value in cell.values { tally.receive(value) } }
        pump.run()
        task.cancel()
        pump.run()
      } end: { n in
        try expect(tally.sum, equals: n, "the sum of the values")
        try expect(cell.observerCount, equals: 0, "readers that are left")
      }
    },
  ]

  // The number of values in a burst.
  static let burst = 32
}

extension Operation.Prepared {
  /// What the handlers receive in an operation with the number `i`.
  enum Received {
    /// `i`, each of the handlers.
    case number(handlers: Int)
    /// `i * burst` to `(i + 1) * burst - 1`.
    case burst(Int)
    /// 1.
    case one
    /// The last number of a burst.
    case last(of: Int)

    func expect(_ tally: Tally, after n: Int) throws {
      switch self {
      case .number(let handlers): try tally.expectAll(n, handlers: handlers)
      case .burst(let burst): try tally.expectAll(n * burst)
      case .one:
        try Benchmarks.expect(tally.count, equals: n, "values delivered")
        try Benchmarks.expect(tally.sum, equals: n, "the sum of the values")
      case .last(let burst):
        try Benchmarks.expect(tally.count, equals: n, "values delivered")
        try Benchmarks.expect(tally.sum, equals: n * (n + 1) / 2 * burst - n, "the sum of the values")
      }
    }
  }

  /// An operation after which the handlers of `tokens` have received what `received` says.
  init(
    _ tally: Tally,
    _ tokens: [BindingToken] = [],
    _ received: Received = .number(handlers: 1),
    perform: @escaping (Int) -> Void
  ) {
    self.init(perform: perform) { n in
      try received.expect(tally, after: n)
      tokens.forEach { $0.cancel() }
    }
  }

  /// An operation after which a loop has received what `received` says. The loop runs on this thread.
  init(
    loopOver source: some BindingSource<Int>,
    _ backlog: Backlog,
    _ received: Received = .number(handlers: 1),
    beside tokens: [BindingToken] = [],
    perform: @escaping (Int) -> Void
  ) {
    let (pump, tally) = (Pump(), Tally(until: -2))
    let loop = Task(executorPreference: pump) {
      for await value in source.values(backlog: backlog) { tally.receive(value) }
    }
    pump.run()
    self.init { i in
      perform(i)
      pump.run()
    } end: { n in
      try received.expect(tally, after: n)
      loop.cancel()
      pump.run()
      tokens.forEach { $0.cancel() }
    }
  }
}
