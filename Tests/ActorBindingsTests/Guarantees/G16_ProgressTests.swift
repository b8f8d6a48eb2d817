import ActorBindings
import Dispatch
import Foundation
import Testing

@Suite
struct G16ProgressTests {
  @Test(arguments: [Backlog.latest, .unbounded])
  func `G16 a stream that always has a next value lets other tasks run, on one thread`(backlog: Backlog) async
  {
    let cell = BindableActor(0)
    let thread = QueueTaskExecutor(DispatchQueue(label: "one thread"))
    let otherRan = Flag()
    let loop = Task(executorPreference: thread) {
      var seen = 0
      for await value in cell.values(backlog: backlog) {
        // From the first element on, the other task is behind this task in the queue.
        if seen == 0 { Task(executorPreference: thread) { otherRan.set() } }
        if otherRan.isSet { break }
        seen += 1
        cell.send(value + 1)
      }
      return seen
    }
    #expect(await loop.value <= 10_000)
    #expect(otherRan.isSet)
  }

  @Test
  func `G16 a stream whose operators reject everything lets other tasks run`() async {
    let cell = BindableActor(0)
    let thread = QueueTaskExecutor(DispatchQueue(label: "one thread"))
    let (began, otherRan) = (Flag(), Flag())
    let loop = Task(executorPreference: thread) {
      let source = cell.filter { value in
        if !began.isSet {
          began.set()
          Task(executorPreference: thread) { otherRan.set() }
        }
        if otherRan.isSet { return true }
        cell.send(value + 1)
        return false
      }
      for await value in source.values { return value }
      return 0
    }
    #expect(await loop.value <= 10_000)
    #expect(otherRan.isSet)
  }

  @Test
  func `G16 a loop that repeatedly asks for the first value lets other tasks run, on one thread`() async {
    let cell = BindableActor(0)
    let thread = QueueTaskExecutor(DispatchQueue(label: "one thread"))
    let otherRan = Flag()
    let loop = Task(executorPreference: thread) {
      Task(executorPreference: thread) { otherRan.set() }
      var asked = 0
      while !otherRan.isSet, asked < 10_000 {
        _ = await cell.first { _ in true }
        asked += 1
      }
      return asked
    }
    #expect(await loop.value <= 1_000)
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `G16 a loop that makes an iterator for each value, of another cell each time, lets other tasks run`(
    backlog: Backlog
  )
    async
  {
    let thread = QueueTaskExecutor(DispatchQueue(label: "one thread"))
    let otherRan = Flag()
    let loop = Task(executorPreference: thread) {
      Task(executorPreference: thread) { otherRan.set() }
      var asked = 0
      while !otherRan.isSet, asked < 10_000 {
        var iterator = BindableActor(asked).values(backlog: backlog).makeAsyncIterator()
        _ = await iterator.next()
        asked += 1
      }
      return asked
    }
    #expect(await loop.value <= 1_000)
  }

  @Test
  func `G16 a loop of calls that find nothing to wait for lets other tasks run`() async throws {
    let (cell, loaded) = (BindableActor(0), LoadingCell { 1 })
    _ = try await loaded.load()
    #expect(try await callsUntilAnotherTaskRuns { await cell.settled() } <= 1_000)
    #expect(try await callsUntilAnotherTaskRuns { _ = try await loaded.load() } <= 1_000)
    let finished = LoadingCell { 1 }
    finished.finish()
    #expect(try await callsUntilAnotherTaskRuns { _ = try? await finished.load() } <= 1_000)
    #expect(try await callsUntilAnotherTaskRuns { _ = try? await finished.reload() } <= 1_000)
  }

  @Test
  func `G16 a loop of calls in a cancelled task lets other tasks run`() async throws {
    let (cell, context, loading) = (BindableActor(0), ManualContext(), LoadingCell { 1 })
    let token = cell.observe(on: context.delivery) { _ in }
    #expect(try await callsUntilAnotherTaskRuns(isCancelled: true) { await cell.settled() } <= 1_000)
    #expect(try await callsUntilAnotherTaskRuns(isCancelled: true) { _ = try? await loading.load() } <= 1_000)
    token.cancel()
  }

  // Repeats a call on an executor with one thread. Returns the number of calls before another task ran, 10,000 at most.
  private func callsUntilAnotherTaskRuns(
    isCancelled: Bool = false,
    _ call: @escaping @Sendable () async throws -> Void
  ) async throws -> Int {
    let thread = QueueTaskExecutor(DispatchQueue(label: "one thread"))
    let otherRan = Flag()
    let loop = Task(executorPreference: thread) {
      Task(executorPreference: thread) { otherRan.set() }
      if isCancelled { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      var calls = 0
      while !otherRan.isSet, calls < 10_000 {
        try await call()
        calls += 1
      }
      return calls
    }
    return try await loop.value
  }

  @Test @MainActor
  func `G16 a slow observer lets other work on the main actor run after a few calls`() async {
    let cell = BindableActor(0)
    let calls = Counter()
    let callsThen = Recorder<Int>()
    let token = cell.observe(on: .main, backlog: .unbounded) { _ in
      if calls.add() == 1 { Task { @MainActor in callsThen.record(calls.value) } }
      workForAMillisecond()
    }
    for value in 1...200 { cell.send(value) }
    await callsThen.reached(1)
    #expect(callsThen.elements[0] <= 16)
    token.cancel()
  }

  @Test
  func `G16 an endless writer with its reader lets other work on the main actor run`() async {
    let cell = BindableActor(0)
    let thread = QueueTaskExecutor(DispatchQueue(label: "one thread"))
    let stop = Flag()
    let writer = Task(executorPreference: thread) {
      while !stop.isSet {
        cell.modify { $0 += 1 }
        await Task.yield()
      }
    }
    let reader = Task(executorPreference: thread) {
      for await _ in cell.values(backlog: .unbounded) where stop.isSet { break }
    }
    await Task(executorPreference: thread) { stop.set() }.value
    await writer.value
    cell.send(0)
    await reader.value
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G16 a lane that always has a next value lets other work on its context run`() async {
    let cell = BindableActor(0)
    let station = Station()
    let otherRan = Gate()
    let stop = Flag()
    let token = cell.observe(on: .queue(station.queue)) { value in
      if value == 0 {
        station.run {
          stop.set()
          otherRan.open()
        }
      }
      if !stop.isSet { cell.send(value + 1) }
    }
    await otherRan.passed()
    await cell.settled()
    #expect(cell.value <= 100_000)
    withExtendedLifetime(token) {}
  }

  @Test
  func `G16 a relay whose operators are slow gives up its turn after a few elements`() async {
    let cell = BindableActor(0)
    let (began, latch) = (Gate(), Latch())
    let (hasSettled, wasInTime) = (Flag(), Flag())
    let source = cell.filter { value in
      if value == 0 {
        began.open()
        latch.wait()
      }
      workForAMillisecond()
      if value == 100 {
        let deadline = ContinuousClock.now + .seconds(20)
        while !hasSettled.isSet, ContinuousClock.now < deadline { sched_yield() }
        if hasSettled.isSet { wasInTime.set() }
      }
      return false
    }
    .throttle(for: .seconds(1), latest: false)
    let context = ManualContext()
    let token = source.observe(on: context.delivery) { _ in }
    // The test continues on a separate thread, since the filter blocks a thread of the pool.
    let thread = QueueTaskExecutor(DispatchQueue(label: "one thread"))
    await Task(executorPreference: thread) {
      await began.passed()
      // `settled()` waits only for the first value, and returns when the turn that read this value ends.
      let settled = Task(executorPreference: thread) {
        await cell.settled()
        hasSettled.set()
      }
      await Task(executorPreference: thread) {}.value
      for value in 1...200 { cell.send(value) }
      latch.open()
      await settled.value
    }.value
    await cell.settled()
    #expect(wasInTime.isSet)
    token.cancel()
  }

  @Test
  func `G16 update returns, though a handler on the cell writes for ever`() async {
    let cell = BindableActor(0)
    let stop = Flag()
    let token = cell.observe(on: .cell) { [weak cell] value in
      if !stop.isSet { cell?.send(value + 1) }
    }
    await cell.update(1)
    await cell.update(1)
    stop.set()
    await cell.settled()
    #expect(cell.value > 1)
    withExtendedLifetime(token) {}
  }

  @Test
  func `G16 no observation of a context starves behind one with a long backlog`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let order = Recorder<Int>()
    let long = cell.observe(on: context.delivery, backlog: .unbounded) { _ in order.record(0) }
    let short = cell.observe(on: context.delivery) { _ in order.record(1) }
    for value in 1...100_000 { cell.send(value) }
    context.run()
    #expect(order.count == 100_002)
    #expect(order.elements.firstIndex(of: 1)! < 1_000)
    withExtendedLifetime((long, short)) {}
  }

  @Test
  func `G16 a bounded observer gets its turn though a slower observer writes in each call`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Update<Int>>()
    let writer = cell.observe(on: context.delivery) { value in
      guard value < 100 else { return }
      for next in 1...5 { cell.send(value + next) }
    }
    let bounded = cell.versioned().observe(on: context.delivery, backlog: .bounded(2)) { seen.record($0) }
    context.run()
    #expect(seen.count >= 20)
    #expect(seen.elements.last?.value == 100)
    #expect(seen.elements.reduce(0) { $0 + $1.skipped } + seen.count == 101)
    withExtendedLifetime((writer, bounded)) {}
  }
}

private func workForAMillisecond() {
  let begun = ContinuousClock.now
  while ContinuousClock.now - begun < .milliseconds(1) {}
}
