import ActorBindings
import Testing

/// Which writes of the inner source come before a switch, whatever kinds of cells the sources are.
@Suite
struct SwitchOrderTests {
  private let seen = Recorder<Int>()
  private let here = DeliveryContext(id: 0) { $0() }

  private func observe(_ source: some BindingSource<Int>) -> BindingToken {
    source.observe(on: here, backlog: .unbounded) { [seen] in seen.record($0) }
  }

  @Test(arguments: 0..<20)
  func `a transaction that switches by a key delivers nothing that it writes to the old source`(
    number: Int
  ) async {
    // The addresses of the cells decide which of them the transaction publishes first. So there are many cells.
    let rooms = (0..<4).map { BindableActor($0 * 10) }
    let names = BindableDictionary(["room": 0])
    let others = (0..<number).map { BindableActor($0) }
    let token = observe(names.source(forKey: "room").flatMapLatest { rooms[$0 ?? 0] })
    await names.settled()
    for room in 1..<4 {
      BindingTransaction.run { transaction in
        transaction[names]["room"] = room
        transaction[rooms[room - 1]] = -1
      }
      await names.settled()
    }
    #expect(seen.elements == [0, 10, 20, 30])
    withExtendedLifetime(others) { token.cancel() }
  }

  @Test
  func `values of a key from before a switch are delivered, and those after it are not`() async {
    let prices = BindableDictionary(["a": 1, "b": 10])
    let outer = BindableActor("a")
    let context = ManualContext()
    let token = outer.flatMapLatest { prices.source(forKey: $0).compactMap(\.self) }
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    for value in 2...4 { prices.set(value, forKey: "a") }
    prices.modify { $0["a"] = 5 }
    outer.send("b")
    prices.set(6, forKey: "a")
    await outer.settled()
    await prices.settled()
    context.run()
    #expect(seen.elements == [1, 2, 3, 4, 5, 10])
    token.cancel()
  }

  @Test
  func `values of a combination from before a switch are delivered, and those after it are not`() async {
    let (left, right, outer) = (BindableActor(1), BindableActor(0), BindableActor(0))
    let context = ManualContext()
    let token = outer.map { _ in combineLatest(left, right).map { $0 + $1 } }.switchToLatest()
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    left.send(2)
    right.send(1)
    outer.send(1)
    left.send(10)
    await outer.settled()
    await left.settled()
    context.run()
    // The new combination shows what is current.
    #expect(seen.elements == [1, 2, 3, 11])
    token.cancel()
  }

  // One update of both cells makes two elements.
  @Test
  func `both values of a transaction from before a switch are delivered`() async {
    let (left, right, outer) = (BindableActor(0), BindableActor(1), BindableActor(0))
    let last = BindableActor(100)
    let context = ManualContext()
    let token = outer.flatMapLatest { $0 == 0 ? merge(left, right).erased() : last.erased() }
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    BindingTransaction.run { transaction in
      transaction[left] = 2
      transaction[right] = 3
    }
    outer.send(1)
    left.send(10)
    await outer.settled()
    await left.settled()
    context.run()
    #expect(seen.elements == [1, 2, 3, 100])
    token.cancel()
  }

  // The update of the side that has ended makes no element, and comes before the switch.
  @Test(arguments: [false, true])
  func `a merge with a side that has ended delivers nothing from after a switch`(isList: Bool) async {
    let (left, right, outer, last) = (BindableActor(0), BindableActor(0), BindableActor(0), BindableActor(9))
    let context = ManualContext()
    let merged =
      isList
      ? merge([left.prefix(1), right.prefix(100)]).erased()
      : merge(left.prefix(1), right).erased()
    let token = outer.flatMapLatest { $0 == 0 ? merged : last.erased() }
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    left.send(1)
    outer.send(1)
    right.send(2)
    await outer.settled()
    await right.settled()
    context.run()
    #expect(seen.elements == [0, 9])
    token.cancel()
  }

  @Test
  func `one relay under both inner sources keeps its driver through a switch`() async {
    let (outer, cell, clock) = (BindableActor(0), BindableActor(0), ManualClock())
    let drivers = Counter()
    let shared = cell.map { value in
      if value == 0 { drivers.add() }
      return value
    }
    .throttle(for: .seconds(1), clock: clock)
    let context = ManualContext()
    let switched = outer.flatMapLatest { number in shared.map { $0 + number } }
    let token = switched.observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await cell.settled()
    context.run()
    for number in 1...3 {
      outer.send(10 * number)
      await outer.settled()
    }
    context.run()
    #expect(seen.elements == [0, 10, 20, 30])
    #expect(drivers.value == 1)
    token.cancel()
  }

  @Test
  func `an outer source that begins with several sources switches to the last of them`() async {
    let rooms = (0..<3).map { BindableActor(10 * $0) }
    let outer = merge(rooms.map { BindableActor($0).readOnly })
    let token = outer.switchToLatest().observe(on: here, backlog: .unbounded) { [seen] in seen.record($0) }
    await eventually { rooms[2].observerCount == 1 }
    await eventually { rooms[0].observerCount == 0 && rooms[1].observerCount == 0 }
    rooms[0].send(1)
    rooms[1].send(11)
    rooms[2].send(21)
    await rooms[2].settled()
    #expect(seen.last == 21)
    #expect(!seen.elements.contains(1) && !seen.elements.contains(11))
    token.cancel()
  }

  @Test
  func `a switch comes though the old source is written all the time and an operator rejects all of it`()
    async
  {
    let (outer, old, new) = (BindableActor(0), BindableActor(0), BindableActor(10))
    let isOver = Flag()
    let rejecting = old.filter { value in
      // There is always another value to reject.
      if value > 0, !isOver.isSet { old.send(value + 1) }
      return value == 0
    }
    let switched = outer.map { $0 == 0 ? rejecting.erased() : new.erased() }.switchToLatest()
    let token = switched.observe(on: .queue(Station().queue), backlog: .unbounded) { [seen] in seen.record($0)
    }
    await outer.settled()
    old.send(1)
    outer.send(1)
    await seen.reached(2)
    #expect(seen.elements == [0, 10])
    isOver.set()
    token.cancel()
    await eventually { old.observerCount == 0 }
  }
}
