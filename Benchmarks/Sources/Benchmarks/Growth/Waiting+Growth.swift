import ActorBindings

/// Things that wait in queues, and registrations for keys.
enum WaitingGrowth {
  static let all = [
    Growth("key", "watchers of one key, each by a source of its own") { n, laps in
      let (prices, context) = (BindableDictionary(["a": 0]), PumpedContext())
      let on = context.context
      for ending in ["cancelled", "dead", "end"] {
        laps.skip()
        var owners = (0..<n).map { _ in Owner() }
        let tokens = owners.map { prices.source(forKey: "a").observe($0, on: on) { _, _ in } }
        context.run()
        if ending == "cancelled" { laps.lap("enter") }
        laps.skip()
        switch ending {
        case "cancelled": for index in scattered(n) { tokens[index].cancel() }
        case "dead":
          keep(owners)
          owners.removeAll()
          prices.set(1, forKey: "a")
        default: prices.finish()
        }
        context.run()
        laps.lap(ending)
        keep(tokens)
        keep(owners)
        try expect(prices.observerCount, equals: 0, "watchers")
      }
    },
    Growth("keys", "watched keys") { n, laps in
      let (prices, context) = (BindableDictionary<Int, Int>(), PumpedContext())
      let on = context.context
      prices.modify { prices in for key in 0..<n { prices[key] = 0 } }
      laps.skip()
      let tokens = (0..<n).map { key in prices.source(forKey: key).observe(on: on) { _ in } }
      context.run()
      laps.lap("enter")
      for key in scattered(n) {
        prices.set(1, forKey: key)
        context.run()
      }
      laps.lap("value")
      for index in scattered(n) { tokens[index].cancel() }
      context.run()
      laps.lap("cancelled")
      try expect(prices.observerCount, equals: 0, "watchers")
    },
    Growth("removeAll", "keys that are removed while one is watched") { n, laps in
      let (prices, context) = (BindableDictionary<Int, Int>(), PumpedContext())
      prices.modify { prices in for key in 0..<n { prices[key] = 0 } }
      let token = prices.source(forKey: 1).observe(on: context.context) { _ in }
      context.run()
      laps.skip()
      prices.removeAll()
      context.run()
      laps.lap("removed")
      token.cancel()
    },
    Growth("transaction", "cells of one transaction") { n, laps in
      let cells = (0..<n).map { _ in BindableActor(0) }
      laps.skip()
      BindingTransaction.run { transaction in
        for index in scattered(n) { transaction[cells[index]] += 1 }
      }
      laps.lap("written")
      try expect(cells.reduce(0) { $0 + $1.value }, equals: n, "writes")
    },
    Growth("reload", "requests that wait for a load") { n, laps in
      for ending in ["answered", "cancelled"] {
        let going = Gate()
        let cell = LoadingCell { () async -> Int in
          await going.passed()
          return 1
        }
        laps.skip()
        let requests = (0..<n).map { _ in Task { _ = try? await cell.reload() } }
        if ending == "answered" {
          going.arrive()
        } else {
          for index in scattered(n) { requests[index].cancel() }
        }
        for request in requests { await request.value }
        laps.lap(ending)
        if ending == "cancelled" { going.arrive() }
      }
    },
    Growth("action", "calls that wait for their turn") { n, laps in
      for ending in ["executed", "cancelled"] {
        let (going, ran) = (Gate(), Gate())
        let note = AsyncAction(whileBusy: .queue) { (isFirst: Bool) in
          if isFirst {
            ran.arrive()
            await going.passed()
          }
        }
        note.start(true)
        await ran.passed()
        laps.skip()
        let calls = (0..<n).map { _ in Task { try? await note.execute(false) } }
        if ending == "executed" {
          going.arrive()
        } else {
          for index in scattered(n) { calls[index].cancel() }
        }
        for call in calls { await call.value }
        laps.lap(ending)
        if ending == "cancelled" { going.arrive() }
      }
    },
    Growth("follow", "sequences that one cell follows") { n, laps in
      for ending in ["cancelled", "end"] {
        let (cell, streams) = (BindableActor(0), (0..<n).map { _ in AsyncStream.makeStream(of: Int.self) })
        laps.skip()
        let ended = Gate(n)
        let tokens = streams.map { cell.follow($0.stream) { _ in ended.arrive() } }
        if ending == "end" { cell.finish() } else { for index in scattered(n) { tokens[index].cancel() } }
        await ended.passed()
        laps.lap(ending)
        keep(tokens)
        keep(streams)
      }
    },
  ]
}

private final class Owner: Sendable {}
