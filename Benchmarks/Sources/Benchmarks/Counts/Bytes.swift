import ActorBindings

/// W8: the memory of each of 100,000 idle readers, including the allocator's own bytes.
enum Bytes {
  static let counts = [
    Count(
      "bytes.cell",
      "a cell of an Int",
      {
        var cells: [BindableActor<Int>] = []
        cells.reserveCapacity(many)
        return bytes(per: many) {
          for i in 0..<many { cells.append(BindableActor(i)) }
        }
      }
    ),
    Count(
      "bytes.observer",
      "an idle observer, with its handler and its token",
      target: 160,
      { observer(.latest) },
      [
        "dictionary under a Mutex": {
          let registry = Registry()
          let tally = Tally(until: -2)
          return bytes(per: many) {
            for _ in 0..<many { _ = registry.subscribe { tally.receive($0) } }
          }
        }
      ]
    ),
    Count("bytes.observer.unbounded", "an idle .unbounded observer", { observer(.unbounded) }),
    Count("bytes.stream", "a stream without a loop", target: 64, { stream(.latest) }),
    Count("bytes.stream.unbounded", "an .unbounded stream without a loop", { stream(.unbounded) }),
    Count(
      "bytes.iterator",
      "an iterator that is not used",
      {
        let cell = BindableActor(0)
        typealias Iterator = BindingStream<CellCursor<Int>>.Iterator
        var iterators: [Iterator] = []
        iterators.reserveCapacity(many)
        let found = bytes(per: many) {
          for _ in 0..<many { iterators.append(cell.values.makeAsyncIterator()) }
        }
        return found + Double(MemoryLayout<Iterator>.stride)
      },
      [
        "AsyncStream": {
          typealias Kept = (AsyncStream<Int>.Continuation, AsyncStream<Int>.Iterator)
          var iterators: [Kept] = []
          iterators.reserveCapacity(many)
          let found = bytes(per: many) {
            for _ in 0..<many {
              let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
              iterators.append((continuation, stream.makeAsyncIterator()))
            }
          }
          return found + Double(MemoryLayout<Kept>.stride)
        }
      ]
    ),
    Count(
      "bytes.parked",
      "a parked loop, beyond what its task costs",
      target: 120,
      {
        let cell = BindableActor(0)
        return parked(releasing: { cell.finish() }) { _ in
          for await _ in cell.values {}
        }
      },
      [
        "the bare task": { bare() },
        "watch by hand": {
          let watch = Watch(0)
          return parked(releasing: { watch.finish() }) { _ in
            var receiver = watch.receiver()
            while await receiver.next() != nil {}
          }
        },
        "AsyncStream": {
          let streams = (0..<many).map { _ in AsyncStream.makeStream(of: Int.self) }
          return parked(releasing: { for stream in streams { stream.continuation.finish() } }) { index in
            for await _ in streams[index].stream {}
          }
        },
      ]
    ),
    Count(
      "bytes.parked.merge",
      "a parked loop over a merge of three sources with operators, and that merge, beyond what its task costs",
      {
        let cells = (0..<3).map { BindableActor($0) }
        return parked(10_000, releasing: { for cell in cells { cell.finish() } }) { _ in
          let evens = cells[0].filter { $0.isMultiple(of: 2) }
          let texts = merge(evens, cells[1].map { -$0 }, cells[2]).map { "\($0)" }.removeDuplicates()
          for await text in texts.values where text.isEmpty {}
        }
      }
    ),
    Count("bytes.parked.operators", "a parked loop over map.filter.map, beyond what its task costs") {
      let cell = BindableActor(0)
      return parked(10_000, releasing: { cell.finish() }) { _ in
        for await _ in cell.map({ $0 &+ 1 }).filter({ $0 >= 0 }).map({ $0 &- 1 }).values {}
      }
    },
    Count("bytes.parked.map", "a parked loop over a map, beyond what its task costs") {
      let cell = BindableActor(0)
      return parked(10_000, releasing: { cell.finish() }) { _ in
        for await _ in cell.map({ $0 &+ 1 }).values {}
      }
    },
    Count("bytes.parked.erased", "a parked loop over map.filter.map, erased once, beyond what its task costs")
    {
      let cell = BindableActor(0)
      let source = cell.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &- 1 }.erased()
      return parked(10_000, releasing: { cell.finish() }) { _ in for await _ in source.values {} }
    },
    // The compiler does not know the size of an instant, because the type comes from a library that may change.
    Count(
      "bytes.parked.instants",
      "a parked loop over map.filter.map of an instant, beyond what its task costs"
    ) {
      let (cell, begin) = (BindableActor(ContinuousClock.now), ContinuousClock.now)
      return parked(10_000, releasing: { cell.finish() }) { _ in
        for await _ in cell.map({ $0 + .seconds(1) }).filter({ $0 > begin }).map({ $0 - .seconds(1) }).values
        {}
      }
    },
    Count(
      "bytes.dead",
      "what is left of an owner that died, after the next update",
      {
        final class Owner: Sendable {}
        let (cell, context) = (BindableActor(0), PumpedContext())
        cell.observe(Owner(), on: context.context) { _, _ in }
        context.run()
        var owners: [Owner] = []
        owners.reserveCapacity(10_000)
        return bytes(per: 10_000) {
          for _ in 0..<10_000 {
            let owner = Owner()
            owners.append(owner)
            cell.observe(owner, on: context.context) { _, _ in }
          }
          context.run()
          owners.removeAll(keepingCapacity: true)
          cell.send(1)
          context.run()
        }
      }
    ),
  ]

  /// The memory of loops over relays, which may allocate on other threads.
  static let relayed = [
    Count(
      "bytes.parked.throttle",
      "a parked loop over a throttle, and that throttle, beyond what its task costs"
    ) {
      let cell = BindableActor(0)
      return await parkedBehindRelay(of: [cell]) { cell.throttle(for: .seconds(1), clock: ManualClock()) }
    },
    Count(
      "bytes.parked.switch",
      "a parked loop over a switch to a merge of two cells, and that switch, beyond what its task costs"
    ) {
      let cells = (0..<3).map { BindableActor($0) }
      return await parkedBehindRelay(of: cells) { cells[0].flatMapLatest { _ in merge(cells[1], cells[2]) } }
    },
  ]

  private static let many = 100_000

  private static func stream(_ backlog: Backlog) -> Double {
    let cell = BindableActor(0)
    typealias Stream = BindingStream<CellCursor<Int>>
    var streams: [Stream] = []
    streams.reserveCapacity(many)
    let found = bytes(per: many) {
      for _ in 0..<many { streams.append(cell.values(backlog: backlog)) }
    }
    return found + Double(MemoryLayout<Stream>.stride)
  }

  private static func observer(_ backlog: Backlog) -> Double {
    let (cell, context) = (BindableActor(0), PumpedContext())
    let (tally, on) = (Tally(until: -2), context.context)
    var tokens: [BindingToken] = []
    tokens.reserveCapacity(many)
    return bytes(per: many) {
      for _ in 0..<many { tokens.append(cell.observe(on: on, backlog: backlog) { tally.receive($0) }) }
      context.run()
    }
  }

  // Returns the bytes of a task that waits in `loop`, less the bytes of a bare task.
  private static func parked(
    _ count: Int = many,
    releasing release: () -> Void,
    _ loop: @escaping @Sendable (Int) async -> Void
  ) -> Double {
    tasks(count, releasing: release, loop) - bare()
  }

  // Returns the bytes of a task that waits for a relay, with the relay, less the bytes of a bare task. Relays allocate on
  // other threads too, so all threads are counted when the relays have read `cells`.
  private static func parkedBehindRelay(
    of cells: [BindableActor<Int>],
    _ chain: @escaping @Sendable () -> some BindingSource<Int>
  ) async -> Double {
    let (count, bare) = (1_000, bare())
    let pump = Pump(room: count)
    let found = await bytesEverywhere(per: count) {
      for _ in 0..<count { Task(executorPreference: pump) { for await _ in chain().values {} } }
      pump.run()
      for cell in cells { await cell.settled() }
      pump.run()
    }
    for cell in cells { cell.finish() }
    for cell in cells { await cell.settled() }
    pump.run()
    return found - bare
  }

  // Returns the bytes of a task that waits in a bare continuation.
  private static func bare() -> Double {
    let waiting = Waiting(many)
    return tasks(many, releasing: { for continuation in waiting.continuations { continuation.resume() } }) {
      _ in
      await withUnsafeContinuation { waiting.continuations.append($0) }
    }
  }

  private static func tasks(
    _ count: Int,
    releasing release: () -> Void,
    _ body: @escaping @Sendable (Int) async -> Void
  ) -> Double {
    let pump = Pump(room: count)
    let found = bytes(per: count) {
      for index in 0..<count { Task(executorPreference: pump) { await body(index) } }
      pump.run()
    }
    release()
    pump.run()
    return found
  }

  // @unchecked: used by one thread.
  private final class Waiting: @unchecked Sendable {
    var continuations: [UnsafeContinuation<Void, Never>] = []

    init(_ count: Int) {
      continuations.reserveCapacity(count)
    }
  }
}
