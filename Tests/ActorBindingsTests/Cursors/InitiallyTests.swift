import ActorBindings
import Testing

@Suite
struct InitiallyTests {
  private let cell = BindableActor(0)

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `a reader that begins without a value receives the initial value first`(backlog: Backlog) {
    let reader = StreamingReader(cell.filter { $0 % 2 == 1 }.orInitially(-1), backlog)
    let observer = ObservingReader(cell.filter { $0 % 2 == 1 }.orInitially(-1), backlog)
    for number in 0...3 {
      if number > 0 { cell.send(number) }
      reader.read()
      observer.read()
    }
    let expected = [
      Reading(-1, version: 0, isInitial: true), Reading(1, version: 1), Reading(3, version: 3),
    ]
    #expect(reader.readings == expected)
    #expect(observer.readings == expected)
  }

  @Test
  func `a reader that begins with a value receives no initial value`() {
    cell.send(1)
    let reader = StreamingReader(cell.filter { $0 % 2 == 1 }.orInitially(-1), .unbounded)
    cell.send(2)
    reader.read()
    #expect(reader.readings.map(\.value) == [1])
  }

  @Test
  func `a source that ends without a value delivers the initial value, and ends`() async {
    #expect(await AnyBindingSource<Int>.empty.orInitially(7).values.elements() == [7])
    let events = EventSource<Int>()
    let values = events.orInitially(7).values(backlog: .unbounded)
    events.send(8)
    events.finish()
    #expect(await values.elements() == [7, 8])
  }

  @Test
  func `a combination begins with the initial value`() async {
    let events = EventSource<Int>()
    let sums = combineLatest(cell, events.orInitially(100)).map { $0 + $1 }
    var iterator = sums.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == 100)
    events.send(200)
    #expect(await iterator.next() == 200)
  }

  @Test(arguments: [false, true])
  func `behind merge there is no initial value if any of its sources has a value`(isList: Bool) async {
    let (events, cell) = (EventSource<Int>(), BindableActor(1))
    let state = cell.filter { _ in true }
    let merged =
      isList
      ? merge([events.filter { _ in true }.erased(), state.erased()]).erased() : merge(events, state).erased()
    var iterator = merged.orInitially(7).values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == 1)
    events.send(2)
    #expect(await iterator.next() == 2)
    let derived = BindableActor(initially: 7, of: merged)
    #expect(derived.value == 1)
    derived.finish()
    let ended = merge(cell.prefix(0), cell.prefix(0)).orInitially(7).values(backlog: .unbounded)
    var values: [Int] = []
    cell.finish()
    for await value in ended { values.append(value) }
    #expect(values == [7])
  }

  @Test
  func `behind debounce the initial value comes at once`() async {
    let clock = ManualClock()
    let debounced = cell.debounce(for: .seconds(1), clock: clock).orInitially(-1)
    var iterator = debounced.values.makeAsyncIterator()
    #expect(await iterator.next() == -1)
    await clock.slept(1)
    clock.advance(by: .seconds(1))
    #expect(await iterator.next() == 0)
  }

  @Test
  func `replaceNil replaces nil, and makes a state of a state`() async {
    let name = BindableActor<String?>(nil)
    let shown = name.replaceNil(with: "nobody")
    #expect(shown.value == "nobody")
    let values = shown.values(backlog: .unbounded)
    name.send("Ada")
    name.send(nil)
    name.finish()
    #expect(await values.elements() == ["nobody", "Ada", "nobody"])
  }
}
