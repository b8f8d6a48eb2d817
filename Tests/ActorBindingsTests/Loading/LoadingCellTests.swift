import ActorBindings
import Dispatch
import Testing

private struct Broken: Error, Equatable {
  var number = 0
}

/// A source of loads that a test answers by hand: each load waits until it is answered.
private final class Backend: Sendable {
  private struct State {
    var begun = 0
    var running = 0
    var mostRunning = 0
    var cancelled = 0
  }

  private let state = BindableActor(State())
  private let answers = Guarded<[Int: CheckedContinuation<Int, any Error>]>([:])
  let heedsCancellation: Bool

  init(heedsCancellation: Bool = true) {
    self.heedsCancellation = heedsCancellation
  }

  var begun: Int { state.value.begun }
  var mostRunning: Int { state.value.mostRunning }
  var cancelled: Int { state.value.cancelled }

  func load() async throws -> Int {
    let number = state.modify { state in
      state.begun += 1
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
      return state.begun
    }
    defer { state.modify { $0.running -= 1 } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        answers.withLock { $0[number] = continuation }
        if Task.isCancelled, heedsCancellation { answer(number, .failure(CancellationError())) }
      }
    } onCancel: {
      state.modify { $0.cancelled += 1 }
      if heedsCancellation { answer(number, .failure(CancellationError())) }
    }
  }

  /// Answers a load, unless it was answered before.
  func answer(_ number: Int, _ result: Result<Int, any Error>) {
    answers.withLock { $0.removeValue(forKey: number) }?.resume(with: result)
  }

  /// Returns when the load with this number waits for an answer, or a later load has begun.
  func reached(_ number: Int) async {
    await eventually { answers.withLock { $0[number] != nil } || begun > number }
  }
}

@Suite struct LoadingCellTests {
  @Test
  func `a delay of any length does not end the process`() async {
    let cell = LoadingCell(retry: RetryPolicy { _, _ in .seconds(Int64.max) }) { () async throws -> Int in
      throw Broken()
    }
    cell.startLoading()
    _ = await cell.first { $0.attempt?.startsIn != nil }
    cell.cancel()
    #expect(!cell.value.isLoading)
  }

  private let backend = Backend()

  private func cell(_ backend: Backend? = nil) -> LoadingCell<Int> {
    let backend = backend ?? self.backend
    return LoadingCell { try await backend.load() }
  }

  @Test func `nothing is loaded before the first request`() {
    let cell = cell()
    #expect("\(cell.value)" == "idle")
    #expect(backend.begun == 0)
  }

  @Test func `a value is loaded once, and kept`() async throws {
    let cell = cell()
    let first = Task { try await cell.load() }
    await backend.reached(1)
    #expect("\(cell.value)" == "loading (attempt 1)")
    backend.answer(1, .success(7))
    #expect(try await first.value == 7)
    #expect("\(cell.value)" == "loaded 7")
    #expect(try await cell.load() == 7)
    #expect(backend.begun == 1)
  }

  @Test func `a request during a load joins it`() async throws {
    let cell = cell()
    cell.startLoading()
    await backend.reached(1)
    let others = (0..<20).map { _ in Task { try await cell.load() } }
    cell.startLoading()
    backend.answer(1, .success(7))
    for other in others { #expect(try await other.value == 7) }
    #expect(backend.begun == 1)
  }

  @Test func `a failure is reported, and the next request loads again`() async throws {
    let cell = cell()
    let first = Task { try await cell.load() }
    await backend.reached(1)
    backend.answer(1, .failure(Broken()))
    await #expect(throws: Broken.self) { try await first.value }
    #expect(cell.value.error is Broken)
    #expect(cell.value.content == nil)
    let second = Task { try await cell.load() }
    await backend.reached(2)
    backend.answer(2, .success(2))
    #expect(try await second.value == 2)
  }

  @Test func `the last content is kept during the next load, and after a failure`() async throws {
    let cell = cell()
    cell.startLoading()
    await backend.reached(1)
    backend.answer(1, .success(1))
    _ = await cell.first { !$0.isLoading && $0.content == 1 }
    let second = Task { try await cell.reload() }
    await backend.reached(2)
    #expect("\(cell.value)" == "reloading 1 (attempt 1)")
    backend.answer(2, .failure(Broken()))
    await #expect(throws: Broken.self) { try await second.value }
    #expect("\(cell.value)" == "failed: Broken(number: 0), last 1")
    cell.startReloading()
    await backend.reached(3)
    #expect("\(cell.value)" == "reloading 1 (attempt 1)")
    backend.answer(3, .success(3))
    _ = await cell.first { $0.content == 3 }
  }

  @Test func `the newest request wins, and all waiting tasks receive its result`() async throws {
    let cell = cell()
    let first = Task { try await cell.load() }
    await backend.reached(1)
    let second = Task { try await cell.reload() }
    await backend.reached(2)
    #expect(backend.cancelled == 1)
    backend.answer(2, .success(2))
    #expect(try await first.value == 2)
    #expect(try await second.value == 2)
    #expect("\(cell.value)" == "loaded 2")
  }

  @Test func `the late result of a superseded load is ignored, and delays the next load`() async throws {
    let deaf = Backend(heedsCancellation: false)
    let cell = cell(deaf)
    cell.startLoading()
    await deaf.reached(1)
    let second = Task { try await cell.reload() }
    await eventually { deaf.cancelled == 1 }
    #expect(deaf.begun == 1)
    deaf.answer(1, .success(1))
    await deaf.reached(2)
    #expect(cell.value.content == nil)
    deaf.answer(2, .failure(Broken()))
    await #expect(throws: Broken.self) { try await second.value }
    #expect(cell.value.error is Broken)
    #expect(deaf.mostRunning == 1)
  }

  @Test func `cancel restores the previous state, and resumes waiting tasks`() async throws {
    let cell = cell()
    cell.startLoading()
    await backend.reached(1)
    backend.answer(1, .success(1))
    _ = await cell.first { $0.content == 1 }
    let second = Task { try await cell.reload() }
    await backend.reached(2)
    cell.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect("\(cell.value)" == "loaded 1")
    #expect(try await cell.load() == 1)
    // The load has ended, so a new one can begin.
    let third = Task { try await cell.reload() }
    await backend.reached(3)
    backend.answer(3, .success(3))
    #expect(try await third.value == 3)
  }

  @Test func `a request after a cancel waits for the load that has not ended`() async throws {
    let deaf = Backend(heedsCancellation: false)
    let cell = cell(deaf)
    cell.startLoading()
    await deaf.reached(1)
    cell.cancel()
    cell.cancel()
    #expect("\(cell.value)" == "idle")
    let second = Task { try await cell.load() }
    _ = await cell.first { $0.isLoading }
    #expect(deaf.begun == 1)
    deaf.answer(1, .success(1))
    await deaf.reached(2)
    deaf.answer(2, .success(2))
    #expect(try await second.value == 2)
    #expect(deaf.mostRunning == 1)
  }

  @Test func `a waiting task that is cancelled leaves the load to the others`() async throws {
    let cell = cell()
    let (one, other) = (Task { try await cell.load() }, Task { try await cell.load() })
    await backend.reached(1)
    one.cancel()
    await #expect(throws: CancellationError.self) { try await one.value }
    backend.answer(1, .success(1))
    #expect(try await other.value == 1)
    #expect(backend.cancelled == 0)
  }

  @Test func `readers see each phase once, in order`() async throws {
    let cell = cell()
    let phases = cell.map { "\($0)" }.values(backlog: .unbounded)
    for number in 1...3 {
      cell.startReloading()
      if number == 2 { cell.startReloading() }
      await backend.reached(number == 1 ? 1 : number == 2 ? 3 : 4)
      backend.answer(number == 1 ? 1 : number == 2 ? 3 : 4, .success(number))
      _ = await cell.first { !$0.isLoading && $0.content == number }
    }
    cell.finish()
    #expect(
      await phases.elements() == [
        "idle", "loading (attempt 1)", "loaded 1", "reloading 1 (attempt 1)", "loaded 2",
        "reloading 2 (attempt 1)",
        "loaded 3",
      ]
    )
  }

  @Test func `the end of the cell cancels the load, and resumes waiting tasks`() async throws {
    let cell = cell()
    let waiting = Task { try await cell.load() }
    await backend.reached(1)
    cell.finish()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await eventually { backend.cancelled == 1 }
    await #expect(throws: CancellationError.self) { try await cell.load() }
    cell.startReloading()
    cell.cancel()
    #expect(backend.begun == 1)
  }

  @Test func `a cell that finishes during a load shows no load`() async throws {
    let cell = cell()
    cell.startLoading()
    await backend.reached(1)
    backend.answer(1, .success(1))
    _ = await cell.first { $0.content == 1 }
    let phases = cell.map { "\($0)" }.values(backlog: .unbounded)
    cell.startReloading()
    await backend.reached(2)
    cell.finish()
    #expect(cell.isFinished)
    #expect("\(cell.value)" == "loaded 1")
    #expect(await phases.elements() == ["loaded 1", "reloading 1 (attempt 1)", "loaded 1"])
    #expect(try await cell.load() == 1)
  }

  @Test func `a task that is already cancelled requests nothing`() async {
    let cell = cell()
    let task = Task {
      await eventually { Task.isCancelled }
      return try await cell.load()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(backend.begun == 0)
    #expect("\(cell.value)" == "idle")
  }

  @TaskLocal static var caller = 0

  @Test func `a load has no task-local values of a task that requested it`() async throws {
    let callers = Recorder<Int>()
    let cell = LoadingCell { () async throws -> Int in
      callers.record(Self.caller)
      return 1
    }
    try await Self.$caller.withValue(1) { _ = try await cell.load() }
    try await Self.$caller.withValue(2) { _ = try await cell.reload() }
    #expect(callers.elements == [0, 0])
  }

  @Test func `readers of a loading cell are counted, and can be waited for`() async {
    let (cell, seen) = (cell(), Recorder<String>())
    let token = cell.observe(on: .queue(.global())) { seen.record("\($0)") }
    #expect(cell.observerCount == 1)
    cell.startLoading()
    await cell.settled()
    #expect(seen.last == "loading (attempt 1)")
    token.cancel()
    #expect(cell.observerCount == 0)
    cell.cancel()
  }

  @Test func `G13 a loading cell that is released leaves nothing behind`() async {
    let census = Census()
    let backend = backend
    do {
      let citizen = census.citizen()
      let cell = LoadingCell { [citizen] in try await backend.load() + citizen.number }
      cell.startLoading()
      await backend.reached(1)
    }
    await eventually { backend.cancelled == 1 && census.alive == 0 }
  }

  @Test func `a thousand overlapping reloads are one load at a time, and the last one's result stays`()
    async throws
  {
    let (running, most, begun) = (Counter(), Counter(), Counter())
    let cell = LoadingCell { () async throws -> Int in
      let number = begun.add()
      if running.add() > 1 { most.add() }
      defer { running.add(-1) }
      for _ in 0..<number % 4 { await Task.yield() }
      if Task.isCancelled, number % 2 == 0 { throw CancellationError() }
      if number % 3 == 0 { throw Broken(number: number) }
      return number
    }
    let phases = cell.values(backlog: .unbounded)
    let results = Recorder<Int>()
    await concurrently(8) { _ in
      await repeatedly(125) { _ in
        cell.startReloading()
      }
    }
    let last = await Task { try await cell.reload() }.result
    let number: Int
    switch last {
    case .success(let content):
      number = content
      #expect(cell.value.content == content)
      #expect(cell.value.error == nil)
    case .failure(let error):
      number = (error as? Broken)?.number ?? 0
      #expect(cell.value.error as? Broken == Broken(number: number))
    }
    // The load of the last request began after all other requests, and no request came after it.
    #expect(begun.value == number)
    #expect(most.value == 0)
    cell.finish()
    for await phase in phases {
      if case .loaded(let content) = phase { results.record(content) }
      if let error = phase.error as? Broken { results.record(error.number) }
    }
    #expect(zip(results.elements, results.elements.dropFirst()).allSatisfy { $0 < $1 })
    #expect(results.last == number)
  }
}
