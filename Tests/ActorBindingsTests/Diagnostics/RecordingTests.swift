import ActorBindings
import Testing

/// Tests of what is recorded only while `isRecording` is true, and of events. Both are set for the whole process.
@Suite(.serialized) struct RecordingTests {
  private let context = ManualContext()

  private func recording<R>(_ body: () async throws -> R) async rethrows -> R {
    BindingDiagnostics.isRecording = true
    defer { BindingDiagnostics.isRecording = false }
    return try await body()
  }

  @Test func `cells that are created while recording are listed, with their place`() async throws {
    let cell = await recording { BindableActor("recorded") }
    let later = BindableActor("not recorded")
    let all = BindingDiagnostics.all()
    let place = try #require(cell.diagnostics.location)
    #expect(all.filter { $0.location == place && $0.kind == "BindableActor<String>" }.count == 1)
    #expect(all.allSatisfy { $0.location != later.diagnostics.location })
  }

  @Test func `a stream without a loop is listed with its lag, and keeps what it has not received`()
    async throws
  {
    let cell = BindableActor(0)
    let stream = await recording { cell.values(backlog: .unbounded) }
    let line = #line - 1
    (1...6).forEach { cell.send($0) }
    let diagnostics = cell.diagnostics
    let listed = try #require(diagnostics.streams.first)
    #expect(listed.location?.description == "\(#fileID):\(line)")
    #expect(listed.backlog == .unbounded && !listed.isIterated && listed.lag == 7)
    #expect(diagnostics.keptUpdateCount == 7 && diagnostics.unrecordedStreamCount == 0)
    #expect(diagnostics.description.contains("stream without a loop at \(#fileID):\(line)"))
    withExtendedLifetime(stream) {}
  }

  @Test func `a loop takes the place of its stream in the list, and leaves it with its task`() async throws {
    let cell = BindableActor(0)
    try await recording {
      let stream = cell.values(backlog: .unbounded)
      let task = Task(name: "client 17") { for await _ in stream {} }
      await cell.parked(1)
      let diagnostics = cell.diagnostics
      let loop = try #require(diagnostics.streams.first)
      #expect(diagnostics.streams.count == 1 && diagnostics.unrecordedStreamCount == 0)
      #expect(loop.taskName == "client 17" && loop.isIterated && loop.lag == 0)
      #expect(
        diagnostics.description.contains(
          "loop at \(#fileID):\(#line - 7) in the task \"client 17\", .unbounded"
        )
      )
      task.cancel()
      await task.value
    }
    #expect(cell.diagnostics.streams.isEmpty)
  }

  @Test func `a loop that is busy shows how far it is behind`() async {
    let cell = BindableActor(0)
    let (reached, gate) = (Gate(), Gate())
    let task = await recording {
      let task = Task {
        for await value in cell.values(backlog: .unbounded) where value == 1 {
          reached.open()
          await gate.passed()
        }
      }
      await cell.parked(1)
      return task
    }
    cell.send(1)
    await reached.passed()
    (2...5).forEach { cell.send($0) }
    // The value 1, with which it is busy, counts too.
    #expect(cell.diagnostics.streams.map(\.lag) == [5])
    #expect(cell.diagnostics.keptUpdateCount == 5)
    gate.open()
    await cell.parked(1)
    #expect(cell.diagnostics.streams.map(\.lag) == [0])
    task.cancel()
    await task.value
  }

  @Test func `a loop that catches up shows how far it has come`() async {
    let cell = BindableActor(0)
    let (reached, gate) = (Gate(), Gate())
    let stream = await recording { cell.values(backlog: .unbounded) }
    (1...5).forEach { cell.send($0) }
    let task = await recording {
      let task = Task {
        for await value in stream where value == 3 {
          reached.open()
          await gate.passed()
        }
      }
      await reached.passed()
      return task
    }
    // It is done with 0, 1 and 2.
    #expect(cell.diagnostics.streams.map(\.lag) == [3])
    gate.open()
    await cell.parked(1)
    #expect(cell.diagnostics.streams.map(\.lag) == [0])
    task.cancel()
    await task.value
  }

  @Test func `values that an operator rejects count as received`() async {
    let cell = BindableActor(0)
    let task = await recording {
      let task = Task { for await _ in cell.filter({ $0 < 0 }).values(backlog: .unbounded) {} }
      await cell.parked(1)
      return task
    }
    cell.send(1)
    await eventually { cell.diagnostics.streams.map(\.lag) == [0] }
    task.cancel()
    await task.value
  }

  @Test func `a loop that has ended is not listed, though its iterator lives`() async {
    let cell = BindableActor(0)
    var iterator = recordingSync { cell.values(backlog: .unbounded).makeAsyncIterator() }
    #expect(await iterator.next() == 0)
    #expect(cell.diagnostics.streams.count == 1)
    cell.finish()
    #expect(await iterator.next() == nil)
    #expect(cell.diagnostics.streams.isEmpty)
    withExtendedLifetime(iterator) {}
  }

  private func recordingSync<R>(_ body: () -> R) -> R {
    BindingDiagnostics.isRecording = true
    defer { BindingDiagnostics.isRecording = false }
    return body()
  }

  @Test func `an observation begins before it ends, also where the writer is`() {
    let events = Guarded<[String]>([])
    BindingDiagnostics.events = BindingEventHandler { event in
      if event.isOfCell(at: #fileID) { events.withLock { $0.append(event.kind) } }
    }
    defer { BindingDiagnostics.events = nil }
    let cell = BindableActor(0)
    cell.finish()
    let token = cell.observe(on: .immediate) { _ in }
    #expect(events.withLock { $0 } == ["created", "cell finished", "began", "finished"])
    withExtendedLifetime(token) {}
  }

  @Test func `a context falls behind only while an observer there must receive all values`() {
    let events = Guarded(0)
    BindingDiagnostics.events = BindingEventHandler(backlogThreshold: 10) { event in
      if case .contextFellBehind = event, event.isOfCell(at: #fileID) { events.withLock { $0 += 1 } }
    }
    defer { BindingDiagnostics.events = nil }
    let cell = BindableActor(0)
    let newest = cell.observe(on: context.delivery) { _ in }
    let all = cell.observe(on: context.delivery, backlog: .unbounded) { _ in }
    context.run()
    (1...11).forEach { cell.send($0) }
    context.run()
    #expect(events.withLock { $0 } == 1)
    all.cancel()
    (1...11).forEach { cell.send($0) }
    context.run()
    #expect(events.withLock { $0 } == 1)
    withExtendedLifetime(newest) {}
  }

  @Test func `events tell what happens to a cell and its observers`() {
    let events = Guarded<[String]>([])
    let name = "the cell of the test of events"
    BindingDiagnostics.events = BindingEventHandler { event in
      // Other tests run at the same time.
      if event.isOfCell(at: #fileID) { events.withLock { $0.append(event.kind) } }
    }
    do {
      let cell = BindableActor(0).named(name)
      let token = cell.observe(on: context.delivery) { _ in }
      context.run()
      token.cancel()
      final class Owner: Sendable {}
      var owner: Owner? = Owner()
      cell.observe(owner!, on: context.delivery) { _, _ in }
      context.run()
      owner = nil
      cell.send(1)
      context.run()
      let last = cell.observe(on: context.delivery) { _ in }
      cell.finish()
      cell.finish()
      context.run()
      withExtendedLifetime(last) {}
    }
    BindingDiagnostics.events = nil
    #expect(BindingDiagnostics.events.map { _ in 1 } == nil)
    _ = BindableActor(2)
    #expect(
      events.withLock { $0 } == [
        "created", "began", "cancelled", "began", "ownerDied", "began", "cell finished", "finished",
      ]
    )
  }

  @Test func `events tell of a slow handler, and of a context that fell behind`() {
    let time = Guarded<UInt64>(0)
    let jobs = ManualContext()
    let context = DeliveryContext(id: "slow", now: { time.withLock { $0 } }) { jobs.add($0) }
    let events = Guarded<[String]>([])
    BindingDiagnostics.events = BindingEventHandler(
      slowHandlerThreshold: .milliseconds(50),
      backlogThreshold: 10
    ) { event in
      guard event.isOfCell(at: #fileID) else { return }
      switch event {
      case .handlerWasSlow(_, let duration): events.withLock { $0.append("slow: \(duration)") }
      case .contextFellBehind(_, let context, let updates):
        events.withLock { $0.append("\(context): \(updates)") }
      default: break
      }
    }
    defer { BindingDiagnostics.events = nil }
    let cell = BindableActor(0)
    let token = cell.observe(on: context, backlog: .unbounded) { value in
      if value == 2 { time.withLock { $0 += 80_000_000 } }
      if value == 3 { time.withLock { $0 += 50_000_000 } }
    }
    jobs.run()
    for value in 1...3 {
      cell.send(value)
      jobs.run()
    }
    (4...14).forEach { cell.send($0) }
    jobs.run()
    #expect(events.withLock { $0 } == ["slow: 0.08 seconds", "the context slow: 11"])
    withExtendedLifetime(token) {}
  }
}

extension BindingEvent {
  fileprivate var cell: Cell {
    switch self {
    case .cellCreated(let cell), .cellFinished(let cell), .contextFellBehind(let cell, _, _): cell
    case .observationBegan(let observer), .observationEnded(let observer, _),
      .handlerWasSlow(let observer, _):
      observer.cell
    }
  }

  fileprivate func isOfCell(at fileID: String) -> Bool { cell.location?.fileID == fileID }

  fileprivate var kind: String {
    switch self {
    case .cellCreated: "created"
    case .cellFinished: "cell finished"
    case .observationBegan: "began"
    case .observationEnded(_, .cancelled): "cancelled"
    case .observationEnded(_, .ownerDied): "ownerDied"
    case .observationEnded(_, .finished): "finished"
    case .handlerWasSlow: "slow"
    case .contextFellBehind: "behind"
    }
  }
}
