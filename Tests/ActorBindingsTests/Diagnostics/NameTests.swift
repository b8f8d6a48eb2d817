import ActorBindings
import Testing

/// Names that initializers give, and the calls that wait.
@Suite struct NameTests {
  @Test func `each initializer takes a name, under which the cell is listed`() {
    let source = BindableActor(1)
    let cells: [BindingDiagnostics] = [
      BindableActor(1, name: "n1").diagnostics, BindableActor<Int?>(name: "n2").diagnostics,
      BindableActor(of: source, name: "n3").diagnostics,
      BindableActor(of: source.filter { $0 > 5 }, name: "n4").diagnostics,
      BindableActor(initially: 2, of: source.filter { $0 > 5 }, name: "n5").diagnostics,
      BindableActor(initially: 2, of: source, name: "n6").diagnostics,
      BindableArray([1], name: "n7").diagnostics, BindableArray<Int>(name: "n8").diagnostics,
      BindableDictionary([1: 1], name: "n9").diagnostics,
      BindableDictionary<Int, Int>(name: "n10").diagnostics,
      EventSource<Int>(name: "n11").diagnostics, LoadingCell(name: "n12") { 7 }.diagnostics,
      AsyncAction(name: "n13") { (_: Int) in }.diagnostics,
      AsyncAction(isEnabled: BindableActor(true), name: "n14") { (_: Int) in }.diagnostics,
    ]
    #expect(cells.map(\.name) == (1...14).map { "n\($0)" })
    let cell = BindableActor(1, name: "a cell of the test of initializers")
    #expect(BindingDiagnostics.all().filter { $0.name == cell.diagnostics.name }.count == 1)
    #expect(source.diagnostics.name == nil && source.description.hasPrefix("BindableActor<Int>("))
  }

  @Test func `a loading cell says how many calls wait for its content`() async throws {
    let gate = Gate()
    let load: @Sendable () async -> Int = {
      await gate.passed()
      return 7
    }
    let named = LoadingCell(load).named("a loading cell of the test of calls")
    let (created, plain) = (LoadingCell(name: "another cell of this test", load), LoadingCell(load))
    for cell in [named, created, plain] {
      #expect(cell.diagnostics.waitingCallCount == 0)
      let calls = (0..<2).map { _ in Task { try await cell.load() } }
      await eventually { cell.diagnostics.waitingCallCount == 2 }
      #expect(cell.diagnostics.description.hasSuffix(", version 1, 2 calls wait"))
      calls[0].cancel()
      await #expect(throws: CancellationError.self) { try await calls[0].value }
      #expect(cell.diagnostics.description.hasSuffix(", version 1, 1 call waits"))
      // Another test may let cells be recorded meanwhile.
      let listed = BindingDiagnostics.all().first { $0.id == cell.diagnostics.id }
      #expect(listed?.waitingCallCount == 1 || cell === plain)
    }
    gate.open()
    for cell in [named, created, plain] {
      #expect(try await cell.load() == 7)
      #expect(cell.diagnostics.waitingCallCount == 0)
    }
  }

  @Test func `an action says how many calls wait for their turn`() async throws {
    let gate = Gate()
    let save = AsyncAction(whileBusy: .queue, name: "an action of the test of calls") { (_: Int) in
      await gate.passed()
    }
    for number in 0..<3 { save.start(number) }
    #expect(save.diagnostics.waitingCallCount == 2)
    #expect(save.diagnostics.description.split(separator: "\n")[0].hasSuffix(", version 1, 2 calls wait"))
    #expect(BindingDiagnostics.all().first { $0.name == save.diagnostics.name }?.waitingCallCount == 2)
    gate.open()
    try await save.execute(3)
    #expect(save.diagnostics.waitingCallCount == 0)
  }
}
