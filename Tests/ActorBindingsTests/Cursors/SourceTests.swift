import ActorBindings
import Testing

/// Sources as values: which have a `value`, what a source keeps alive, and where closures run.
@Suite
struct SourceTests {
  private struct User: Sendable, Equatable {
    var name = "Ada"
    var age = 36
    var city: City?
  }

  private struct City: Sendable, Equatable {
    var name: String
  }

  @Test
  func `a source mapped by a closure, or by a key path, has a value that follows the cell`() {
    let cell = BindableActor(User())
    let path: any KeyPath<User, String> & Sendable = \.name
    let byClosure = cell.map { $0.name }
    let byLiteral = cell.map(\.name)
    let byValue = cell.map(path)
    for source in [byClosure, byLiteral, byValue] { #expect(source.value == "Ada") }
    cell.modify { $0.name = "Grace" }
    for source in [byClosure, byLiteral, byValue] { #expect(source.value == "Grace") }
  }

  @Test
  func `states of states have a value`() {
    let cell = BindableActor(User())
    let initial: some StateSource<Character?> = cell.map(\.name).removeDuplicates().map(\.first)
    #expect(initial.value == "A")
    let absolute: any StateSource<Int> = cell.map(\.age).removeDuplicates(by: ==)
    #expect(absolute.value == 36)
  }

  @Test
  func `a cell without a value yet: compactMap begins with the first real one`() {
    let cell = BindableActor<User?>()
    #expect(cell.value == nil)
    let context = ManualContext()
    let seen = Recorder<Reading<User>>()
    let token = cell.compactMap { $0 }.versioned().observe(on: context.delivery, backlog: .unbounded) {
      seen.record(Reading($0))
    }
    context.run()
    #expect(seen.elements.isEmpty)
    cell.send(nil)
    cell.send(User())
    cell.send(nil)
    cell.send(User(name: "Grace"))
    context.run()
    #expect(seen.elements == [Reading(User(), version: 2), Reading(User(name: "Grace"), version: 4)])
    token.cancel()
  }

  @Test
  func `nil is a value like any other, also for removeDuplicates`() {
    let cell = BindableActor<Int?>()
    let reader = StreamingReader(cell.removeDuplicates(), .unbounded)
    [nil, 1, 1, nil, nil, 2].forEach(cell.send)
    reader.read()
    #expect(reader.readings.map(\.value) == [nil, 1, nil, 2])
    #expect(reader.readings.map(\.version) == [0, 2, 4, 6])
  }

  @Test
  func `each reader of removeDuplicates compares with what it received itself`() {
    let cell = BindableActor(0)
    let source = cell.removeDuplicates()
    let first = StreamingReader(source, .unbounded)
    first.read()
    cell.send(0)
    let second = StreamingReader(source, .unbounded)
    first.read()
    second.read()
    #expect(first.readings.map(\.version) == [0])
    #expect(second.readings.map(\.version) == [1])
  }

  @Test
  func `a source keeps no cell, and has its last value after the cell's end`() {
    weak var gone: BindableActor<User>?
    let name: any StateSource<String>
    do {
      let cell = BindableActor(User())
      gone = cell
      name = cell.map(\.name)
      cell.send(User(name: "Grace"))
    }
    #expect(gone == nil)
    #expect(name.value == "Grace")
  }

  @Test
  func `a source does no work until it is read, and works for each reader`() {
    let runs = Counter()
    let cell = BindableActor(0)
    let source = cell.map { value in
      runs.add()
      return value
    }
    (1...10).forEach(cell.send)
    #expect(runs.value == 0)
    let context = ManualContext()
    let tokens = (0..<2).map { _ in source.observe(on: context.delivery) { _ in } }
    context.run()
    #expect(runs.value == 2)
    #expect(source.value == 10)
    #expect(runs.value == 3)
    withExtendedLifetime(tokens) {}
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `operators run their closures under no lock: they may do anything to the cell`(backlog: Backlog) {
    let cell = BindableActor(0)
    let touch: @Sendable () -> Void = { [unowned cell] in
      _ = (cell.value, cell.version, cell.observerCount, cell.isFinished)
      _ = cell.compareAndSet(-1, -2)
      cell.sendIfChanged(min(cell.value + 1, 20))
      cell.observe(on: .cell) { _ in }.cancel()
    }
    let source =
      cell
      .map { value in
        touch()
        return value
      }
      .filter { _ in
        touch()
        return true
      }
      .compactMap { value -> Int? in
        touch()
        return value
      }
      .removeDuplicates { left, right in
        touch()
        return left == right
      }
    let loop = StreamingReader(source, backlog)
    let observer = ObservingReader(source, backlog)
    // Each read of the source writes to the cell, until the cell holds 20.
    loop.read()
    #expect(loop.readings.first?.value == 0)
    #expect(loop.readings.last == loop.readings.max { $0.version < $1.version })
    #expect(loop.readings.last?.value == 20)
    observer.read()
    #expect(observer.readings.last?.value == 20)
  }
}
