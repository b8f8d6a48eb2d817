import ActorBindings
import Testing

@Suite
struct G10NoLockTests {
  /// Calls everything that a cell offers.
  private static func callEverything(_ cell: BindableActor<Int>) {
    _ = cell.value
    _ = cell.version
    _ = cell.observerCount
    _ = cell.isFinished
    cell.modify { _ in }
    cell.sendIfChanged(cell.value)
    cell.compareAndSet(-1, -2)
    let token = cell.observe(on: .queue(Station().queue)) { _ in }
    let bag = DisposeBag()
    token.store(in: bag)
    bag.dispose()
    cell.observe(Mortal {}, on: .cell) { _, _ in }
    _ = cell.values(backlog: .unbounded).makeAsyncIterator()
    _ = cell.values(backlog: .bounded(2)).makeAsyncIterator()
  }

  @Test
  func `G10 every call is allowed in handlers, transforms and predicates`() async {
    let cell = BindableActor(0)
    let seen = Recorder<Int>()
    let calls = Counter()
    // Each write causes another delivery, so a few writes are enough.
    let probe: @Sendable () -> Void = { if calls.add() < 20 { Self.callEverything(cell) } }
    let source =
      cell
      .map { value in
        probe()
        return value
      }
      .filter { _ in
        probe()
        return true
      }
      .removeDuplicates { _, _ in
        probe()
        return false
      }
    let tokens = [
      source.observe(on: .queue(Station().queue)) { value in
        probe()
        seen.record(value)
      },
      source.observe(on: .cell, backlog: .unbounded) { _ in probe() },
    ]
    let stream = source.values(backlog: .unbounded)
    cell.send(1)
    await cell.update(2)
    await cell.settled()
    cell.finish()
    for await _ in stream { probe() }
    #expect(seen.last == 2)
    #expect(calls.value > 20)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G10 every call is allowed in the equality of values`() {
    struct Probing: Equatable, Sendable {
      let number: Int
      let probe: @Sendable () -> Void

      static func == (left: Probing, right: Probing) -> Bool {
        left.probe()
        return left.number == right.number
      }
    }

    let other = BindableActor(0)
    let own = Box<BindableActor<Probing>>()
    let probe: @Sendable () -> Void = {
      Self.callEverything(other)
      guard let own = own.value else { return }
      _ = own.value.number + Int(own.version) + own.observerCount
      own.observe(on: .cell) { _ in }.cancel()
    }
    let cell = BindableActor(Probing(number: 0, probe: probe))
    own.value = cell
    #expect(cell.sendIfChanged(Probing(number: 1, probe: probe)))
    #expect(!cell.sendIfChanged(Probing(number: 1, probe: probe)))
    #expect(cell.compareAndSet(Probing(number: 1, probe: probe), Probing(number: 2, probe: probe)))
    own.value = nil
  }

  @Test
  func `G10 every call is allowed in the deinits of values`() async {
    struct Payload: Sendable {
      var number: Int
      var mortal: Mortal
    }

    let other = BindableActor(0)
    let own = Box<BindableActor<Payload>>()
    let deaths = Counter()
    let mortal: @Sendable () -> Mortal = {
      Mortal {
        deaths.add()
        Self.callEverything(other)
        guard let own = own.value else { return }
        _ = own.value.number
        own.modify { $0.number += 1 }
        own.observe(on: .cell) { _ in }.cancel()
      }
    }
    let cell = BindableActor(Payload(number: 0, mortal: mortal()))
    own.value = cell
    let readers = [cell.values(backlog: .unbounded), cell.values(backlog: .bounded(2))]
    for number in 1...20 {
      cell.send(Payload(number: number, mortal: mortal()))
      cell.modify { $0.mortal = mortal() }
    }
    await cell.update(Payload(number: 0, mortal: mortal()))
    for stream in readers {
      var iterator = stream.makeAsyncIterator()
      _ = await iterator.next()
    }
    own.value = nil
    cell.finish()
    #expect(deaths.value > 0)
    withExtendedLifetime(readers) {}
  }

  // This test has no unbounded reader, which would hold what the window releases.
  @Test
  func `G10 every call is allowed in the deinits of values that a bounded backlog drops`() async {
    let own = Box<BindableActor<Mortal>>()
    let deaths = Counter()
    let mortal: @Sendable () -> Mortal = {
      Mortal {
        deaths.add()
        _ = own.value?.version
      }
    }
    let cell = BindableActor(mortal())
    own.value = cell
    func send(_ count: Int) {
      for _ in 0..<count { cell.send(mortal()) }
    }

    // This reader overflows, and catches up.
    var deep = cell.values(backlog: .bounded(4)).makeAsyncIterator()
    send(6)
    #expect(deaths.value == 3)
    for _ in 0..<4 { _ = await deep.next() }
    #expect(deaths.value == 6)

    // A deeper reader leaves, and then the first reader leaves.
    let context = ManualContext()
    let deeper = cell.observe(on: context.delivery, backlog: .bounded(8)) { _ in }
    send(8)
    #expect(deaths.value == 7)
    deeper.cancel()
    #expect(deaths.value == 11)
    _ = consume deep
    #expect(deaths.value == 14)
    own.value = nil
  }

  @Test
  func `G10 a deinit of a draft's value may write to the cell, though the draft loses many races`() {
    struct Payload: Sendable {
      var number = 0
      var echoes = 0
      var mortal: Mortal?
    }

    let cell = BindableActor(Payload())
    let other = Station()
    let deaths = Counter()
    var runs = 0
    cell.modify { payload in
      runs += 1
      if runs <= 8 { other.runAndWait { cell.modify { $0.number += 1 } } }
      payload.mortal = Mortal {
        deaths.add()
        cell.modify { $0.echoes += 1 }
      }
    }
    #expect(runs < 20)
    #expect(cell.value.number == 8)
    #expect(deaths.value == runs - 1)
    #expect(cell.value.echoes == deaths.value)
    cell.modify { $0.mortal = nil }
    #expect(cell.value.echoes == runs)
  }

  @Test
  func `G10 every call is allowed in the deinits of captures and owners`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let deaths = Counter()
    let mortal: @Sendable () -> Mortal = {
      Mortal {
        deaths.add()
        Self.callEverything(cell)
      }
    }
    // Only the observation holds the capture.
    func observe() -> BindingToken {
      let capture = mortal()
      return cell.observe(on: context.delivery) { _ in withExtendedLifetime(capture) {} }
    }

    observe().cancel()
    #expect(deaths.value == 1)

    let parked = observe()
    context.run()
    parked.cancel()
    #expect(deaths.value == 2)

    var owner: Mortal? = mortal()
    func observeOwner() {
      let capture = mortal()
      cell.observe(owner!, on: context.delivery) { _, _ in withExtendedLifetime(capture) {} }
    }
    observeOwner()
    context.run()
    owner = nil
    #expect(deaths.value == 3)
    cell.send(1)
    context.run()
    #expect(deaths.value == 4)

    let finished = observe()
    cell.finish()
    context.run()
    withExtendedLifetime(finished) {}
    #expect(deaths.value == 5)
  }

  @Test
  func `G10 a value that a handler sends is delivered to all after the pass, in order, without recursion`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let depth = Counter()
    let deepest = Counter()
    let events = Recorder<String>()
    let first = cell.observe(on: context.delivery) { value in
      deepest.set(max(deepest.value, depth.add()))
      events.record("first \(value)")
      if value < 3 { cell.send(value + 1) }
      depth.add(-1)
    }
    let second = cell.observe(on: context.delivery) { value in
      deepest.set(max(deepest.value, depth.add()))
      events.record("second \(value)")
      depth.add(-1)
    }
    context.run()
    #expect(
      events.elements == [
        "first 0", "second 0", "first 1", "second 1", "first 2", "second 2", "first 3", "second 3",
      ]
    )
    #expect(deepest.value == 1)
    withExtendedLifetime((first, second)) {}
  }

  @Test
  func `G10 a handler's value is delivered without recursion on a context that runs its work at once`() {
    let cell = BindableActor(0)
    let context = DeliveryContext(id: "G10 at once") { $0() }
    let depth = Counter()
    let deepest = Counter()
    let seen = Recorder<Int>()
    let token = cell.observe(on: context) { value in
      deepest.set(max(deepest.value, depth.add()))
      seen.record(value)
      if value < 1_000 { cell.send(value + 1) }
      depth.add(-1)
    }
    #expect(seen.elements == Array(0...1_000))
    #expect(deepest.value == 1)
    withExtendedLifetime(token) {}
  }

  @Test
  func `G10 an update inside a handler of the cell returns before it is delivered`() async {
    let cell = BindableActor(0)
    let events = Recorder<String>()
    let token = cell.observe(on: .cell) { [weak cell] value in
      events.record("handler of \(value) begins")
      if value < 2 {
        cell?.assumeIsolated { $0.update(value + 1) }
        events.record("update in \(value) returned")
      }
    }
    // `settled()` would not wait for the updates that the handler makes.
    await eventually { events.count == 5 }
    #expect(
      events.elements == [
        "handler of 0 begins", "update in 0 returned", "handler of 1 begins", "update in 1 returned",
        "handler of 2 begins",
      ]
    )
    withExtendedLifetime(token) {}
  }

  @Test
  func `G10 an observation that a handler registers receives its first value after the pass`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let inner = Recorder<Int>()
    let tokens = DisposeBag()
    let outer = cell.observe(on: context.delivery) { value in
      if value == 1 { cell.observe(on: context.delivery) { inner.record($0) }.store(in: tokens) }
    }
    context.run()
    cell.send(1)
    context.run()
    #expect(inner.elements == [1])
    cell.send(2)
    context.run()
    #expect(inner.elements == [1, 2])
    withExtendedLifetime((outer, tokens)) {}
  }

  @Test
  func `G10 a custom context is asked to schedule without a lock`() {
    let cell = BindableActor(0)
    let manual = ManualContext()
    let calls = Counter()
    let context = DeliveryContext(id: "G10 schedule") { job in
      if calls.add() < 5 { Self.callEverything(cell) }
      manual.add(job)
    }
    let token = cell.observe(on: context) { _ in }
    for value in 1...5 {
      manual.run()
      cell.send(value)
    }
    manual.run()
    #expect(calls.value == 6)
    withExtendedLifetime(token) {}
  }
}
