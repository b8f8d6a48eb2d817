import ActorBindings

/// Things that watch cells: observations, streams, bags, derived cells and operators.
enum WatchingGrowth {
  static let all = [
    Growth("observers", "observers of one cell on one context") { n, laps in
      let (cell, context) = (BindableActor(0), PumpedContext())
      let on = context.context
      laps.skip()
      var tokens = (0..<n).map { _ in cell.observe(on: on) { _ in } }
      context.run()
      laps.lap("enter")
      cell.send(1)
      context.run()
      laps.lap("value")
      try expect(cell.diagnostics.observers.count, equals: n, "observers described")
      laps.lap("described")
      for index in scattered(n) { tokens[index].cancel() }
      context.run()
      laps.lap("cancelled")
      tokens = (0..<n).map { _ in cell.observe(on: on) { _ in } }
      context.run()
      laps.skip()
      cell.finish()
      context.run()
      laps.lap("end")
      keep(tokens)
      try expect(cell.observerCount, equals: 0, "observers")
    },
    Growth("owners", "observers of one cell, each with an owner") { n, laps in
      let (cell, context) = (BindableActor(0), PumpedContext())
      let on = context.context
      var owners = (0..<n).map { _ in Owner() }
      laps.skip()
      for owner in owners { cell.observe(owner, on: on) { _, _ in } }
      context.run()
      laps.lap("enter")
      laps.skip()
      keep(owners)
      owners = []
      cell.send(1)
      context.run()
      laps.lap("dead")
      try expect(cell.observerCount, equals: 0, "observers")
    },
    Growth("contexts", "observers of one cell, each on a context of its own") { n, laps in
      let (cell, context) = (BindableActor(0), PumpedContext())
      laps.skip()
      let tokens = (0..<n).map { number in
        cell.observe(on: DeliveryContext(id: number) { context.schedule($0) }) { _ in }
      }
      context.run()
      laps.lap("enter")
      cell.send(1)
      context.run()
      laps.lap("value")
      try expect(cell.diagnostics.observers.count, equals: n, "observers described")
      laps.lap("described")
      for index in scattered(n) { tokens[index].cancel() }
      context.run()
      laps.lap("cancelled")
      try expect(cell.observerCount, equals: 0, "observers")
    },
    Growth("settled", "tasks that wait until observers have handled all") { n, laps in
      let (cell, context) = (BindableActor(0), PumpedContext())
      let token = cell.observe(on: context.context) { _ in }
      context.run()
      for isCancelled in [false, true] {
        cell.send(1)
        laps.skip()
        let tasks = (0..<n).map { _ in Task { await cell.settled() } }
        if isCancelled {
          for index in scattered(n) { tasks[index].cancel() }
          for task in tasks { await task.value }
          context.run()
        } else {
          context.run()
          for task in tasks { await task.value }
        }
        laps.lap(isCancelled ? "cancelled" : "answered")
      }
      token.cancel()
    },
    Growth("streams", "streams that no task iterates, of as many depths") { n, laps in
      let cell = BindableActor(0)
      laps.skip()
      var streams = (0..<n).map { cell.values(backlog: .bounded($0 + 2)) }
      laps.lap("enter")
      cell.send(1)
      laps.lap("value")
      laps.skip()
      keep(streams)
      streams.removeAll()
      laps.lap("released")
      try expect(cell.observerCount, equals: 0, "streams")
    },
    Growth("loops", "loops that wait for a value") { n, laps in
      for ending in ["cancelled", "end"] {
        let (cell, ready) = (BindableActor(0), Gate(n))
        laps.skip()
        let tasks = (0..<n).map { _ in
          Task {
            for await value in cell.values where value == 0 { ready.arrive() }
          }
        }
        await ready.passed()
        if ending == "end" { laps.skip() } else { laps.lap("enter") }
        if ending == "end" { cell.finish() } else { for index in scattered(n) { tasks[index].cancel() } }
        for task in tasks { await task.value }
        laps.lap(ending)
        try expect(cell.observerCount, equals: 0, "loops")
      }
    },
    Growth("first", "searches for a value") { n, laps in
      let cell = BindableActor(0)
      for isFound in [false, true] {
        laps.skip()
        let ready = Gate(n)
        let searches = (0..<n).map { _ in
          Task {
            await cell.first { value in
              if value == 0 { ready.arrive() }
              return value == 1
            }
          }
        }
        await ready.passed()
        if isFound { cell.send(1) } else { for index in scattered(n) { searches[index].cancel() } }
        for search in searches { _ = await search.value }
        laps.lap(isFound ? "found" : "cancelled")
      }
    },
    Growth("bag", "tokens in a bag") { n, laps in
      let (cell, context, bag) = (BindableActor(0), PumpedContext(), DisposeBag())
      let on = context.context
      laps.skip()
      let tokens = (0..<n).map { _ in cell.observe(on: on) { _ in } }
      for token in tokens { token.store(in: bag) }
      laps.lap("enter")
      for index in scattered(n) where index % 2 == 0 { tokens[index].cancel() }
      laps.lap("cancelled")
      bag.dispose()
      context.run()
      laps.lap("disposed")
      try expect(cell.observerCount, equals: 0, "observers")
    },
    Growth("derived", "cells that follow one cell") { n, laps in
      let cell = BindableActor(0)
      laps.skip()
      var derived = (0..<n).map { number in BindableActor(of: cell.map { $0 + number }) }
      await cell.settled()
      laps.lap("enter")
      laps.skip()
      keep(derived)
      derived.removeAll()
      await cell.settled()
      laps.lap("dead")
      cell.send(1)
      try expect(cell.observerCount, equals: 0, "cells that follow")
    },
    Growth("combinations", "combinations of two cells, each with a reader") { n, laps in
      let (left, right, context) = (BindableActor(0), BindableActor(0), PumpedContext())
      let on = context.context
      laps.skip()
      let tokens = (0..<n).map { _ in combineLatest(left, right).observe(on: on) { _ in } }
      context.run()
      laps.lap("enter")
      left.send(1)
      context.run()
      laps.lap("value")
      for index in scattered(n) { tokens[index].cancel() }
      context.run()
      laps.lap("cancelled")
      try expect(left.observerCount + right.observerCount, equals: 0, "combinations")
    },
    Growth("switches", "switches from one cell, each with a reader") { n, laps in
      let (outer, inner, context) = (BindableActor(0), BindableActor(0), SharedPumpedContext())
      let on = context.context
      laps.skip()
      var owners = (0..<n).map { _ in Owner() }
      for owner in owners { outer.flatMapLatest { _ in inner }.observe(owner, on: on) { _, _ in } }
      context.run()
      laps.lap("enter")
      laps.skip()
      keep(owners)
      owners.removeAll()
      outer.finish()
      while inner.observerCount > 0 {
        context.run()
        await Task.yield()
      }
      laps.lap("dead")
    },
    Growth("throttles", "throttled sources of one cell, each with a reader") { n, laps in
      let (cell, context) = (BindableActor(0), SharedPumpedContext())
      let on = context.context
      laps.skip()
      let tokens = (0..<n).map { _ in cell.throttle(for: .seconds(3600)).observe(on: on) { _ in } }
      context.run()
      laps.lap("enter")
      for index in scattered(n) { tokens[index].cancel() }
      context.run()
      while cell.observerCount > 0 { await Task.yield() }
      laps.lap("cancelled")
    },
    Growth("twoWay", "two-way bindings of one cell") { n, laps in
      let cell = BindableActor(0)
      let others = (0..<n).map { _ in BindableActor(0) }
      laps.skip()
      let tokens = others.map { cell.bindTwoWay(to: $0) }
      laps.lap("enter")
      for index in scattered(n) { await tokens[index].cancelAndWait() }
      laps.lap("cancelled")
      try expect(cell.observerCount, equals: 0, "bindings")
    },
  ]
}

private final class Owner: Sendable {}

/// Keeps an object alive up to this call: otherwise the compiler may release the object after its last use.
@inline(never)
func keep<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

/// Returns the numbers below `n`, in an order in which no number follows its neighbour.
func scattered(_ n: Int) -> some Sequence<Int> {
  (0..<n).lazy.map { $0 * 7919 % n }
}
