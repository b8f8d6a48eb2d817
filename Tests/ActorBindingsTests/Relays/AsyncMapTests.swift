import ActorBindings
import Foundation
import Testing

@Suite
struct AsyncMapTests {
  private let cell = BindableActor(1)
  private let context = ManualContext()
  private let began = Recorder<Int>()
  private let seen = Recorder<Int>()

  @Test
  func `each value is transformed, in order, one at a time`() async {
    let running = Counter()
    let stream = cell.asyncMap { [began] value in
      #expect(running.add() == 1)
      began.record(value)
      await Task.yield()
      running.add(-1)
      return 10 * value
    }
    .values(backlog: .unbounded)
    for value in 2...20 { cell.send(value) }
    cell.finish()
    #expect(await stream.elements() == (1...20).map { 10 * $0 })
    #expect(began.elements == Array(1...20))
  }

  @Test
  func `at most the given number of calls run, and outputs come in order`() async {
    let gates = (0...9).map { _ in Gate() }
    let mapped = cell.asyncMap(maxConcurrent: 3) { [began] value in
      began.record(value)
      await gates[value].passed()
      return value
    }
    let token = mapped.observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    for value in 2...9 { cell.send(value) }
    await began.reached(3)
    await cell.settled()
    #expect(began.elements.sorted() == [1, 2, 3])
    for value in [3, 2] { gates[value].open() }
    await cell.settled()
    context.run()
    #expect(seen.elements == [])
    #expect(began.count == 3)
    gates[1].open()
    await began.reached(6)
    #expect(began.elements.sorted() == Array(1...6))
    gates.forEach { $0.open() }
    await deliver(9)
    #expect(seen.elements == Array(1...9))
    token.cancel()
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `values wait in the backlog while all places are taken`(backlog: Backlog) async {
    let gate = Gate()
    let stream = cell.asyncMap(inputBacklog: backlog) { [began] value in
      began.record(value)
      await gate.passed()
      return value
    }
    .values(backlog: .unbounded)
    await began.reached(1)
    // The reader rests now, so no write wakes it.
    await cell.settled()
    for value in 2...9 { cell.send(value) }
    #expect(cell.cell.locked { $0.idle.members.count } == 0)
    gate.open()
    let rest = Array((2...9).suffix(Int(clamping: backlog.depth)))
    await began.reached(1 + rest.count)
    cell.finish()
    #expect(await stream.elements() == [1] + rest)
  }

  @Test
  func `an error is the result for its value, and the other calls go on`() async {
    let stream = cell.asyncMap { value in
      if value == 2 { throw Problem() }
      return value
    }
    .values(backlog: .unbounded)
    for value in 2...3 { cell.send(value) }
    cell.finish()
    let results = await stream.elements().map { result in
      switch result {
      case .success(let value): "\(value)"
      case .failure(let error): "\(error)"
      }
    }
    #expect(results == ["1", "Problem()", "3"])
  }

  @Test
  func `a typed error stays typed`() async {
    let source = cell.asyncMap { value async throws(Problem) -> Int in throw Problem() }
    let result: Result<Int, Problem>? = await source.first { _ in true }
    #expect(throws: Problem.self) { try result?.get() }
  }

  @Test
  func `when the source ends, the values in the backlog are transformed before the end`() async {
    let gate = Gate()
    let stream = cell.asyncMap(maxConcurrent: 2) { [began] value in
      began.record(value)
      await gate.passed()
      return value
    }
    .values(backlog: .unbounded)
    await began.reached(1)
    for value in 2...50 { cell.send(value) }
    cell.finish()
    gate.open()
    #expect(await stream.elements() == Array(1...50))
    #expect(cell.observerCount == 0)
  }

  @Test
  func `all calls are cancelled when the last reader has left, on another thread than the reader's`() async {
    let (threads, leavers) = (Recorder<UInt>(), Recorder<UInt>())
    let mapped = cell.asyncMap(maxConcurrent: 3) { [began] value in
      began.record(value)
      await cancelled { threads.record(Claim.currentThread()) }
      return value
    }
    let token = mapped.observe(on: context.delivery) { [seen] in seen.record($0) }
    for value in 2...5 { cell.send(value) }
    await began.reached(3)
    let mayEnd = Latch()
    Thread {
      leavers.record(Claim.currentThread())
      token.cancel()
      mayEnd.wait()
    }
    .start()
    await threads.reached(3)
    #expect(!threads.elements.contains(leavers.elements[0]))
    mayEnd.open()
    context.run()
    #expect(began.count == 3)
    #expect(seen.elements == [])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `all readers share the work`() async {
    let mapped = cell.asyncMap { [began] value in
      began.record(value)
      return value
    }
    var iterators = (0..<10).map { _ in mapped.values.makeAsyncIterator() }
    for index in iterators.indices { #expect(await iterators[index].next() == 1) }
    #expect(began.elements == [1])
    #expect(cell.observerCount == 1)
  }

  @Test
  func `a limit of zero ends the process`() async {
    await #expect(processExitsWith: .failure) {
      _ = BindableActor(1).asyncMap(maxConcurrent: 0) { $0 }
    }
  }

  private func deliver(_ count: Int) async {
    await eventually {
      context.run()
      return seen.count >= count
    }
  }
}

private struct Problem: Error {}
