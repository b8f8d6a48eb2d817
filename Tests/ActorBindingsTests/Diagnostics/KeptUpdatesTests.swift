import ActorBindings
import Testing

// One after the other with the tests that turn records on for the whole process.
extension RecordingTests {
  /// What a cell keeps for cells that are derived from it, and for loops and streams without a record.
  @Suite(.timeLimit(.minutes(5)))
  struct KeptUpdatesTests {
    private let context = ManualContext()
    private let left = BindableActor(0)
    private let right = BindableActor(0)

    @Test func `updates that a combination has not read are kept for its slowest reader`() {
      let sum = combineLatest(left, right)
      let tokens = [
        sum.observe(on: context.delivery) { _ in },
        sum.observe(on: context.delivery, backlog: .unbounded) { _ in },
      ]
      expectKept(for: "combineLatest", line: #line - 2)
      withExtendedLifetime(tokens) {}
    }

    @Test func `updates that a combination of a list has not read are kept for its slowest reader`() {
      let token = combineLatest([left, right]).observe(on: context.delivery, backlog: .unbounded) { _ in }
      expectKept(for: "combineLatest", line: #line - 1)
      withExtendedLifetime(token) {}
    }

    private func expectKept(for kind: String, line: Int) {
      context.run()
      #expect(left.diagnostics.readerLines.isEmpty)
      // The first write reaches the combination, because its reader is parked.
      (1...6).forEach { left.send($0) }
      let diagnostics = left.diagnostics
      #expect(diagnostics.keptUpdateCount == 5 && diagnostics.unrecordedUnboundedCount == 0)
      #expect(diagnostics.derivations.map(\.keptUpdateCount) == [5])
      #expect(diagnostics.readerLines.count == 1)
      let first = diagnostics.readerLines.first ?? ""
      #expect(first.hasPrefix("kept for \(kind), read by an observer at \(#fileID):\(line) on the context "))
      #expect(first.hasSuffix(", .unbounded, 5 behind"))
      #expect(right.diagnostics.readerLines.isEmpty && right.diagnostics.keptUpdateCount == 0)
      context.run()
      #expect(left.diagnostics.keptUpdateCount == 0 && left.diagnostics.readerLines.isEmpty)
    }

    @Test func `a combination whose readers want only the newest value keeps nothing`() {
      let token = combineLatest(left, right).observe(on: context.delivery) { _ in }
      context.run()
      (1...6).forEach { left.send($0) }
      #expect(left.diagnostics.derivations.map(\.keptUpdateCount) == [0])
      #expect(left.diagnostics.keptUpdateCount == 0 && left.diagnostics.readerLines.isEmpty)
      withExtendedLifetime(token) {}
    }

    @Test func `writes to a key are kept for a stream of its source`() {
      let prices = BindableDictionary(["ACME": 0, "XYZ": 0])
      let stream = prices.source(forKey: "ACME").values(backlog: .unbounded)
      (1...6).forEach { prices.set($0, forKey: "ACME") }
      prices.set(7, forKey: "XYZ")
      let diagnostics = prices.diagnostics
      #expect(diagnostics.keptUpdateCount == 6)
      let line = "kept for source(forKey:), read by a loop or stream without a record, .unbounded, 6 behind"
      #expect(diagnostics.readerLines == [line])
      withExtendedLifetime(stream) {}
    }

    @Test func `updates that an operator is too busy to read are kept for it`() async {
      let (gate, begun) = (Gate(), Recorder<Int>())
      let slow = left.asyncMap { value in
        begun.record(value)
        await gate.passed()
        return value
      }
      let token = slow.observe(on: .immediate) { _ in }
      await begun.reached(1)
      (1...6).forEach { left.send($0) }
      // The turn that has begun the call may not have ended yet.
      await eventually { left.diagnostics.keptUpdateCount == 6 }
      #expect(left.diagnostics.readerLines == ["kept for asyncMap, 6 behind"])
      gate.open()
      await begun.reached(7)
      await eventually { left.diagnostics.keptUpdateCount == 0 }
      token.cancel()
    }

    @Test func `the unbounded loops and streams without a record are counted`() {
      let all = left.values(backlog: .unbounded)
      #expect(left.diagnostics.readerLines == ["1 loop or stream without a record, .unbounded"])
      let some = left.values(backlog: .bounded(2))
      let tokens = [
        left.observe(on: .immediate, backlog: .unbounded) { _ in },
        combineLatest(left, right).observe(on: .immediate, backlog: .unbounded) { _ in },
        left.delay(for: .seconds(1), clock: ManualClock()).observe(on: .immediate) { _ in },
      ]
      #expect(left.diagnostics.unrecordedUnboundedCount == 1)
      #expect(
        left.diagnostics.readerLines.last == "2 loops or streams without a record, 1 of them .unbounded"
      )
      withExtendedLifetime((all, some)) {}
      tokens.forEach { $0.cancel() }
    }

    @Test func `the cell for which most is kept comes first`() {
      let prices = BindableDictionary<Int, Int>()
      let streams = (0..<20).map { prices.source(forKey: $0).values(backlog: .unbounded) }
      (1...6).forEach { prices.set($0, forKey: 13) }
      prices.set(1, forKey: 5)
      #expect(prices.diagnostics.derivations.map(\.keptUpdateCount).prefix(3) == [6, 1, 0])
      #expect(prices.diagnostics.derivations.map(\.id) == prices.diagnostics.derived.map(\.id))
      let line =
        "kept for 2 cells of source(forKey:), read by a loop or stream without a record, .unbounded, at most 6 behind"
      #expect(prices.diagnostics.readerLines == [line])
      withExtendedLifetime(streams) {}
    }

    @Test func `a graph has an edge from each cell that a combination follows`() {
      let tokens = [
        combineLatest(left, right).observe(on: .immediate) { _ in },
        combineLatest(left.delay(for: .seconds(1), clock: ManualClock()), left).observe(on: .immediate) { _ in
        },
      ]
      let both = BindingDiagnostics.mermaid(of: [left.diagnostics, right.diagnostics])
      // Of `left`: to both combinations, and to `delay`. Of `delay` and of `right`: to one combination.
      #expect(both.matches(of: /c\d --> c\d/).count == 5)
      let one = BindingDiagnostics.mermaid(of: [left.diagnostics])
      #expect(one.matches(of: /c0 --> c\d/).count == 3)
      #expect(one.matches(of: /c\d --> c\d/).count == 4)
      #expect(one.matches(of: /c\d\["/).count == 4)
      tokens.forEach { $0.cancel() }
    }

    @Test func `a loop without a record is counted`() async {
      let cell = BindableActor(0)
      let all = cell.values(backlog: .unbounded)
      #expect(cell.diagnostics.unrecordedStreamCount == 1)
      let task = Task { for await _ in all {} }
      await cell.parked(1)
      #expect(cell.diagnostics.unrecordedStreamCount == 1)
      task.cancel()
      await task.value
      #expect(cell.diagnostics.unrecordedStreamCount == 0)
    }
  }
}
