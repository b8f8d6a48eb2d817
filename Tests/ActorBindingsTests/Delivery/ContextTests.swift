import ActorBindings
import Dispatch
import Testing

/// Tests that handlers of `observe(on:)` and `observe(with:)` run only on their context.
@Suite
struct ContextTests {
  private let cell = BindableActor(0)
  private let seen = Recorder<Int>()

  /// Sends some values, and expects that the handler receives all of them until it is cancelled.
  private func exercise(_ token: BindingToken) async {
    await seen.reached(1)
    for value in 1...20 {
      cell.send(value)
      await cell.settled()
    }
    #expect(seen.elements == Array(0...20))
    await token.cancelAndWait()
    cell.send(21)
    #expect(seen.count == 21)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a serial queue`() async {
    let queue = DispatchQueue(label: "serial")
    let token = cell.observe(on: .queue(queue)) { [seen] in
      dispatchPrecondition(condition: .onQueue(queue))
      seen.record($0)
    }
    await exercise(token)
  }

  @Test
  func `a concurrent queue, on which no two calls overlap`() async {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let inside = Counter()
    let bag = DisposeBag()
    let others = Recorder<Int>()
    let alone: @Sendable () -> Void = {
      dispatchPrecondition(condition: .onQueue(queue))
      #expect(inside.add() == 1)
      inside.add(-1)
    }
    for _ in 0..<10 {
      cell.observe(on: .queue(queue), backlog: .unbounded) { value in
        alone()
        others.record(value)
      }.store(in: bag)
    }
    let token = cell.observe(on: .queue(queue), backlog: .unbounded) { [seen] value in
      alone()
      seen.record(value)
    }
    await concurrently(4) { _ in
      for _ in 0..<250 { cell.modify { $0 += 1 } }
    }
    await cell.settled()
    #expect(seen.elements == Array(seen.elements[0]...1_000))
    #expect(others.elements.filter { $0 == 1_000 }.count == 10)
    token.cancel()
    bag.dispose()
  }

  @Test
  func `the thread of the writer, before the write returns`() {
    let writer = DispatchQueue(label: "writer")
    let token = writer.sync {
      cell.observe(on: .immediate, backlog: .unbounded) { [seen] in
        dispatchPrecondition(condition: .onQueue(writer))
        seen.record($0)
      }
    }
    #expect(seen.elements == [0])
    writer.sync { cell.send(1) }
    #expect(seen.elements == [0, 1])
    token.cancel()
    cell.send(2)
    #expect(seen.elements == [0, 1])
  }

  @Test
  func `on the thread of the writer, a write during a call is delivered by the thread of that call`() {
    let other = DispatchQueue(label: "other writer")
    let token = cell.observe(on: .immediate, backlog: .unbounded) { [seen, cell] value in
      seen.record(value)
      guard value == 1 else { return }
      // This write is over while the call of the handler is running, so it has not waited for the handler.
      other.sync { cell.send(2) }
      #expect(seen.elements == [0, 1])
    }
    cell.send(1)
    #expect(seen.elements == [0, 1, 2])
    token.cancel()
  }

  @Test
  func `a task executor`() async {
    let station = Station()
    let token = cell.observe(on: .taskExecutor(station)) { [seen] in
      dispatchPrecondition(condition: .onQueue(station.queue))
      seen.record($0)
    }
    await exercise(token)
  }

  @Test
  func `a serial executor, which counts as isolated`() async {
    let executor = QueueSerialExecutor()
    let token = cell.observe(on: .serialExecutor(executor)) { [seen] in
      dispatchPrecondition(condition: .onQueue(executor.queue))
      executor.preconditionIsolated()
      seen.record($0)
    }
    await exercise(token)
  }

  @Test
  func `the main actor`() async {
    let token = cell.observe(on: .main) { [seen] value in
      MainActor.preconditionIsolated()
      MainActor.assumeIsolated { seen.record(value) }
    }
    await exercise(token)
  }

  @Test
  func `the cell`() async {
    let token = cell.observe(on: .cell) { [seen, unowned cell] in
      cell.preconditionIsolated()
      seen.record($0)
    }
    await exercise(token)
  }

  @Test
  func `an actor, which is held weakly`() async {
    weak var gone: Worker?
    let token: BindingToken
    do {
      let worker = Worker()
      gone = worker
      token = cell.observe(with: worker) { worker, value in
        worker.preconditionIsolated()
        dispatchPrecondition(condition: .onQueue(worker.station.queue))
        worker.record(value)
      }
      cell.send(1)
      await cell.settled()
      #expect(await worker.elements.last == 1)
    }
    await eventually { gone == nil }
    cell.send(2)
    await cell.settled()
    #expect(token.isCancelled)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `an owner, on a queue`() async {
    let queue = DispatchQueue(label: "serial")
    let owner = Counter()
    cell.observe(owner, on: .queue(queue)) { owner, value in
      dispatchPrecondition(condition: .onQueue(queue))
      owner.set(value)
    }
    cell.send(5)
    await cell.settled()
    #expect(owner.value == 5)
  }

  @Test
  func `a custom context runs its work on any thread, at any time`() {
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { [seen] in seen.record($0) }
    #expect(context.pending == 1)
    #expect(seen.count == 0)
    cell.send(1)
    #expect(context.pending == 1)
    context.run()
    #expect(seen.elements == [1])
    token.cancel()
  }

  @Test
  func `a custom context may run its work at once`() {
    let context = DeliveryContext(id: "at once") { $0() }
    let token = cell.observe(on: context, backlog: .unbounded) { [seen, cell] in
      seen.record($0)
      if $0 % 2 == 1 { cell.send($0 + 1) }
    }
    cell.send(1)
    cell.send(3)
    #expect(seen.elements == [0, 1, 2, 3, 4])
    token.cancel()
  }

  @Test
  func `a custom context that runs its work at once is not entered without limit`() {
    let depth = Guarded(0)
    let deepest = Guarded(0)
    let context = DeliveryContext(id: "at once, for long") { work in
      let now = depth.withLock { depth in
        depth += 1
        return depth
      }
      deepest.withLock { $0 = max($0, now) }
      work()
      depth.withLock { $0 -= 1 }
    }
    let cell = BindableActor(0)
    let token = cell.observe(on: context) { if $0 < 100_000 { cell.send($0 + 1) } }
    #expect(cell.value == 100_000)
    #expect(deepest.withLock { $0 } <= 2)
    token.cancel()
  }

  @Test
  func `a custom context may run its work twice, and the second run does nothing`() {
    let context = DeliveryContext(id: "twice") { work in
      work()
      work()
    }
    let token = cell.observe(on: context) { [seen] in seen.record($0) }
    cell.send(1)
    #expect(seen.elements == [0, 1])
    token.cancel()
  }

  @Test
  func `a custom context that drops its work ends its observations, and may be used again`() {
    let context = ManualContext()
    let first = cell.observe(on: context.delivery) { [seen] in seen.record($0) }
    context.run()
    cell.send(1)
    context.drop()
    #expect(first.isCancelled)
    #expect(cell.observerCount == 0)
    let second = cell.observe(on: context.delivery) { [seen] in seen.record($0) }
    context.run()
    #expect(seen.elements == [0, 1])
    #expect(!second.isCancelled)
  }

  @Test
  func `a custom context that drops everything at once`() {
    let token = cell.observe(on: DeliveryContext(id: "gone") { _ in }) { [seen] in seen.record($0) }
    #expect(token.isCancelled)
    #expect(cell.observerCount == 0)
    #expect(seen.count == 0)
  }
}
