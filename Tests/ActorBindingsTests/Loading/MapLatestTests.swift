import ActorBindings
import Foundation
import Testing

@Suite
struct MapLatestTests {
  private let cell = BindableActor(1)
  private let context = ManualContext()
  private let began = Recorder<Int>()
  private let ended = Recorder<Int>()
  private let seen = Recorder<String>()

  @Test
  func `readers see that a value is loading, and then its result`() async {
    let gate = Gate()
    let phases = cell.mapLatest { [began] value in
      began.record(value)
      // Otherwise the first result could come before the reader begins.
      await gate.passed()
      return "<\(value)>"
    }
    var iterator = phases.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next()?.description == "loading (attempt 1)")
    gate.open()
    #expect(await iterator.next()?.description == "loaded <1>")
    cell.send(2)
    #expect(await iterator.next()?.description == "loading (attempt 1)")
    #expect(await iterator.next()?.description == "loaded <2>")
    cell.finish()
    #expect(await iterator.next() == nil)
    #expect(began.elements == [1, 2])
  }

  @Test
  func `a newer value cancels the body, and its result is never seen`() async {
    let phases = cell.mapLatest { [began, ended] value in
      began.record(value)
      if value < 3 { await cancelled() }
      ended.record(value)
      return value
    }
    let token = phases.observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record("\($0)") }
    for value in 2...3 {
      await began.reached(value - 1)
      cell.send(value)
    }
    await ended.reached(3)
    await deliver(2)
    #expect(seen.elements == ["loading (attempt 1)", "loaded 3"])
    token.cancel()
  }

  @Test
  func `a body that ignores its cancellation delays the next one, and values replace each other meanwhile`()
    async
  {
    let gate = Gate()
    let phases = cell.mapLatest { [began] value in
      began.record(value)
      if value == 1 { await gate.passed() }
      return value
    }
    let token = phases.observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record("\($0)") }
    await began.reached(1)
    for value in 2...10 {
      cell.send(value)
      await cell.settled()
    }
    #expect(began.elements == [1])
    gate.open()
    await deliver(2)
    #expect(began.elements == [1, 10])
    #expect(seen.elements == ["loading (attempt 1)", "loaded 10"])
    token.cancel()
  }

  @Test
  func `an error is a state, and the next value starts the next call`() async {
    let phases = cell.mapLatest { value in
      if value == 2 { throw Problem() }
      return value
    }
    let gate = Gate()
    let keeping = cell.mapLatest(keepingLast: true) { value in
      await gate.passed()
      if value == 2 { throw Problem() }
      return value
    }
    var iterator = phases.compactMap { $0.isLoading ? nil : "\($0)" }.values(backlog: .unbounded)
      .makeAsyncIterator()
    var last = keeping.map(\.description).values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == "loaded 1")
    #expect(await last.next() == "loading (attempt 1)")
    gate.open()
    #expect(await last.next() == "loaded 1")
    cell.send(2)
    #expect(await iterator.next() == "failed: problem")
    for expected in ["reloading 1 (attempt 1)", "failed: problem, last 1"] {
      #expect(await last.next() == expected)
    }
    cell.send(3)
    #expect(await iterator.next() == "loaded 3")
    for expected in ["reloading 1 (attempt 1)", "loaded 3"] { #expect(await last.next() == expected) }
  }

  @Test
  func `all readers share the work, and a later reader begins with the state that they see`() async {
    let phases = cell.mapLatest { [began] value in
      began.record(value)
      return value
    }
    let contents = phases.compactMap(\.content)
    var iterators = (0..<10).map { _ in contents.values.makeAsyncIterator() }
    for index in iterators.indices { #expect(await iterators[index].next() == 1) }
    #expect(await contents.first { _ in true } == 1)
    #expect(began.elements == [1])
    #expect(cell.observerCount == 1)
  }

  @Test
  func `the work stops when the last reader has left, and begins again with the next reader`() async {
    let phases = cell.mapLatest { [began, ended] value in
      began.record(value)
      await cancelled()
      ended.record(value)
    }
    for round in 1...2 {
      let token = phases.observe(on: context.delivery) { _ in }
      await began.reached(round)
      #expect(ended.count == round - 1)
      token.cancel()
      await ended.reached(round)
      #expect(cell.observerCount == 0)
    }
    cell.send(2)
    #expect(began.elements == [1, 1])
  }

  @Test
  func `neither the body nor its cancellation handler runs on the thread of a writer or of a leaving reader`()
    async
  {
    let (threads, others) = (Recorder<UInt>(), Recorder<UInt>())
    let phases = cell.mapLatest { [began] value in
      threads.record(Claim.currentThread())
      began.record(value)
      await cancelled { threads.record(Claim.currentThread()) }
    }
    // This context runs its work at once: on the thread of the writer.
    let atOnce = DeliveryContext(id: "at once", now: { 0 }) { $0() }
    let token = phases.observe(on: atOnce) { _ in }
    await began.reached(1)
    let (isDone, mayEnd) = (Recorder<Void>(), Latch())
    Thread { [cell] in
      others.record(Claim.currentThread())
      cell.send(2)
      isDone.record(())
      // No other thread gets the identity of this one meanwhile.
      mayEnd.wait()
    }
    .start()
    await began.reached(2)
    Thread {
      others.record(Claim.currentThread())
      token.cancel()
      isDone.record(())
      mayEnd.wait()
    }
    .start()
    await isDone.reached(2)
    await threads.reached(4)
    #expect(Set(threads.elements).isDisjoint(with: others.elements))
    mayEnd.open()
  }

  @Test
  func `the result for the last value comes before the end, though nothing else holds the readers`() async {
    let gate = Gate()
    let owner = Owner()
    do {
      let cell = BindableActor(1)
      cell.mapLatest { [began] value in
        began.record(value)
        await gate.passed()
        return value
      }
      .observe(owner, on: context.delivery, backlog: .unbounded) { [seen] _, phase in seen.record("\(phase)")
      }
      await began.reached(1)
    }
    gate.open()
    await deliver(2)
    #expect(seen.elements == ["loading (attempt 1)", "loaded 1"])
    withExtendedLifetime(owner) {}
  }

  @Test
  func `the body is cancelled if the source dies together with the owner of the only reader`() async {
    do {
      let owner = Owner()
      owner.cell.mapLatest { [began, ended] value in
        began.record(value)
        await cancelled()
        ended.record(value)
      }
      .observe(owner, on: context.delivery) { _, _ in }
      await began.reached(1)
      context.run()
    }
    await eventually {
      context.run()
      return ended.count == 1
    }
  }

  @Test
  func `settled of the source waits until readers see that the value is loading`() async {
    let phases = cell.mapLatest { _ in await cancelled() }
    let token = phases.observe(on: context.delivery) { [seen] in seen.record("\($0)") }
    await cell.settled()
    context.run()
    #expect(seen.elements == ["loading (attempt 1)"])
    token.cancel()
  }

  @Test
  func `a debounced search loads its results`() async {
    let (search, clock, asked) = (BindableActor(""), ManualClock(), Recorder<String>())
    let results = search.debounce(for: .milliseconds(300), clock: clock).mapLatest { query in
      asked.record(query)
      return try await find(query)
    }
    var iterator = results.compactMap(\.content).values.makeAsyncIterator()
    for query in ["s", "sw", "swift"] {
      search.send(query)
      await search.settled()
    }
    await clock.slept(1)
    clock.advance(by: .milliseconds(300))
    #expect(await iterator.next() == ["swift!"])
    #expect(asked.elements == ["swift"])
  }

  // Runs the readers until they have received this number of states.
  private func deliver(_ count: Int) async {
    await eventually {
      context.run()
      return seen.count >= count
    }
  }
}

private final class Owner: Sendable {
  let cell = BindableActor(1)
}

private struct Problem: Error, CustomStringConvertible {
  let description = "problem"
}

private func find(_ query: String) async throws -> [String] {
  try Task.checkCancellation()
  return [query + "!"]
}
