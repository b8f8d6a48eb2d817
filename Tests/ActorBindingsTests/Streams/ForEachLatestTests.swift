import ActorBindings
import Testing

@Suite
struct ForEachLatestTests {
  private let cell = BindableActor(1)
  private let began = Recorder<Int>()
  private let ended = Recorder<Int>()

  @Test
  func `the function is called with the current value and with newer values, until the source ends`() async {
    let loop = Task { [cell, began] in await cell.forEachLatest { began.record($0) } }
    for value in 2...3 {
      await began.reached(value - 1)
      cell.send(value)
    }
    await began.reached(3)
    cell.finish()
    await loop.value
    #expect(began.elements == [1, 2, 3])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a newer value cancels the call, and the next call begins when it has ended`() async {
    let (gate, wasCancelled) = (Gate(), Recorder<Int>())
    let loop = Task { [cell, began, ended] in
      await cell.forEachLatest { value in
        began.record(value)
        if value == 1 {
          await cancelled { wasCancelled.record(value) }
          await gate.passed()
        }
        ended.record(value)
      }
    }
    await began.reached(1)
    cell.send(2)
    await wasCancelled.reached(1)
    cell.send(3)
    #expect(began.elements == [1])
    gate.open()
    await ended.reached(2)
    cell.finish()
    await loop.value
    // The next call has the value that was the newest when the cancelled call had ended.
    #expect(began.elements == [1, 3])
    #expect(ended.elements == [1, 3])
  }

  // A loop yields after 256 values, wherever it finds the last of them. The rounds with one value let this happen both
  // while a call runs and when a call has ended.
  @Test
  func `the next call has the newest value, however long the loop has run`() async {
    let (mayEnd, wasCancelled) = (Recorder<Int>(), Recorder<Int>())
    let loop = Task { [cell, began] in
      await cell.forEachLatest { value in
        began.record(value)
        await cancelled { wasCancelled.record(value) }
        await mayEnd.reached(wasCancelled.count)
      }
    }
    var newest = [1]
    for round in 1...900 {
      await began.reached(round)
      cell.send(2 * round)
      await wasCancelled.reached(round)
      if round % 3 > 0 { cell.send(2 * round + 1) }
      newest.append(cell.value)
      mayEnd.record(round)
    }
    await began.reached(901)
    loop.cancel()
    mayEnd.record(901)
    await loop.value
    #expect(zip(began.elements, newest).filter(!=).isEmpty)
    #expect(began.count == newest.count)
  }

  @Test
  func `a task that is cancelled while a call ends begins no other call`() async {
    let (gate, wasCancelled) = (Gate(), Recorder<Int>())
    let loop = Task { [cell, began] in
      await cell.forEachLatest { value in
        began.record(value)
        await cancelled { wasCancelled.record(value) }
        await gate.passed()
      }
    }
    await began.reached(1)
    cell.send(2)
    await wasCancelled.reached(1)
    loop.cancel()
    gate.open()
    await loop.value
    #expect(began.elements == [1])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a value that an operator rejects cancels nothing`() async {
    let loop = Task { [cell, began, ended] in
      await cell.filter { $0 != 2 }.forEachLatest { value in
        began.record(value)
        if value == 1 { await cancelled { ended.record(value) } }
      }
    }
    await began.reached(1)
    await cell.parked(1)
    cell.send(2)
    await cell.parked(1)
    #expect(ended.elements == [])
    cell.send(3)
    await began.reached(2)
    #expect(began.elements == [1, 3])
    cell.finish()
    await loop.value
  }

  @Test
  func `an error of the function ends the loop at once`() async {
    await #expect(throws: Problem.self) {
      try await cell.forEachLatest { (_: Int) async throws(Problem) in throw Problem() }
    }
    #expect(cell.observerCount == 0)
    #expect(!cell.isFinished)
  }

  @Test
  func `what a cancelled call throws is ignored`() async throws {
    let loop = Task { [cell, began] in
      try await cell.forEachLatest { value in
        began.record(value)
        if value < 3 {
          await cancelled()
          throw Problem()
        }
      }
    }
    for value in 2...3 {
      await began.reached(value - 1)
      cell.send(value)
    }
    await began.reached(3)
    cell.finish()
    try await loop.value
    #expect(began.elements == [1, 2, 3])
  }

  @Test
  func `cancelling the task cancels the call and waits for it`() async throws {
    let loop = Task { [cell, began, ended] in
      try await cell.forEachLatest { value in
        began.record(value)
        await cancelled()
        ended.record(value)
        throw Problem()
      }
    }
    await began.reached(1)
    loop.cancel()
    try await loop.value
    #expect(ended.elements == [1])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a task that is cancelled already calls nothing`() async {
    let loop = Task { [cell, began] in
      await cancelled()
      await cell.forEachLatest { began.record($0) }
    }
    loop.cancel()
    await loop.value
    #expect(began.elements == [])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `the last call runs to its end when the source ends`() async {
    let gate = Gate()
    let loop = Task { [cell, began, ended] in
      await cell.forEachLatest { value in
        began.record(value)
        await gate.passed()
        if !Task.isCancelled { ended.record(value) }
      }
    }
    await began.reached(1)
    cell.finish()
    gate.open()
    await loop.value
    #expect(ended.elements == [1])
  }
}

private struct Problem: Error {}
