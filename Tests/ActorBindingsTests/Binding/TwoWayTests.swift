import ActorBindings
import Testing

private struct NoNumber: Error, Equatable {
  let text: String
}

private struct Incomparable: Sendable {
  let number: Int
}

private struct Confined: Sendable {
  let number: Int
}

extension Confined: @MainActor Equatable {
  @MainActor
  static func == (one: Confined, other: Confined) -> Bool {
    MainActor.preconditionIsolated()
    return one.number == other.number
  }
}

@Suite
struct TwoWayTests {
  private let a = BindableActor(1)
  private let b = BindableActor(2)

  @Test
  func `a two-way binding begins with the value of the first cell`() {
    a.bindTwoWay(to: b)
    #expect(b.value == 1)
    #expect(a.version == 0)
  }

  @Test
  func `a value that is sent to one cell is sent to the other, and not back`() async {
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
  func `if two values are sent at once, the later one stays`() async {
    for isFirstLater in [false, true] {
      let token = a.bindTwoWay(to: b)
      // The binding runs on the isolation of `a`, which is busy while the values are sent.
      await hold(a) {
        if isFirstLater { b.send(20) }
        a.send(10)
        if !isFirstLater { b.send(20) }
      }
      await a.settled()
      #expect(a.value == (isFirstLater ? 10 : 20))
      #expect(b.value == a.value)
      token.cancel()
    }
  }

  @Test
  func `a conversion that fails leaves the other cell as it was`() async {
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
  func `a first conversion that fails changes neither cell`() {
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
  func `a value that comes during a first conversion that fails is copied`() async {
    let text = BindableActor("x")
    let token = text.bindTwoWay(
      to: a,
      transform: { [a] text in
        guard let number = Int(text) else {
          a.send(5)
          throw NoNumber(text: text)
        }
        return number
      },
      reverse: { String($0) },
      onFailure: { _ in }
    )
    await text.settled()
    #expect(text.value == "5")
    #expect(a.value == 5)
    token.cancel()
  }

  @Test
  func `a two-way binding copies a value that comes with the end while it converts another`() async {
    let token = a.bindTwoWay(
      to: b,
      transform: { [a] number in
        if number == 2 {
          a.send(3)
          a.finish()
        }
        return number
      },
      reverse: { $0 }
    )
    a.send(2)
    await eventually { token.isCancelled || b.observerCount == 0 }
    #expect(b.value == 3)
  }

  @Test
  func `a two-way binding copies the last value of a finished cell, and ends`() async {
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
  func `a two-way binding with a finished cell copies nothing`() async {
    b.finish()
    a <->> b
    await a.settled()
    #expect(a.value == 1)
    #expect(b.value == 2)
    #expect(a.observerCount == 0)
  }

  @Test
  func `a two-way binding keeps neither cell alive, and ends with either`() async {
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
  func `after 10,000 writes to both sides at once, both hold the last value of one side`()
    async
  {
    a.bindTwoWay(to: b)
    for round in 1...stressed(10_000) {
      let (left, right) = (2 * round, 2 * round + 1)
      await concurrently(2) { [a, b] task in
        if task == 0 { a.send(left) } else { b.send(right) }
      }
      await a.settled()
      #expect(a.value == b.value)
      #expect(a.value == left || a.value == right)
    }
  }

  @Test
  func `many tasks write both sides, and the cells end equal`() async {
    a <->> b
    await concurrently(8) { [a, b] task in
      let cell = task.isMultiple(of: 2) ? a : b
      await repeatedly(stressed(1_000)) { cell.send(task * 1_000_000 + $0) }
    }
    await a.settled()
    #expect(a.value == b.value)
    #expect(a.value % 1_000_000 == stressed(1_000) - 1)
  }

  @Test
  func `a two-way binding does not write an equal value`() async {
    let c = BindableActor(1)
    a <->> c
    #expect(c.version == 0)
    await hold(a) { [a] in
      a.send(3)
      c.send(3)
    }
    await a.settled()
    #expect(a.version == 1)
    #expect(c.version == 1)
    // The binding still follows both cells.
    a.send(4)
    await a.settled()
    #expect(c.value == 4)
    c.send(5)
    await c.settled()
    #expect(a.value == 5)
  }

  @Test
  func `a two-way binding compares converted values, on each side`() async {
    let text = BindableActor("01")
    a.bindTwoWay(to: text, transform: { String($0) }, reverse: { Int($0) ?? 0 })
    #expect(text.value == "1")
    #expect(text.version == 1)
    // The text `001` converts to the same number as `1`, so the binding does not replace the text.
    text.send("001")
    await text.settled()
    #expect(a.version == 0)
    #expect(text.value == "001")
    await hold(a) { [a] in
      text.send("7")
      a.send(7)
    }
    await a.settled()
    #expect(a.version == 1)
    #expect(text.version == 3)
  }

  @Test
  func `a two-way binding treats nil as equal to nil`() async {
    let (c, d) = (BindableActor<Int?>(1), BindableActor<Int?>(nil))
    d <->> c
    #expect(c.value == nil)
    c <->> d
    #expect(d.version == 0)
    c.send(2)
    await c.settled()
    #expect(d.value == 2)
    d.send(nil)
    await d.settled()
    #expect(c.value == nil)
    #expect(c.version == 3)
    #expect(d.version == 2)
  }

  @Test
  func `an == that is isolated to the main actor runs only there`() async {
    let (c, d) = (BindableActor(Confined(number: 1)), BindableActor(Confined(number: 1)))
    let bind = { @MainActor in c.bindTwoWay(to: d) }
    let token = await bind()
    #expect(d.version == 0)
    // The binding runs on another isolation, where the values cannot be compared.
    c.send(Confined(number: 1))
    await c.settled()
    #expect(d.version == 1)
    token.cancel()
  }

  @Test
  func `two-way bindings in a circle come to rest`() async {
    let c = BindableActor(3)
    a <->> b
    b <->> c
    c <->> a
    // Each binding made its second cell equal to its first cell when it began, so all cells have the value of `a`.
    await allSettled(a, b, c)
    #expect([a, b, c].map(\.version) == [0, 1, 1])
    for (round, cell) in [a, b, c, b, a].enumerated() {
      cell.send(10 + round)
      await allSettled(a, b, c)
      #expect([a, b, c].map(\.value) == Array(repeating: 10 + round, count: 3))
    }
    // In each round, each cell was written once: by the test or by a binding.
    #expect([a, b, c].map(\.version) == [5, 6, 6])
  }

  @Test
  func `two bindings of the same cells come to rest, and so does a binding of a cell to itself`() async {
    a <->> b
    a <->> b
    b <->> a
    a <->> a
    a.send(3)
    await allSettled(a, b)
    #expect(b.value == 3)
    b.send(4)
    await allSettled(a, b)
    #expect([a, b].map(\.value) == [4, 4])
    #expect([a, b].map(\.version) == [2, 3])
  }

  @Test
  func `two bindings of the same cells, written by many tasks`() async {
    a <->> b
    a <->> b
    await concurrently(8) { [a, b] task in
      let cell = task.isMultiple(of: 2) ? a : b
      await repeatedly(stressed(1_000)) { cell.send(task * 1_000_000 + $0) }
    }
    await allSettled(a, b)
    #expect(a.value == b.value)
    #expect(a.value % 1_000_000 == stressed(1_000) - 1)
  }

  @Test
  func `two bindings that round come to rest on a rounded value`() async {
    let exact = BindableActor(0.0)
    for _ in 1...2 { exact.bindTwoWay(to: a, transform: { Int($0.rounded()) }, reverse: { Double($0) }) }
    exact.send(1.7)
    await allSettled(exact)
    #expect(a.value == 2)
    // The second binding does not know that the first binding has rounded the value.
    #expect(exact.value == 2)
  }

  @Test
  func `a circle of values that are not Equatable never rests, and lets other tasks run`() async {
    let cells = (1...3).map { BindableActor(Incomparable(number: $0)) }
    let (a, b, c) = (cells[0], cells[1], cells[2])
    let tokens = [a <->> b, b <->> c, c <->> a]
    // The observer runs on the pool, as the bindings do. If the pool has one thread, a Dispatch queue gets no thread as
    // long as there are tasks.
    let (seen, worker) = (Recorder<Int>(), Worker())
    let token = b.observe(with: worker, backlog: .unbounded) { _, value in seen.record(value.number) }
    var updates = a.updates(backlog: .unbounded).makeAsyncIterator()
    for _ in 1...20 { #expect(await updates.next()?.value.number == 1) }
    await seen.reached(10)
    await a.settled()
    tokens.forEach { $0.cancel() }
    await token.cancelAndWait()
  }

  // Waits for each cell several times, because each binding must also see what the other bindings write.
  private func allSettled<Value>(_ cells: BindableActor<Value>...) async {
    for _ in 0...cells.count {
      for cell in cells { await cell.settled() }
    }
  }

  // Runs `body` while `actor` is busy.
  private func hold(_ actor: BindableActor<Int>, _ body: @escaping @Sendable () -> Void) async {
    await actor.run(body)
  }
}

extension BindableActor {
  fileprivate func run(_ body: @Sendable () -> Void) {
    body()
  }
}
