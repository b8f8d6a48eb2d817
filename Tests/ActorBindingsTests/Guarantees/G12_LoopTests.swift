import ActorBindings
import Testing

@Suite
struct G12LoopTests {
  static let backlogs: [Backlog] = [.latest, .bounded(2), .unbounded]

  @Test(arguments: backlogs)
  func `G12 a cancelled task ends its loop while it is parked`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let loop = Task { await cell.values(backlog: backlog).elements() }
    await cell.parked(1)
    loop.cancel()
    #expect(await loop.value == [0])
    #expect(cell.observerCount == 0)
    await cell.parked(0)
  }

  @Test(arguments: backlogs)
  func `G12 a task that was cancelled before the first next receives nil at once`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let gate = Gate()
    let loop = Task {
      await gate.passed()
      var iterator = cell.values(backlog: backlog).makeAsyncIterator()
      let first = await iterator.next()
      let second = await iterator.next()
      return [first, second]
    }
    loop.cancel()
    gate.open()
    #expect(await loop.value == [nil, nil])
    #expect(cell.observerCount == 0)
  }

  @Test(arguments: backlogs)
  func `G12 a cancelled task receives nil at once, whatever its backlog holds`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let stream = cell.values(backlog: backlog)
    for value in 1...10 { cell.send(value) }
    let loop = Task {
      var seen = 0
      for await _ in stream {
        seen += 1
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
      return seen
    }
    #expect(await loop.value == 1)
    #expect(cell.observerCount == 0)
  }

  @Test(arguments: backlogs)
  func `G12 break frees the loop's position`(backlog: Backlog) async {
    let cell = BindableActor(0)
    for await _ in cell.values(backlog: backlog) {
      #expect(cell.observerCount == 1)
      break
    }
    #expect(cell.observerCount == 0)
  }

  @Test(arguments: backlogs)
  func `G12 releasing the iterator frees its position`(backlog: Backlog) {
    let cell = BindableActor(0)
    let stream = cell.values(backlog: backlog)
    // A stream that holds a position counts until its first iterator takes the position over.
    #expect(cell.observerCount == (backlog == .latest ? 0 : 1))
    var iterators = (0..<3).map { _ in stream.makeAsyncIterator() }
    #expect(cell.observerCount == 3)
    iterators.removeLast()
    #expect(cell.observerCount == 2)
    iterators = []
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G12 the end of one loop does not affect another`() async {
    let cell = BindableActor(0)
    let stream = cell.values(backlog: .unbounded)
    let seen = Recorder<Int>()
    let survivor = Task { for await value in stream { seen.record(value) } }
    let victims = (0..<10).map { index in
      Task {
        for await _ in stream where index % 2 == 0 { break }
      }
    }
    await seen.reached(1)
    await cell.parked(6)
    for victim in victims { victim.cancel() }
    for victim in victims { await victim.value }
    for value in 1...10 { cell.send(value) }
    cell.finish()
    await survivor.value
    #expect(seen.elements == Array(0...10))
  }

  @Test
  func `G12 an iterator that has ended returns only nil`() async {
    let cell = BindableActor(0)
    var iterator = cell.values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    cell.finish()
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
    #expect(cell.observerCount == 0)
  }

  @Test @MainActor
  func `G12 a loop in an actor runs only there`() async {
    let cell = BindableActor(0)
    let stream = cell.map { value in
      MainActor.assertIsolated()
      return value
    }.values
    for await value in stream {
      MainActor.assertIsolated()
      if value == 3 { break }
      cell.send(value + 1)
    }
    #expect(cell.value == 3)
  }
}
