import ActorBindings
import Testing

@Suite
struct DerivingTests {
  private let cell = BindableActor(1)

  @Test
  func `a derived cell follows its source, and computes each value once`() async {
    let computed = Counter()
    let tens = BindableActor(
      of: cell.map { number in
        computed.add()
        return number * 10
      }
    )
    #expect(tens.value == 10)
    #expect(tens.version == 0)
    #expect(computed.value == 1)
    var iterators = (0..<5).map { _ in tens.values.makeAsyncIterator() }
    for index in iterators.indices { #expect(await iterators[index].next() == 10) }
    cell.send(2)
    for index in iterators.indices { #expect(await iterators[index].next() == 20) }
    await cell.settled()
    #expect(tens.value == 20)
    #expect(computed.value == 2)
    #expect(cell.observerCount == 1)
  }

  @Test
  func `a derived cell with an unbounded backlog publishes every value`() async {
    let doubled = BindableActor(of: cell.map { $0 * 2 }, backlog: .unbounded)
    let stream = doubled.values(backlog: .unbounded)
    for number in 2...100 { cell.send(number) }
    cell.finish()
    #expect(await stream.elements() == (1...100).map { $0 * 2 })
    #expect(doubled.isFinished)
  }

  @Test
  func `a derived cell stops when it is released, and finishes with its source`() async {
    var derived: BindableActor? = BindableActor(of: combineLatest(cell, cell.map { -$0 }).map { $0 + $1 })
    #expect(derived?.value == 0)
    weak let weakly = derived
    derived = nil
    // A job of the derived cell may be running, and holds the cell.
    await eventually { weakly == nil }
    cell.send(2)
    await eventually { cell.observerCount == 0 }

    var source: BindableActor? = BindableActor("a")
    let copy = source.map { BindableActor(of: $0) }
    source?.send("b")
    source = nil
    await eventually { copy?.isFinished == true }
    #expect(copy?.value == "b")
  }

  @Test(arguments: [false, true])
  func `G9 a derived cell leaves its source when it dies or finishes, without another value`(dies: Bool) async
  {
    let source = BindableActor(1)
    var states: BindableActor<Int>? = BindableActor(of: source)
    var events: BindableActor<Int?>? = BindableActor(of: source.filter { $0 > 5 })
    await eventually { source.observerCount == 2 }
    if dies {
      (states, events) = (nil, nil)
    } else {
      states?.finish()
      events?.finish()
    }
    await eventually { source.observerCount == 0 }
    withExtendedLifetime((states, events)) {}
  }

  @Test
  func `a derived cell of a source without a value holds nil until there is one`() async {
    let even: BindableActor<Int?> = BindableActor(of: cell.filter { $0.isMultiple(of: 2) })
    await cell.settled()
    #expect(even.value == nil)
    cell.send(2)
    cell.send(3)
    cell.send(4)
    #expect(await even.first { $0 == 4 } == 4)
  }

  @Test
  func `a derived cell of a source that is no state ends with its last value, or with nil`() async {
    let (source, none) = (BindableActor(2), BindableActor(1))
    let even: BindableActor<Int?> = BindableActor(of: source.filter { $0.isMultiple(of: 2) })
    let values = even.values(backlog: .unbounded)
    source.finish()
    #expect(await values.elements().last == 2)
    let never: BindableActor<Int?> = BindableActor(of: none.filter { $0.isMultiple(of: 2) })
    none.finish()
    #expect(await never.values.elements().last == .some(nil))
    #expect(never.isFinished)
  }

  @Test
  func `a derived cell misses no change that comes while it is made`() async {
    for round in 0..<200 {
      let source = BindableActor(0)
      async let writing: Void = Task.detached { source.send(round + 1) }.value
      let derived = BindableActor(of: source)
      await writing
      await source.settled()
      #expect(derived.value == round + 1)
    }
  }

  @Test
  func `a read-only view reads its cell, and does not keep it alive`() async {
    var cell: BindableActor? = BindableActor(1)
    guard let source: any StateSource<Int> = cell?.readOnly else { return }
    cell?.send(2)
    #expect(source.value == 2)
    weak let weakly = cell
    cell = nil
    #expect(weakly == nil)
    #expect(source.value == 2)
  }

  @Test
  func `a derived cell has the initial value until its source has one`() async {
    let events = EventSource<Int>()
    let newest = BindableActor(initially: -1, of: events)
    #expect(newest.value == -1)
    events.send(5)
    await eventually { newest.value == 5 }
    #expect(newest.version == 1)
    events.finish()
    await eventually { newest.isFinished }
    #expect(newest.value == 5)
  }

  @Test
  func `a derived cell with an initial value begins with the value of its source`() async {
    let even = BindableActor(initially: -1, of: cell.filter { $0 % 2 == 1 }, backlog: .unbounded)
    #expect(even.value == 1)
    #expect(even.version == 0)
    let stream = even.values(backlog: .unbounded)
    for number in 2...5 { cell.send(number) }
    cell.finish()
    #expect(await stream.elements() == [1, 3, 5])
    let empty = BindableActor(initially: -1, of: AnyBindingSource.empty)
    await eventually { empty.isFinished }
    #expect(empty.value == -1)
  }
}
