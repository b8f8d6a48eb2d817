import ActorBindings
import Reporting

// Operations on several cells, on collections and on owners.
extension Operations {
  // MARK: Several cells

  static let combining = [
    Operation("inPlace.combine.2", "a value of one of two cells that are combined, in place") {
      let (a, b, tally) = (BindableActor(-1), BindableActor(-1), Tally(until: -2))
      let token = combineLatest(a, b).observe(on: here) { tally.receive(max($0, $1)) }
      return Operation.Prepared(tally, [token]) { ($0 % 2 == 0 ? a : b).send($0) }
    },
    Operation("inPlace.combine.4", "a value of one of four cells that are combined, in place") {
      let (cells, tally) = ((0..<4).map { _ in BindableActor(-1) }, Tally(until: -2))
      let token = combineLatest(cells[0], cells[1], cells[2], cells[3]).observe(on: here) {
        tally.receive(max(max($0, $1), max($2, $3)))
      }
      return Operation.Prepared(tally, [token]) { cells[$0 % 4].send($0) }
    },
    Operation("combine.wake", "a value that wakes a reader of two cells", countsAllocations: false) {
      let (a, b, context, tally) = (BindableActor(-1), BindableActor(-1), PumpedContext(), Tally(until: -2))
      let token = combineLatest(a, b).observe(on: context.context) { tally.receive(max($0, $1)) }
      context.run()
      return Operation.Prepared(tally, [token]) {
        ($0 % 2 == 0 ? a : b).send($0)
        context.run()
      }
    },
    Operation("combine.4.wake", "a value that wakes a reader of four cells") {
      let (cells, context, tally) = (
        (0..<4).map { _ in BindableActor(-1) }, PumpedContext(), Tally(until: -2)
      )
      let token = combineLatest(cells[0], cells[1], cells[2], cells[3]).observe(on: context.context) {
        tally.receive(max(max($0, $1), max($2, $3)))
      }
      context.run()
      return Operation.Prepared(tally, [token]) {
        cells[$0 % 4].send($0)
        context.run()
      }
    },
    Operation(
      "loop.combine.2",
      "a value of a burst, an .unbounded loop over two cells",
      stepped: 2,
      fan: burst
    ) {
      let (a, b) = (BindableActor(-1), BindableActor(-1))
      return Operation.Prepared(loopOver: combineLatest(a, b).map { max($0, $1) }, .unbounded, .burst(burst))
      {
        for i in $0 * burst..<($0 + 1) * burst { (i % 2 == 0 ? a : b).send(i) }
      }
    },
    Operation(
      "loop.combine.4",
      "a value of a burst, an .unbounded loop over four cells",
      stepped: 2,
      fan: burst
    ) {
      let cells = (0..<4).map { _ in BindableActor(-1) }
      let newest = combineLatest(cells[0], cells[1], cells[2], cells[3]).map { max(max($0, $1), max($2, $3)) }
      return Operation.Prepared(loopOver: newest, .unbounded, .burst(burst)) {
        for i in $0 * burst..<($0 + 1) * burst { cells[i % 4].send(i) }
      }
    },
    switching(
      each: 1,
      "inPlace.switching",
      "a switch to another source, until its value is delivered, in place: the writer's thread"
    ),
    switching(
      each: 50,
      "inPlace.switched",
      "a value of the newest source, in place, with a switch each 50 values: the writer's thread"
    ),
    Operation("transaction", "a transaction over two cells, no readers") {
      let (a, b) = (BindableActor(0), BindableActor(0))
      return Operation.Prepared { _ in
        BindingTransaction.run { transaction in
          transaction[a] -= 1
          transaction[b] += 1
        }
      } end: { n in
        try expect(b.value, equals: n, "the value")
      }
    },
    Operation("inPlace.transaction", "a transaction over two cells, with an observer of both, in place") {
      let (a, b, tally) = (BindableActor(-1), BindableActor(0), Tally(until: -2))
      let token = combineLatest(a, b).observe(on: here) { left, _ in tally.receive(left) }
      return Operation.Prepared(tally, [token]) { i in
        BindingTransaction.run { transaction in
          transaction[a] = i
          transaction[b] = -i
        }
      }
    },
  ]

  // The operator may run on other threads too, so its allocations are counted elsewhere: see `Relayed`.
  private static func switching(each length: Int, _ id: String, _ title: String) -> Operation {
    Operation(id, title, stepped: max(1, 8 / length), fan: length, countsAllocations: false) {
      let relay = Relaying.InPlace()
      return Operation.Prepared {
        try relay.send($0 * length..<($0 + 1) * length, switchingEach: length)
      } end: { n in
        try expect(relay.newest.count, equals: n * length, "values delivered")
        relay.token.cancel()
      }
    }
  }

  // MARK: Collections

  static let collecting = [
    Operation("set", "a value for an existing key, one of 10,000, no readers", warmUp: Collected.many) {
      let prices = BindableDictionary(Collected.entries)
      return Operation.Prepared { i in
        prices.set(i, forKey: Collected.Ticker(number: i % Collected.many))
      } end: { n in
        try expect(Int(prices.version), equals: n, "versions")
      }
    },
    Operation(
      "inPlace.key",
      "a value for a key, one of 10,000, whose watcher is called in place: each key has one",
      warmUp: Collected.many
    ) {
      let (prices, tally) = (BindableDictionary(Collected.entries), Tally(until: -2))
      let tokens = Collected.watchers(of: prices, on: here) { tally.receive($0 ?? -1) }
      return Operation.Prepared(tally, tokens) {
        prices.set($0, forKey: Collected.Ticker(number: $0 % Collected.many))
      }
    },
    Operation(
      "inPlace.bind",
      "an observer of a key, one of 10,000, that comes and goes, in place: each key has a watcher"
    ) {
      let prices = BindableDictionary(Collected.entries)
      let tokens = Collected.watchers(of: prices, on: here) { _ in }
      return Operation.Prepared { i in
        prices.source(forKey: Collected.Ticker(number: i % Collected.many)).observe(on: here) { _ in }
          .cancel()
      } end: { _ in
        try expect(prices.observerCount, equals: Collected.many, "observers that are left")
        withExtendedLifetime(tokens) {}
      }
    },
    Operation(
      "key.wake",
      "a value for a key, one of 10,000, that wakes its watcher's context",
      warmUp: Collected.many,
      countsAllocations: false
    ) {
      let (prices, context, tally) = (
        BindableDictionary(Collected.entries), PumpedContext(), Tally(until: -2)
      )
      let tokens = Collected.watchers(of: prices, on: context.context) { tally.receive($0 ?? -1) }
      context.run()
      return Operation.Prepared(tally, tokens) {
        prices.set($0, forKey: Collected.Ticker(number: $0 % Collected.many))
        context.run()
      }
    },
    Operation(
      "key.loop",
      "a value for a key, one of 10,000, for a parked loop over it: each other key has a watcher",
      warmUp: Collected.many
    ) {
      let prices = BindableDictionary(Collected.entries)
      let tokens = Collected.watchers(of: prices, on: here, except: 7) { _ in }
      let source = prices.source(forKey: Collected.Ticker(number: 7)).map { $0 ?? -1 }
      return Operation.Prepared(loopOver: source, .latest, beside: tokens) {
        prices.set($0, forKey: Collected.Ticker(number: 7))
      }
    },
    edit(of: 1000),
    edit(of: 100_000),
    Operation(
      "changes",
      "an append to an array of 100,000, until a reader of changes has it",
      countsAllocations: false
    ) {
      let (board, context, tally) = (BindableArray(0..<100_000), PumpedContext(), Tally(until: -2))
      let token = board.changes.observe(on: context.context) { tally.receive($0.edits?.count ?? -1) }
      context.run()
      return Operation.Prepared(tally, [token], .one) {
        board.append($0)
        context.run()
      }
    },
    Operation("changes.loop", "an append to an array of 100,000, until a parked loop has it") {
      let board = BindableArray(0..<100_000)
      return Operation.Prepared(loopOver: board.changes.map { $0.edits?.count ?? -1 }, .latest, .one) {
        board.append($0)
      }
    },
  ]

  private static func edit(of size: Int) -> Operation {
    Operation(
      size == 1000 ? "inPlace.edit" : "inPlace.edit.\(size)",
      "an edit of an array of \(grouped(size)), told in place"
    ) {
      let (board, tally) = (BindableArray(0..<size), Tally(until: -2))
      let token = board.changes.observe(on: here) { tally.receive($0.edits?.count ?? -1) }
      return Operation.Prepared(tally, [token], .one) { board.update(-$0, at: $0 &* 61_803 % size) }
    }
  }

  // MARK: Owners

  static let dying = [
    Operation("owner.bag", "an owner with a bag and an observer, from its birth to its death") {
      let (cell, context) = (BindableActor(0), PumpedContext())
      let on = context.context
      let kept = cell.observe(on: on) { _ in }
      context.run()
      return Operation.Prepared { _ in
        let bag = DisposeBag()
        cell.observe(on: on) { _ in }.store(in: bag)
        context.run()
        bag.dispose()
        context.run()
      } end: { _ in
        try expect(cell.observerCount, equals: 1, "observers that are left")
        kept.cancel()
      }
    },
    Operation(
      "owner.dead",
      "an owner that is found dead by the next value, in place",
      warmUp: 1,
      stepped: 1,
      fan: 1000
    ) {
      final class Owner: Sendable {}
      let cells = (0..<3).map { _ in BindableActor(0) }
      for cell in cells {
        let owners = (0..<1000).map { _ in Owner() }
        for owner in owners { cell.observe(owner, on: here) { _, _ in } }
      }
      return Operation.Prepared { i in
        cells[i].send(1)
      } end: { n in
        try expect(cells[..<n].count { $0.observerCount > 0 }, equals: 0, "cells with observers")
      }
    },
  ]
}
