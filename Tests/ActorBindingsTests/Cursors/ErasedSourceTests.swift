import ActorBindings
import Testing

/// Checks that what a type-erased source delivers is what the source delivers.
@Suite
struct ErasedSourceTests {
  private let cell = BindableActor(0)
  private let other = BindableActor(0)

  /// Lets an observer and a loop read a source, and the same source erased, while both cells are written.
  private func expectSame<Source: BindingSource>(
    _ source: Source,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async where Source.Value: Equatable {
    for backlog in [Backlog.latest, .bounded(2), .bounded(3), .unbounded] {
      let erased = AnyBindingSource(source)
      let readers: [any Reader<Source.Value>] = [
        ObservingReader(source, backlog), ObservingReader(erased, backlog),
        StreamingReader(source, backlog), StreamingReader(erased, backlog),
      ]
      func read() async {
        for reader in readers { await reader.read() }
      }
      await read()
      for burst in [[1], [2, 3, 4, 5], [5, 6], []] {
        for number in burst {
          cell.send(number)
          if number % 2 == 0 { other.send(number) }
        }
        await read()
      }
      #expect(readers[0].readings.isEmpty == false, sourceLocation: sourceLocation)
      #expect(readers[1].readings == readers[0].readings, "\(backlog)", sourceLocation: sourceLocation)
      #expect(readers[3].readings == readers[2].readings, "\(backlog)", sourceLocation: sourceLocation)
    }
  }

  @Test
  func `readers receive the same values, versions and numbers of skipped updates, behind every operator`()
    async
  {
    await expectSame(cell)
    await expectSame(cell.map { -$0 })
    await expectSame(cell.filter { $0 % 2 == 0 })
    await expectSame(cell.compactMap { $0 % 3 == 0 ? $0 : nil })
    await expectSame(cell.removeDuplicates { $0 / 2 == $1 / 2 })
    await expectSame(cell.dropFirst())
    await expectSame(cell.scan(0, +))
    await expectSame(cell.prefix(3))
    await expectSame(cell.withPrevious().map { [$0.old ?? -1, $0.new] })
  }

  @Test
  func `readers receive the same from combinations`() async {
    await expectSame(combineLatest(cell, other).map { [$0, $1] })
    await expectSame(combineLatest(cell, cell.map { -$0 }).map { $0 + $1 })
    await expectSame(merge(cell, other))
    await expectSame(zip(cell, other).map { [$0, $1] })
  }

  @Test
  func `a combination of erased sources delivers what a combination of these sources delivers`() async {
    let (left, right) = (cell.erased(), other.filter { $0 % 4 != 2 }.erased())
    await expectSameResults(
      combineLatest(cell, other.filter { $0 % 4 != 2 }).map { [$0, $1] },
      combineLatest(left, right).map { [$0, $1] }
    )
    await expectSameResults(
      merge(cell, other.filter { $0 % 4 != 2 }).map { [$0] },
      merge(left, right).map { [$0] }
    )
    await expectSameResults(
      zip(cell, other.filter { $0 % 4 != 2 }).map { [$0, $1] },
      zip(left, right).map { [$0, $1] }
    )
    let joint = combineLatest(cell, other).map { [$0, $1] }
    await expectSameResults(
      combineLatest(joint, cell).map { $0 + [$1] },
      combineLatest(joint.erased(), left).map { $0 + [$1] }
    )
  }

  private func expectSameResults(
    _ plain: some BindingSource<[Int]>,
    _ erased: some BindingSource<[Int]>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    for backlog in [Backlog.latest, .bounded(2), .unbounded] {
      let readers: [any Reader<[Int]>] = [
        ObservingReader(plain, backlog), ObservingReader(erased, backlog),
        StreamingReader(plain, backlog), StreamingReader(erased, backlog),
      ]
      for burst in [[], [1], [2, 3, 4, 5], [6]] {
        for number in burst {
          cell.send(number)
          if number % 2 == 0 { other.send(number) }
        }
        for reader in readers { await reader.read() }
      }
      #expect(readers[0].readings.isEmpty == false, sourceLocation: sourceLocation)
      #expect(readers[1].readings == readers[0].readings, "\(backlog)", sourceLocation: sourceLocation)
      #expect(readers[3].readings == readers[2].readings, "\(backlog)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `no reader of a combination of erased sources sees half of a transaction`(backlog: Backlog) async {
    let (left, right) = (cell.map { $0 }.erased(), other.erased())
    let (torn, seen) = (Counter(), Counter())
    let sums = combineLatest(left, right, left).values(backlog: backlog)
    let loop = Task {
      for await (first, second, third) in sums {
        if first != -second || first != third { torn.add() }
        seen.set(first)
      }
    }
    await concurrently(3) { [cell, other] index in
      await repeatedly(300) { round in
        BindingTransaction.run { transaction in
          transaction[cell] += index + round
          transaction[other] = -transaction[cell]
        }
      }
    }
    cell.finish()
    other.finish()
    await loop.value
    #expect(torn.value == 0)
    #expect(seen.value == cell.value)
  }

  @Test
  func `each reader of an erased source has its own operators`() async {
    let changes = cell.removeDuplicates().scan(0) { sum, _ in sum + 1 }.erased()
    let early = StreamingReader(changes, .unbounded)
    cell.send(1)
    let late = StreamingReader(changes, .unbounded)
    cell.send(2)
    early.read()
    late.read()
    #expect(early.readings.map(\.value) == [1, 2, 3])
    #expect(late.readings.map(\.value) == [1, 2])
  }

  @Test
  func `the value of an erased state is current, and erasing twice changes nothing`() {
    let canSubmit: AnyStateSource<Bool> = combineLatest(cell, other).map { $0 > $1 }.erased()
    #expect(!canSubmit.value)
    cell.send(1)
    #expect(canSubmit.value)
    #expect(canSubmit.erased().map { !$0 }.value == false)
    #expect("\(canSubmit.erased())" == "a source of Bool")
    #expect("\(AnyBindingSource(canSubmit).erased())" == "a source of Bool")
  }

  @Test
  func `unlike sources share an array, and end one by one`() async {
    let events = EventSource<Int>()
    let sources: [AnyBindingSource<Int>] = [
      AnyBindingSource(cell), events.filter { $0 > 0 }.erased(), cell.dropFirst().erased(),
    ]
    let (seen, context) = (Recorder<[Int]>(), ManualContext())
    let tokens = sources.enumerated().map { index, source in
      source.observe(on: context.delivery, backlog: .unbounded) { seen.record([index, $0]) }
    }
    cell.send(1)
    events.send(0)
    events.send(2)
    context.run()
    #expect(Set(seen.elements) == [[0, 0], [0, 1], [1, 2], [2, 1]])
    cell.finish()
    context.run()
    #expect(cell.observerCount == 0)
    #expect(events.observerCount == 1)
    tokens.forEach { $0.cancel() }
    context.run()
    #expect(events.observerCount == 0)
  }

  @Test
  func `an erased source keeps what its source keeps, and nothing else`() {
    weak var kept: BindableActor<Int>?
    weak var unkept: BindableActor<Int>?
    var sources: [AnyBindingSource<Int>] = []
    var state: AnyStateSource<Int>?
    do {
      let (first, second) = (BindableActor(1), BindableActor(2))
      (kept, unkept) = (first, second)
      state = first.map { $0 }.keeping(first).erased()
      if let state { sources = [AnyBindingSource(state).erased(), AnyBindingSource(second)] }
    }
    #expect(unkept == nil)
    state = nil
    #expect(kept != nil)
    withExtendedLifetime(sources) {}
    sources = []
    #expect(kept == nil)
  }

  @Test
  func `update waits for the observers of an erased source on the cell`() async {
    let seen = Recorder<Int>()
    let token = cell.map { $0 * 10 }.erased().observe(on: .cell) { seen.record($0) }
    await cell.settled()
    await cell.update(1)
    #expect(seen.elements.last == 10)
    token.cancel()
  }

  @Test
  func `only a write to its key wakes a reader of an erased key`() async {
    let prices = BindableDictionary(["a": 1, "b": 1])
    let source = prices.source(forKey: "a").erased()
    let wakes = Counter()
    let witness = EndWaiter { wakes.add() }
    var iterator = source.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == 1)
    source.cursor.root.cell.locked { $0.parked(witness) }
    prices.set(2, forKey: "b")
    #expect(wakes.value == 0)
    prices.set(3, forKey: "a")
    #expect(await iterator.next() == 3)
  }

  @Test
  func `a switch and a timer work behind and before erasure`() async {
    let clock = ManualClock()
    let choice = BindableActor(true)
    let switched = choice.map { [cell, other] isFirst in (isFirst ? cell : other).map { $0 }.erased() }
      .erased().switchToLatest().erased()
    var iterator = switched.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == 0)
    cell.send(1)
    #expect(await iterator.next() == 1)
    other.send(7)
    choice.send(false)
    #expect(await iterator.next() == 7)
    let throttled = cell.erased().throttle(for: .seconds(1), clock: clock).erased()
    var late = throttled.values.makeAsyncIterator()
    #expect(await late.next() == 1)
    cell.send(2)
    await clock.slept(1)
    clock.advance(by: .seconds(1))
    #expect(await late.next() == 2)
  }

  @Test
  func `an observation of an erased source releases its captures when it ends`() async {
    let captures = Census()
    let source = cell.filter { $0 >= 0 }.erased()
    let token = source.observe(on: .cell) { [citizen = captures.citizen()] _ in _ = citizen }
    await cell.settled()
    await token.cancelAndWait()
    #expect(captures.alive == 0)
    withExtendedLifetime((source, token)) {}
  }
}
