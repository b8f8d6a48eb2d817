import ActorBindings
import Testing

private struct NoNumber: Error, Equatable {
  let text: String
}

@Suite
struct TwoWayTests {
  private let a = BindableActor(1)
  private let b = BindableActor(2)

  @Test
  func `it begins with the first`() {
    a.bindTwoWay(to: b)
    #expect(b.value == 1)
    #expect(a.version == 0)
  }

  @Test
  func `what is sent to one is sent to the other, and does not come back`() async {
    a <->> b
    a.send(3)
    await a.settled()
    #expect(b.value == 3)
    b.send(4)
    await b.settled()
    #expect(a.value == 4)
    #expect(a.version == 2)
    #expect(b.version == 3)
  }

  @Test
  func `of two values that were sent at once the later one stays`() async {
    for isFirstLater in [false, true] {
      let token = a.bindTwoWay(to: b)
      // The binding runs on the first cell's isolation, which is taken meanwhile.
      await hold(a) {
        if isFirstLater { b.send(20) }
        a.send(10)
        if !isFirstLater { b.send(20) }
      }
      await a.settled()
      #expect(a.value == (isFirstLater ? 10 : 20))
      #expect(b.value == a.value)
      // Two bindings of the same cells would be a circle.
      token.cancel()
    }
  }

  @Test
  func `with conversions, and one that fails`() async {
    let text = BindableActor("")
    let failures = Recorder<NoNumber>()
    let token = a.bindTwoWay(
      to: text,
      transform: { String($0) },
      reverse: { text throws -> Int in
        guard let number = Int(text) else { throw NoNumber(text: text) }
        return number
      },
      onFailure: { if let failure = $0 as? NoNumber { failures.record(failure) } }
    )
    #expect(text.value == "1")
    text.send("5")
    await a.settled()
    #expect(a.value == 5)
    text.send("x")
    await a.settled()
    #expect(a.value == 5)
    #expect(text.value == "x")
    #expect(failures.elements == [NoNumber(text: "x")])
    a.send(7)
    await a.settled()
    #expect(text.value == "7")
    token.cancel()
    text.send("8")
    await a.settled()
    #expect(a.value == 7)
    #expect(text.observerCount == 0)
  }

  @Test
  func `a first conversion that fails leaves both as they are`() {
    let text = BindableActor("x")
    let failures = Counter()
    let token = text.bindTwoWay(
      to: a,
      transform: { text in
        guard let number = Int(text) else { throw NoNumber(text: text) }
        return number
      },
      reverse: { String($0) },
      onFailure: { _ in failures.add() }
    )
    #expect(a.value == 1)
    #expect(failures.value == 1)
    #expect(!token.isCancelled)
  }

  @Test
  func `it ends when one of the cells has finished, and hands its last value over before`() async {
    a <->> b
    a.send(3)
    a.finish()
    await a.settled()
    #expect(b.value == 3)
    b.send(4)
    await b.settled()
    #expect(a.value == 3)
    #expect(b.value == 4)
    #expect(b.observerCount == 0)
  }

  @Test
  func `neither cell is kept alive, and the binding ends with one of them`() async {
    weak var weakly: BindableActor<Int>?
    do {
      let c = BindableActor(3)
      weakly = c
      c.bindTwoWay(to: b)
      a.bindTwoWay(to: c)
    }
    await eventually { weakly == nil }
    b.send(5)
    a.send(6)
    await eventually { a.observerCount == 0 && b.observerCount == 0 }
  }

  @Test
  func `both sides written at once, 10,000 times: both end equal, on a value that was written last on one`()
    async
  {
    a.bindTwoWay(to: b)
    for round in 1...(10_000 * stressScale) {
      let (left, right) = (2 * round, 2 * round + 1)
      await concurrently(2) { [a, b] task in
        if task == 0 { a.send(left) } else { b.send(right) }
      }
      if round % 10 == 0 || round < 100 {
        await a.settled()
        #expect(a.value == b.value)
        #expect(a.value == left || a.value == right)
      }
    }
  }

  @Test
  func `both sides written by many tasks`() async {
    a <->> b
    await concurrently(8) { [a, b] task in
      let cell = task.isMultiple(of: 2) ? a : b
      await repeatedly(1_000 * stressScale) { cell.send(task * 1_000_000 + $0) }
    }
    await a.settled()
    #expect(a.value == b.value)
    #expect(a.value % 1_000_000 == 1_000 * stressScale - 1)
  }

  @Test
  func `in a circle they go on for ever, and leave others their turns`() async {
    let c = BindableActor(3)
    let tokens = [a <->> b, b <->> c, c <->> a]
    // On the pool, like the binding: a queue would wait for as long as there are tasks, if the pool had one thread.
    let (seen, worker) = (Recorder<Int>(), Worker())
    let token = b.observe(with: worker, backlog: .unbounded) { _, value in seen.record(value) }
    var updates = a.updates(backlog: .unbounded).makeAsyncIterator()
    for _ in 1...20 { #expect(await updates.next()?.value == 1) }
    await seen.reached(10)
    await a.settled()
    tokens.forEach { $0.cancel() }
    await token.cancelAndWait()
  }

  // Runs `body` while `actor` has something else to do.
  private func hold(_ actor: BindableActor<Int>, _ body: @escaping @Sendable () -> Void) async {
    await actor.run(body)
  }
}

extension BindableActor {
  fileprivate func run(_ body: @Sendable () -> Void) {
    body()
  }
}
