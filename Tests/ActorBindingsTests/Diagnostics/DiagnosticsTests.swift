import ActorBindings
import Dispatch
import Testing

@Suite struct DiagnosticsTests {
  private let context = ManualContext()

  @Test func `a cell knows where it was created, and an observer where it began`() throws {
    let cell = BindableActor(1)
    let line = #line - 1
    #expect(cell.diagnostics.location?.description == "\(#fileID):\(line)")
    #expect(cell.diagnostics.kind == "BindableActor<Int>")
    let token = cell.observe(on: .immediate) { _ in }
    let observer = try #require(cell.diagnostics.observers.first)
    #expect(observer.location?.description == "\(#fileID):\(line + 4)")
    #expect(observer.context == "the thread of the writer")
    #expect(observer.backlog == .latest && !observer.endsWithOwner && !observer.isBusy)
    #expect(cell.diagnostics.observers.count == 1)
    token.cancel()
    #expect(cell.diagnostics.observers.isEmpty)
  }

  @Test func `every way to create a cell notes the place`() {
    let source = BindableActor(1)
    let line = #line + 1
    let places = [
      BindableActor<Int?>().diagnostics.location, BindableActor(of: source).diagnostics.location,
      BindableActor(initially: 2, of: source.filter { $0 > 5 }).diagnostics.location,
      BindableActor(of: source.filter { $0 > 5 }).diagnostics.location,
      BindableDictionary<Int, Int>().diagnostics.location, BindableDictionary([1: 1]).diagnostics.location,
      BindableArray<Int>().diagnostics.location, BindableArray([1]).diagnostics.location,
      EventSource<Int>().diagnostics.location,
    ]
    #expect(
      places.allSatisfy { $0?.fileID == #fileID && ($0?.line ?? 0) > line && ($0?.line ?? 0) < line + 7 }
    )
    // The compiler does not pass a place to an initializer that is used as a function.
    #expect(
      [1, 2].map(BindableActor.init).allSatisfy {
        $0.diagnostics.location?.description == "BindableActor.init"
      }
    )
  }

  @MainActor @Test func `every way to observe or bind notes the place`() throws {
    final class Target: Sendable {}
    let (cell, other, target) = (BindableActor(1), BindableActor(1), Target())
    let line = #line + 1
    let tokens = [
      cell.observe { _ in }, cell.observe(target) { _, _ in }, cell.observe(on: .immediate) { _ in },
      cell.observe(target, on: .immediate) { _, _ in }, cell.observe(with: other) { _, _ in },
      cell.observe(on: .global()) { _ in }, cell.observe(on: MainActor.shared) { _ in },
      cell.bind(to: other),
    ]
    let found = cell.diagnostics.observers
    #expect(found.count == tokens.count)
    #expect(
      found.allSatisfy {
        $0.location?.fileID == #fileID && (line + 1...line + 5).contains($0.location?.line ?? 0)
      }
    )
    #expect(
      Set(found.map(\.context)) == [
        "the actor MainActor", "the thread of the writer", "the actor BindableActor<Int>",
        "the queue com.apple.root.default-qos",
      ]
    )
    withExtendedLifetime((tokens, target)) {}
  }

  @Test func `the lag counts the updates since the newest that a handler received`() {
    let cell = BindableActor(0)
    let all = cell.observe(on: context.delivery, backlog: .unbounded) { _ in }
    context.run()
    #expect(cell.diagnostics.observers.map(\.lag) == [0])
    (1...5).forEach { cell.send($0) }
    #expect(cell.diagnostics.observers.map(\.lag) == [5])
    #expect(cell.diagnostics.keptUpdateCount == 5)
    context.run()
    #expect(cell.diagnostics.observers.map(\.lag) == [0])
    #expect(cell.diagnostics.keptUpdateCount == 0)
    withExtendedLifetime(all) {}
  }

  @Test func `a bounded observer keeps what it may receive`() {
    let cell = BindableActor(0)
    let token = cell.observe(on: context.delivery, backlog: .bounded(3)) { _ in }
    context.run()
    (1...5).forEach { cell.send($0) }
    let diagnostics = cell.diagnostics
    #expect(diagnostics.observers.map(\.backlog) == [.bounded(3)])
    #expect(diagnostics.observers.map(\.lag) == [5])
    #expect(diagnostics.keptUpdateCount == 3)
    withExtendedLifetime(token) {}
  }

  @Test func `a handler that runs is busy, and the updates since then are its lag`() {
    let cell = BindableActor(0)
    let seen = Guarded<[BindingDiagnostics.Observer]>([])
    let token = cell.observe(on: context.delivery, backlog: .unbounded) { value in
      guard value == 1 else { return }
      (2...4).forEach { cell.send($0) }
      seen.withLock { $0 = cell.diagnostics.observers }
    }
    context.run()
    cell.send(1)
    context.run()
    #expect(seen.withLock { $0.map(\.isBusy) } == [true])
    // The value 1, with which it is busy, counts too.
    #expect(seen.withLock { $0.map(\.lag) } == [4])
    #expect(cell.diagnostics.observers.map(\.isBusy) == [false])
    withExtendedLifetime(token) {}
  }

  @Test func `the backlog of an observer is described exactly, also while the handler runs`() async {
    let cell = BindableActor(0)
    let backlogs: Set<Backlog> = [
      .latest, .bounded(2), .bounded(254), .bounded(255), .bounded(256), .bounded(100_000), .unbounded,
    ]
    let seen = Guarded<Set<Backlog>>([])
    let tokens = backlogs.map {
      cell.observe(on: context.delivery, backlog: $0) { value in
        if value == 1 { seen.withLock { $0 = Set(cell.diagnostics.observers.map(\.backlog)) } }
      }
    }
    context.run()
    #expect(Set(cell.diagnostics.observers.map(\.backlog)) == backlogs)
    cell.send(1)
    context.run()
    #expect(seen.withLock { $0 } == backlogs)
    for token in tokens { await token.cancelAndWait() }
    #expect(cell.diagnostics.observers.isEmpty && cell.observerCount == 0)
  }

  @Test func `a handler that hangs on the first of many values shows all of them as its lag`() {
    let cell = BindableActor(0)
    let seen = Guarded<[BindingDiagnostics]>([])
    let token = cell.observe(on: context.delivery, backlog: .unbounded) { value in
      // The handler is busy with the first value, and with a later one, in the middle of a backlog.
      if value == 1 || value == 300 { seen.withLock { $0.append(cell.diagnostics) } }
    }
    context.run()
    (1...1_000).forEach { cell.send($0) }
    context.run()
    let all = seen.withLock { $0 }
    #expect(all.map { $0.observers.map(\.lag) }.first == [1_000])
    #expect(all.first?.keptUpdateCount == 1_000)
    #expect(all.last.map { (701...1_000).contains($0.keptUpdateCount) } == true)
    #expect(cell.diagnostics.keptUpdateCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `the table lists derived cells below their cell`() {
    let cell = BindableActor(0).named("prices")
    let token = cell.delay(for: .seconds(1), clock: ManualClock()).observe(on: .immediate) { _ in }
    let lines = BindingDiagnostics.table(of: [cell.diagnostics]).split(separator: "\n")
    #expect(lines.count == 3 && lines[1].hasPrefix("prices, ") && lines[2].hasPrefix("  delay "))
    #expect(cell.diagnostics.derived.allSatisfy { $0.hasOwner })
    token.cancel()
  }

  @Test func `an observer that joins during a turn is described once`() {
    let cell = BindableActor(0)
    let late = Guarded<BindingToken?>(nil)
    let counts = Guarded<[Int]>([])
    let token = cell.observe(on: context.delivery) { [context] value in
      guard value == 1 else { return }
      let other = cell.observe(on: context.delivery) { _ in }
      late.withLock { $0 = other }
      counts.withLock { $0.append(cell.diagnostics.observers.count) }
    }
    context.run()
    cell.send(1)
    context.run()
    #expect(counts.withLock { $0 } == [2])
    #expect(cell.diagnostics.observers.count == 2)
    withExtendedLifetime(token) {}
  }

  @Test func `each of many observers is described once, while others come and go`() async {
    let cell = BindableActor(0)
    let stay = (0..<3_000).map { _ in cell.observe(on: context.delivery) { _ in } }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [context] in
        for _ in 0..<stressed(20) {
          let tokens = (0..<1_500).map { _ in cell.observe(on: context.delivery) { _ in } }
          await Task.yield()
          tokens.forEach { $0.cancel() }
        }
      }
      group.addTask {
        for _ in 0..<stressed(20) {
          #expect(cell.diagnostics.observers.count >= 3_000)
          await Task.yield()
        }
      }
    }
    #expect(cell.diagnostics.observers.count == 3_000)
    stay.forEach { $0.cancel() }
    #expect(cell.diagnostics.observers.isEmpty)
  }

  @Test func `a lane goes on after an observation that is still there, and begins again if none is`() throws {
    let cell = BindableActor(0)
    let tokens = (0..<5).map { _ in cell.observe(on: context.delivery) { _ in } }
    context.run()
    let lane = try #require(cell.cell.locked { $0.deliverers.first } as? Lane)
    func next(_ former: LaneDescription?) -> LaneDescription {
      cell.cell.locked { lane.descriptionWhileLocked(after: former?.observations ?? [], limit: 2, $0) }
    }
    func ids(_ parts: LaneDescription...) -> [ObjectIdentifier] {
      parts.flatMap(\.observations).map { ObjectIdentifier($0.observation) }
    }
    let first = next(nil)
    let second = next(first)
    let third = next(second)
    #expect([first, second, third].map(\.observations.count) == [2, 2, 1])
    #expect([first, second, third].allSatisfy { !$0.beginsAgain && $0.count == 5 })
    #expect(Set(ids(first, second, third)).count == 5)
    #expect(next(third).observations.isEmpty)
    tokens[3].cancel()
    #expect(ids(next(second)) == ids(third))
    #expect(!next(second).beginsAgain)
    tokens[2].cancel()
    #expect(ids(next(second)) == ids(first))
    #expect(next(second).beginsAgain)
  }

  @Test func `cells that operators make are derived, and each appears once`() {
    let (first, second) = (BindableActor(1), BindableActor(2))
    let clock = ManualClock()
    let sum = combineLatest(first, second)
    let tokens = [
      sum.observe(on: .immediate) { _ in },
      first.debounce(for: .seconds(1), clock: clock).observe(on: .immediate) { _ in },
      combineLatest(sum, first).observe(on: .immediate) { _ in },
    ]
    let derived = first.diagnostics.derived
    #expect(derived.map(\.kind).sorted() == ["combineLatest", "combineLatest", "debounce"])
    #expect(derived.allSatisfy { $0.observers.count == 1 && $0.location == nil })
    #expect(first.diagnostics.observers.isEmpty && first.diagnostics.unrecordedStreamCount == 0)
    tokens.forEach { $0.cancel() }
  }

  @Test func `the cell of an operator without a source is named after the operator`() {
    let ticks: AnyCell = interval(.seconds(1), clock: ManualClock()).cursor.root.cell
    let numbers: AnyCell = feed(opening: { AsyncStream<Int> { _ in } }).cursor.root.cell
    #expect(ticks.label.kind == "interval")
    #expect(numbers.label.kind == "feed")
  }

  @Test func `a cell that has ended says so, and a cell without an owner too`() {
    let cell = BindableActor(0)
    #expect(cell.diagnostics.hasOwner && !cell.diagnostics.isFinished)
    cell.send(1)
    cell.finish()
    #expect(cell.diagnostics.isFinished && cell.diagnostics.version == 1)
    var other: BindableActor<Int>? = BindableActor(0)
    let memory = other?.cell
    other = nil
    #expect(memory?.label.kind == "Cell<Int>")
  }

  @Test func `the text names readers, and puts those of one line together`() {
    let cell = BindableActor(0).named("prices")
    let line = #line - 1
    let tokens = (0..<2).map { _ in
      cell.observe(on: .immediate, fileID: "Server/Hub.swift", line: 88) { _ in }
    }
    let slow = cell.observe(
      on: context.delivery,
      backlog: .unbounded,
      fileID: "Server/Log.swift",
      line: 40
    ) { _ in }
    context.run()
    (1...4).forEach { cell.send($0) }
    let lines = cell.diagnostics.description.split(separator: "\n").map(String.init)
    #expect(lines[0] == "prices, BindableActor<Int> at \(#fileID):\(line), version 4")
    #expect(lines[1] == "  keeps at least 4 updates")
    #expect(lines[2].hasPrefix("  observer at Server/Log.swift:40 on the context "))
    #expect(lines[2].hasSuffix(", .unbounded, 4 behind"))
    #expect(lines[3] == "  2 observers at Server/Hub.swift:88 on the thread of the writer, .latest")
    #expect(lines.count == 4)
    let table = BindingDiagnostics.table(of: [cell.diagnostics]).split(separator: "\n")
    #expect(
      table[0].hasPrefix("cell ") && table[0].hasSuffix("version  observers  streams  kept  most behind")
    )
    #expect(table[1].hasSuffix("       4          3        0     4            4"))
    let graph = BindingDiagnostics.mermaid(of: [cell.diagnostics])
    #expect(graph.hasPrefix("flowchart LR\n  c0[\"prices, BindableActor#lt;Int#gt; at "))
    #expect(graph.contains("c0 --> r0_0([\"observer at Server/Log.swift:40 on the context"))
    withExtendedLifetime((tokens, slow)) {}
  }

  @Test func `a cell with a name is listed while it lives`() {
    let name = "a cell of the test of names"
    var cell: BindableActor<Int>? = BindableActor(0).named(name)
    #expect(BindingDiagnostics.all().filter { $0.name == name }.count == 1)
    cell?.named(name + " again")
    #expect(BindingDiagnostics.all().filter { $0.name == name }.isEmpty)
    #expect(cell?.diagnostics.name == name + " again")
    cell = nil
    #expect(BindingDiagnostics.all().filter { $0.name == name + " again" }.isEmpty)
  }

  @Test func `a loading cell and an action have a name, and describe their readers`() {
    let rates = LoadingCell { 7 }.named("rates")
    let save = AsyncAction { (_: Int) in }.named("save")
    let tokens = [rates.observe(on: .immediate) { _ in }, save.isEnabled.observe(on: .immediate) { _ in }]
    #expect(rates.diagnostics.name == "rates")
    #expect(rates.diagnostics.observers.count == 1)
    #expect(save.diagnostics.name == "save")
    #expect(save.diagnostics.derived.flatMap(\.observers).count == 1)
    withExtendedLifetime(tokens) {}
  }
}
