import ActorBindings
import Testing

/// A sequence that yields what a test gives it, and ignores cancellation.
private struct DeafSequence: AsyncSequence, Sendable {
  let asked = Gate()
  let answer = Gate()

  struct Iterator: AsyncIteratorProtocol {
    let sequence: DeafSequence
    var next = 0

    mutating func next() async -> Int? {
      sequence.asked.open()
      await sequence.answer.passed()
      next += 1
      return next
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }
}

/// A sequence without elements, which ends when its gate is opened or its task is cancelled. The sequence reports when
/// the task waits, and when the task is cancelled.
private struct SilentSequence: AsyncSequence, Sendable {
  let waits: Flag
  var gate = Gate()
  var onCancel: @Sendable () -> Void = {}

  struct Iterator: AsyncIteratorProtocol {
    let sequence: SilentSequence

    mutating func next() async -> Int? {
      await withTaskCancellationHandler {
        sequence.waits.set()
        await sequence.gate.passed()
      } onCancel: { [sequence] in
        sequence.onCancel()
        sequence.gate.open()
      }
      return nil
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }
}

/// A sequence that always has an element, so its reader never suspends.
private struct ReadySequence: AsyncSequence, Sendable {
  let count: Int

  struct Iterator: AsyncIteratorProtocol {
    var rest: Int

    mutating func next() async -> Int? {
      rest -= 1
      return rest < 0 ? nil : rest
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: count) }
}

private struct Broken: Error {}

@Suite struct FollowTests {
  private let ends = Recorder<String>()

  private var onEnd: @Sendable (FollowOutcome) -> Void {
    { [ends] end in
      switch end {
      case .finished: ends.record("finished")
      case .failed(let error): ends.record("failed: \(type(of: error))")
      case .cancelled: ends.record("cancelled")
      }
    }
  }

  @Test func `each element is sent, in order, and the end is reported`() async {
    let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
    let cell = BindableActor(0, following: elements, onEnd: onEnd)
    let all = cell.values(backlog: .unbounded)
    for element in 1...100 { continuation.yield(element) }
    continuation.finish()
    await ends.reached(1)
    #expect(ends.elements == ["finished"])
    #expect(!cell.isFinished)
    cell.finish()
    #expect(await all.elements().suffix(100) == Array(1...100))
  }

  @Test func `an error is reported, and the last value stays`() async {
    let (elements, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
    let cell = BindableActor(0)
    let token = cell.follow(elements, onEnd: onEnd)
    continuation.yield(1)
    continuation.finish(throwing: Broken())
    await ends.reached(1)
    #expect(ends.elements == ["failed: Broken"])
    #expect(cell.value == 1)
    #expect(!token.isCancelled)
    #expect(token.hasEnded)
  }

  @Test func `an element may change the value`() async {
    let (ticks, continuation) = AsyncStream.makeStream(of: (String, Int).self)
    let prices = BindableDictionary(["a": 1])
    prices.follow(ticks, applying: { $0[$1.0] = $1.1 }, onEnd: onEnd)
    continuation.yield(("b", 2))
    continuation.yield(("a", 3))
    continuation.finish()
    await ends.reached(1)
    #expect(Dictionary(uniqueKeysWithValues: prices.value.map { ($0.key, $0.value) }) == ["a": 3, "b": 2])
  }

  @Test func `G8 after cancel nothing is sent`() async {
    let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
    let cell = BindableActor(0)
    let token = cell.follow(elements, onEnd: onEnd)
    continuation.yield(1)
    _ = await cell.first { $0 == 1 }
    token.cancel()
    #expect(token.isCancelled)
    continuation.yield(2)
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
    #expect(cell.value == 1)
  }

  @Test func `G8 cancelAndWait waits for the element that is being written`() async {
    let (cell, executor) = (BindableActor(0), ManualExecutor())
    let (entered, going, hasWaited) = (Latch(), Latch(), Flag())
    let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
    let token = cell.follow(
      elements,
      applying: { value, element in
        entered.open()
        going.wait()
        value = element
      },
      onEnd: onEnd
    )
    continuation.yield(1)
    // Waits on a separate thread: the pool may have only one thread, and the handler of the element blocks it.
    await onThread {
      entered.wait()
      Task(executorPreference: executor) {
        await token.cancelAndWait()
        hasWaited.set()
      }
      executor.run()
      #expect(token.isCancelled)
      #expect(!hasWaited.isSet)
      going.open()
    }
    await eventually {
      executor.run()
      return hasWaited.isSet
    }
    #expect(cell.value == 1)
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
  }

  @Test func `G8 cancelAndWait does not wait for handlers of written elements`() async {
    let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
    let cell = BindableActor(0)
    let token = cell.follow(elements)
    for element in 1...3 {
      continuation.yield(element)
      _ = await cell.first { $0 == element }
    }
    await token.cancelAndWait()
    #expect(cell.value == 3)
  }

  @Test(arguments: [1_024, 4_096])
  func `G16 a sequence that always has an element lets other tasks run`(_ count: Int) async {
    let (executor, isOver) = (ManualExecutor(), Flag())
    Task(executorPreference: executor) {
      _ = await ActorBindings.SequenceFollowing().write(ReadySequence(count: count)) { _ in }
      isOver.set()
    }
    executor.run()
    #expect(isOver.isSet)
    // After every 256 elements, the task of the following goes to the end of the queue. The return of the task may take
    // another job.
    #expect(executor.total > count / 256)
    #expect(executor.total <= 1 + 2 * (count / 256))
  }

  @Test func `a sequence that throws because of a cancellation counts as cancelled`() async {
    let (cell, waits) = (BindableActor(0), Flag())
    let elements = AsyncThrowingStream<Int, any Error> { () async throws -> Int? in
      for await _ in SilentSequence(waits: waits) {}
      throw Broken()
    }
    let token = cell.follow(elements, onEnd: onEnd)
    await eventually { waits.isSet }
    token.cancel()
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
  }

  @Test func `a sequence that never yields is cancelled when the cell is released`() async {
    let elements = AsyncStream<Int> { _ in }
    var cell: BindableActor? = BindableActor(0, following: elements, onEnd: onEnd)
    withExtendedLifetime(cell) {}
    cell = nil
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
  }

  @Test func `G13 a sequence ends with its cell, and leaves nothing behind`() async {
    let census = Census()
    do {
      let citizen = census.citizen()
      let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
      let cell = BindableActor(0)
      let token = cell.follow(elements, applying: { [citizen] in $0 = $1 + citizen.number }, onEnd: onEnd)
      continuation.yield(1)
      _ = await cell.first { $0 == 1 }
      cell.finish()
      await ends.reached(1)
      #expect(!token.isCancelled)
      #expect(token.hasEnded)
    }
    await eventually { census.alive == 0 }
  }

  @Test func `sequences that have ended leave nothing in the cell`() async {
    let cell = BindableActor(0)
    for _ in 0..<500 {
      cell.follow(AsyncStream<Int> { $0.finish() }, onEnd: onEnd)
    }
    await ends.reached(500)
    await eventually { cell.cell.locked { $0.endWaiterCount } == 0 }
  }

  @Test func `a finished cell follows nothing`() async {
    let cell = BindableActor(0)
    cell.finish()
    let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    let token = cell.follow(elements, onEnd: onEnd)
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
    #expect(token.hasEnded)
    #expect(cell.value == 0)
  }

  @Test func `an element that a sequence yields after its cancellation is discarded`() async {
    let deaf = DeafSequence()
    let cell = BindableActor(0)
    let token = cell.follow(deaf, onEnd: onEnd)
    await deaf.asked.passed()
    await token.cancelAndWait()
    #expect(ends.count == 0)
    deaf.answer.open()
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
    #expect(cell.version == 0)
  }

  @Test func `a bag ends a following, and forgets those that have ended`() async {
    let cell = BindableActor(0)
    let bag = DisposeBag()
    let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
    cell.follow(elements, onEnd: onEnd).store(in: bag)
    withExtendedLifetime(continuation) { bag.dispose() }
    await ends.reached(1)
    #expect(ends.elements == ["cancelled"])
  }

  @Test func `several sequences write one cell, and each ends independently`() async {
    let cell = BindableActor(0)
    let streams = (0..<8).map { _ in AsyncStream.makeStream(of: Int.self) }
    let tokens = streams.map { cell.follow($0.stream, applying: { $0 += $1 }, onEnd: onEnd) }
    for round in 0..<100 { for stream in streams { stream.continuation.yield(round) } }
    _ = await cell.first { $0 == 8 * 4950 }
    // Ends a following in the middle, the first and the last. The rest end with the cell.
    for index in [3, 0, 7] { tokens[index].cancel() }
    await ends.reached(3)
    streams[4].continuation.finish()
    await ends.reached(4)
    #expect(ends.elements == ["cancelled", "cancelled", "cancelled", "finished"])
    cell.finish()
    await ends.reached(8)
    #expect(ends.elements.count { $0 == "cancelled" } == 7)
  }

  @Test func `G11 a sequence that ends while its cell finishes does not keep other sequences from ending`()
    async
  {
    let cell = BindableActor(0)
    let waits = (0..<3).map { _ in Flag() }
    let (cancelled, gate, gone) = (Flag(), Gate(), Latch())
    cell.follow(SilentSequence(waits: waits[0]) { cancelled.set() })
    do {
      let mortal = Mortal { gone.open() }
      cell.follow(SilentSequence(waits: waits[1], gate: gate)) { _ in _ = mortal }
    }
    // When the cell ends, it cancels this newest following first, which lets the previous following end.
    cell.follow(
      SilentSequence(waits: waits[2]) {
        gate.open()
        gone.wait()
      }
    )
    await eventually { waits.allSatisfy(\.isSet) }
    // Finishes the cell on a separate thread, because the cancellation above blocks the thread that finishes it.
    await onThread { cell.finish() }
    #expect(cancelled.isSet)
  }

  @Test func `G11 sequences end while their cells do`() async {
    for _ in 0..<stressed(200) {
      let (cell, ends) = (BindableActor(0), ends)
      let sources = (0..<8).map { BindableActor($0) }
      let before = ends.count
      for source in sources {
        cell.follow(source.values) { [weak cell, ends] _ in
          cell?.finish(); ends.record("")
        }
      }
      await concurrently(2) { index in
        if index == 0 { return cell.finish() }
        for index in [0, 2, 4, 6] { sources[index].finish() }
      }
      await ends.reached(before + 8)
    }
  }

  @Test func `a cell of an optional follows too, and holds nil before the first element`() async {
    let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
    let (cell, other) = (BindableActor(following: elements, onEnd: onEnd), BindableActor<Int?>())
    #expect(cell.value == nil)
    other.follow(
      AsyncStream<Int> {
        $0.yield(2); $0.finish()
      },
      onEnd: onEnd
    )
    continuation.yield(1)
    continuation.finish()
    await ends.reached(2)
    #expect(cell.value == 1)
    #expect(other.value == 2)
  }

  @Test func `a cell can follow the values of another one`() async {
    let (first, second) = (BindableActor(1), BindableActor(0))
    second.follow(first.values(backlog: .unbounded), onEnd: onEnd)
    first.send(2)
    first.finish()
    await ends.reached(1)
    #expect(second.value == 2)
    #expect(ends.elements == ["finished"])
  }
}
