import ActorBindings
import Testing

/// A programmer's error ends the process with a message that says what was wrong.
@Suite
struct TrapTests {
  // Sharing an iterator, which is not Sendable, is the error.
  private struct Smuggled: @unchecked Sendable {
    let iterator: BindingStream<CellCursor<Int>>.Iterator
  }

  private func says(_ text: String, _ result: ExitTest.Result?) -> Bool {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(text)
  }

  @Test
  func `a backlog with the bound 0 traps`() async {
    let stream = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = BindableActor(0).values(backlog: .bounded(0))
    }
    #expect(says("Backlog.bounded(0)", stream))
    let observation = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = BindableActor(0).observe(on: .main, backlog: .bounded(-1)) { _ in }
    }
    #expect(says("Backlog.bounded(-1)", observation))
  }

  @Test
  func `a retry policy without an attempt, or that goes back in time, traps`() async {
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RetryPolicy.backoff(attempts: 0)
    }
    #expect(says("at least 1 attempt, not 0", none))
    let shrinking = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RetryPolicy.backoff(factor: 0.5)
    }
    #expect(says("a factor of 1 or more, not 0.5", shrinking))
    let nervous = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RetryPolicy.backoff(jitter: 2)
    }
    #expect(says("from 0 to 1, and not 2.0", nervous))
  }

  @Test
  func `one iterator used by two tasks at once traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let cell = BindableActor(0)
      let smuggled = Smuggled(iterator: cell.values.makeAsyncIterator())
      let first = Task {
        var mine = smuggled.iterator
        while await mine.next() != nil {}
      }
      await cell.parked(1)
      var mine = smuggled.iterator
      _ = await mine.next()
      await first.value
    }
    #expect(says("two tasks at once", result))
  }

  @Test
  func `a modify body that writes its own cell traps`() async {
    let byModify = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let cell = BindableActor(0)
      cell.modify { value in
        value += 1
        cell.send(value)
      }
    }
    #expect(says("writes to a cell that it has read", byModify))
    let byUpdate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let cell = BindableActor(0)
      await cell.update { value in
        cell.modify { $0 += 1 }
        value += 1
      }
    }
    #expect(says("writes to a cell that it has read", byUpdate))
  }

  @Test
  func `a transaction whose body writes to one of its cells by other means traps`() async {
    let bySend = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (read, written) = (BindableActor(0), BindableActor(0))
      BindingTransaction.run { transaction in
        transaction[written] = transaction[read]
        read.send(1)
      }
    }
    #expect(says("writes to a cell that it has read", bySend))
    let byAnother = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (read, written) = (BindableActor(0), BindableActor(0))
      BindingTransaction.run { transaction in
        transaction[written] = transaction[read]
        BindingTransaction.run { other in
          other[written] += 1
          other[read] += 1
        }
      }
    }
    #expect(says("writes to a cell that it has read", byAnother))
  }
  @Test
  func `a body that exchanges its transaction for another one traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (a, b) = (BindableActor(0), BindableActor(0))
      BindingTransaction.run { outer in
        outer[a] += 1
        BindingTransaction.run { inner in
          inner[b] += 1
          swap(&outer, &inner)
        }
      }
    }
    #expect(says("exchanged it for another one", result))
  }
}
