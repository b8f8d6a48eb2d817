import ActorBindings
import Testing

/// How loops end.
@Suite
struct EndTests {
  private let cell = BindableActor(0)

  @Test
  func `break frees the loop's position`() async {
    for await _ in cell.values(backlog: .unbounded) { break }
    #expect(cell.observerCount == 0)
    #expect(cell.cell.locked { state, _ in state.keepsHistory } == false)
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `releasing an iterator frees its position, however far it has read`(backlog: Backlog) async {
    for steps in 0...2 {
      do {
        var iterator = cell.values(backlog: backlog).makeAsyncIterator()
        #expect(cell.observerCount == 1)
        (1...2).forEach(cell.send)
        for _ in 0..<min(steps, backlog == .latest ? 1 : 2) { _ = await iterator.next() }
      }
      #expect(cell.observerCount == 0)
      #expect(cell.cell.locked { state, _ in state.keepsHistory || state.window.count > 0 } == false)
    }
  }

  @Test
  func `a loop that is cancelled before its first next receives nil, though there is a value`() async {
    let seen = Recorder<Int?>()
    let (isCancelled, cell) = (Gate(), cell)
    let task = Task {
      await isCancelled.passed()
      var iterator = cell.values.makeAsyncIterator()
      seen.record(await iterator.next())
    }
    task.cancel()
    isCancelled.open()
    await task.value
    #expect(seen.elements == [nil])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `cancelled while parked: nil at once, and other loops continue`() async {
    let cell = cell
    let seen = Recorder<Int>()
    let other = Task {
      for await value in cell.values { seen.record(value) }
    }
    let task = Task {
      var count = 0
      for await _ in cell.values { count += 1 }
      return count
    }
    await cell.parked(2)
    task.cancel()
    #expect(await task.value == 1)
    #expect(cell.observerCount == 1)
    cell.send(1)
    await seen.reached(2)
    cell.finish()
    await other.value
    #expect(seen.elements == [0, 1])
  }

  @Test
  func `cancelled after the finish, with a backlog: nil at once`() async {
    let cell = cell
    let (isFirst, goOn) = (Gate(), Gate())
    let task = Task {
      var iterator = cell.values(backlog: .unbounded).makeAsyncIterator()
      _ = await iterator.next()
      isFirst.open()
      await goOn.passed()
      let rest = await iterator.next()
      return (rest, await iterator.next())
    }
    await isFirst.passed()
    (1...5).forEach(cell.send)
    cell.finish()
    task.cancel()
    goOn.open()
    #expect(await task.value == (nil, nil))
    #expect(cell.observerCount == 0)
  }

  @Test
  func `an iterator that has ended keeps returning nil`() async {
    var iterator = cell.values.makeAsyncIterator()
    _ = await iterator.next()
    cell.finish()
    for _ in 0..<3 { #expect(await iterator.next() == nil) }
  }

  @Test
  func `a loop is cancelled while an update wakes it`() async {
    let cell = cell
    for round in 0..<stressed(2_000) {
      let task = Task {
        for await _ in cell.values {}
      }
      if round % 2 == 0 { await Task.yield() }
      async let written: Void = cell.send(round)
      task.cancel()
      await task.value
      await written
    }
    #expect(cell.observerCount == 0)
    #expect(cell.cell.locked { $0.idle.members.count } == 0)
  }

  @Test
  func `one iterator used by two tasks at once traps`() async {
    await #expect(processExitsWith: .failure) {
      let cell = BindableActor(0)
      nonisolated(unsafe) let first = cell.values.makeAsyncIterator()
      let task = Task {
        var iterator = unsafe first
        while await iterator.next() != nil {}
      }
      await cell.parked(1)
      var second = unsafe first
      _ = await second.next()
      await task.value
    }
  }
}
