import ActorBindings
import Dispatch
import Reporting

/// Lines of the comparison that the article does not show: the work of other lines on a queue, on a context or in a
/// loop.
enum ComparedOnly {
  static let workloads = [
    combinedOnQueue, combinedInLoop, switchedInLoop, editedInLoop, keyBound, debounced(onQueue: false),
    debounced(onQueue: true),
  ]

  // MARK: Four cells

  private static let combinedOnQueue = Workload(
    "compared.combine.queue",
    "Sending to four cells in turn, while a reader of all four follows on a queue",
    per: "send",
    comparedTo: "newest value by hand",
    [
      .ours("combineLatest", 500_000) { n in
        let (cells, tally) = (fourCells(), Tally(until: n - 1))
        let token = combineLatest(cells[0], cells[1], cells[2], cells[3]).observe(on: queue) {
          tally.receive(max(max($0, $1), max($2, $3)))
        }
        await cells[0].settled()
        let sample = timed {
          for i in 0..<n { cells[i & 3].send(i) }
        }
        await tally.isDone()
        token.cancel()
        return sample
      },
      .baseline("newest value by hand", 1_000_000) { n in
        let tally = Tally(until: n - 1)
        let slot = QueueSlot(DispatchQueue(label: "reader"), tally.handler)
        let list = LockedList(4) { slot.send($0.max() ?? -1) }
        let sample = timed {
          for i in 0..<n { list.send(i, to: i & 3) }
        }
        await tally.isDone()
        return sample
      },
    ]
  )

  private static let combinedInLoop = Workload(
    "compared.combine.loop",
    "Every state of four cells, streamed: all are already written",
    per: "value",
    comparedTo: "combineLatest",
    [
      .ours("combineLatest", 50_000) { n in
        let cells = fourCells()
        let states = combineLatest(cells[0], cells[1], cells[2], cells[3]).values(backlog: .unbounded)
        for i in 0..<n { cells[i & 3].send(i) }
        for cell in cells { cell.finish() }
        var sum = 0
        let stopwatch = Stopwatch()
        for await state in states { sum += max(max(state.0, state.1), max(state.2, state.3), 0) }
        let sample = stopwatch.sample
        try expect(sum, equals: n * (n - 1) / 2, "the sum of the values")
        return sample
      }
    ]
  )

  private static func fourCells() -> [BindableActor<Int>] { (0..<4).map { _ in BindableActor(-1) } }

  private static var queue: DeliveryContext { .queue(DispatchQueue(label: "reader")) }

  // MARK: A switch

  private static let switchedInLoop = Workload(
    "compared.switch.loop",
    "Every value of the newest of two sources, for a loop, with a switch each 100 values",
    per: "value",
    comparedTo: "closure and batch mailbox by hand",
    [
      .ours("switchToLatest", 20_000) { n in
        let (rooms, room) = ([BindableActor(-1), BindableActor(-1)], BindableActor(1))
        let (values, tally) = (
          room.flatMapLatest { rooms[$0] }.values(backlog: .unbounded), Tally(until: n - 1)
        )
        let loop = Task { for await value in values { tally.receive(value) } }
        while room.observerCount == 0 { await Task.yield() }
        await room.settled()
        let stopwatch = Stopwatch()
        for begin in stride(from: 0, to: n, by: 100) {
          let next = begin / 100 & 1
          rooms[next].send(begin)
          room.send(next)
          // Waits for the switch: some values that are sent to a source before the switch are not delivered.
          await room.settled()
          for i in begin + 1..<begin + 100 { rooms[next].send(i) }
          await rooms[next].settled()
        }
        await tally.isDone()
        let sample = stopwatch.sample
        try tally.expectAll(n)
        loop.cancel()
        await loop.value
        return sample
      },
      .baseline("closure and batch mailbox by hand", 200_000) { n in
        let (mailbox, tally) = (Mailbox(), Tally(until: n - 1))
        let loop = Task {
          while let batch = await mailbox.next() {
            for value in batch { tally.receive(value) }
          }
        }
        let rooms = LockedSwitch([-1, -1], newest: 1, mailbox.send)
        let stopwatch = Stopwatch()
        for begin in stride(from: 0, to: n, by: 100) {
          let next = begin / 100 & 1
          rooms.send(begin, to: next)
          rooms.select(next)
          for i in begin + 1..<begin + 100 { rooms.send(i, to: next) }
        }
        await tally.isDone()
        let sample = stopwatch.sample
        mailbox.finish()
        await loop.value
        try tally.expectAll(n)
        return sample
      },
    ]
  )

  // MARK: Collections

  private static let editedInLoop = Workload(
    "compared.edit.loop",
    "Single edits at the end of an array of \(grouped(100_000)), each until the next element of a loop",
    per: "edit",
    comparedTo: "array and a log under a Mutex",
    [
      .ours("changes", 50_000) { n in
        let board = BindableArray(0..<100_000)
        var changes = board.changes.values.makeAsyncIterator()
        // The first change is the whole array.
        _ = await changes.next()
        var count = 0
        let stopwatch = Stopwatch()
        for i in 0..<n / 2 {
          board.append(i)
          count += await changes.next()?.edits?.count ?? 0
          board.remove(at: 100_000)
          count += await changes.next()?.edits?.count ?? 0
        }
        let sample = stopwatch.sample
        try expect(count, equals: n / 2 * 2, "edits")
        return sample
      },
      .baseline("array and a log under a Mutex", 200_000) { n in
        let mailbox = Mailbox()
        let array = LoggedArray(0..<100_000, { $0() }) { mailbox.send($0.count) }
        var (count, batch) = (0, [Int]())
        let stopwatch = Stopwatch()
        for i in 0..<n / 2 {
          array.append(i)
          batch = await mailbox.next(batch) ?? []
          count += batch.first ?? 0
          _ = array.removeLast()
          batch = await mailbox.next(batch) ?? []
          count += batch.first ?? 0
        }
        let sample = stopwatch.sample
        try expect(count, equals: n / 2 * 2, "edits")
        return sample
      },
    ]
  )

  private static let keyBound = Workload(
    "compared.key.bind",
    "Observing one key of 10,000 on a context, and cancelling: each key has a watcher already",
    per: "pair",
    comparedTo: "closures by key under a Mutex",
    [
      .ours("a key", 50_000) { n in
        let (prices, context) = (BindableDictionary(Keying.entries(keys)), PumpedContext())
        let on = context.context
        let tokens = (0..<keys).map { prices.source(forKey: $0).observe(on: on) { _ in } }
        context.run()
        let sample = timed {
          for i in 0..<n {
            prices.source(forKey: i &* Keying.step % keys).observe(on: on) { _ in }.cancel()
            context.run()
          }
        }
        try expect(prices.observerCount, equals: keys, "observers that are left")
        withExtendedLifetime(tokens) {}
        return sample
      },
      .baseline("closures by key under a Mutex", 100_000) { n in
        let context = PumpedContext()
        let prices = KeyHandlers(Keying.entries(keys), context.schedule)
        for key in 0..<keys { prices.add(for: key) { _ in } }
        return timed {
          for i in 0..<n {
            let key = i &* Keying.step % keys
            prices.add(for: key) { _ in }
            prices.removeLast(for: key)
          }
        }
      },
    ]
  )

  private static let keys = 10_000

  // MARK: Time

  private static func debounced(onQueue: Bool) -> Workload {
    Workload(
      onQueue ? "compared.debounce.queue" : "compared.debounce.inPlace",
      "A hundred values in a row, until the last is delivered \(onQueue ? "on a queue" : "in place")",
      per: "value",
      comparedTo: "one task by hand",
      [
        .ours("debounce", 40_000) { n in
          let (cell, clock, newest) = (BindableActor(-1), ManualClock(), Relaying.Newest())
          let token = cell.debounce(for: .seconds(1), clock: clock)
            .observe(on: onQueue ? queue : .immediate) { newest.receive($0) }
          await cell.settled()
          let sample = try await bursts(n, clock, newest, send: cell.send) { await cell.settled() }
          token.cancel()
          return sample
        },
        .baseline("one task by hand", 200_000) { n in
          let (clock, newest) = (ManualClock(), Relaying.Newest())
          let queue = DispatchQueue(label: "reader")
          let debounce = LockedDebounce(for: .seconds(1), clock) { value in
            if onQueue { queue.async { newest.receive(value) } } else { newest.receive(value) }
          }
          return try await bursts(n, clock, newest, send: debounce.send) {}
        },
      ]
    )
  }

  // `looked` returns when the operator has read the last value of a burst. That value then waits for the clock.
  private static func bursts(
    _ n: Int,
    _ clock: ManualClock,
    _ newest: Relaying.Newest,
    send: (Int) -> Void,
    looked: () async -> Void
  ) async throws -> Sample {
    let stopwatch = Stopwatch()
    for begin in stride(from: 0, to: n, by: 100) {
      for i in begin..<begin + 100 { send(i) }
      await looked()
      clock.advance(by: .seconds(1))
      try newest.wait(for: begin + 99)
    }
    let sample = stopwatch.sample
    try expect(newest.count, equals: n / 100, "values delivered")
    return sample
  }
}
