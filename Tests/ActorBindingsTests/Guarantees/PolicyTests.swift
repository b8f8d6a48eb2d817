import ActorBindings
import Testing

/// Tests what is specified beyond the numbered guarantees.
@Suite
struct PolicyTests {
  @Test
  func `an equal value is an update like any other`() async {
    let cell = BindableActor(1)
    let stream = cell.values(backlog: .unbounded)
    cell.send(1)
    cell.modify { $0 = 1 }
    #expect(cell.compareAndSet(1, 1))
    cell.finish()
    #expect(await stream.elements() == [1, 1, 1, 1])
    #expect(cell.version == 3)
  }

  @Test
  func `a modify whose body throws changes nothing, and no observer is called`() async {
    struct Refusal: Error {}
    let cell = BindableActor(1)
    let stream = cell.values(backlog: .unbounded)
    #expect(throws: Refusal.self) {
      try cell.modify { value throws(Refusal) in
        value = 2
        throw Refusal()
      }
    }
    await #expect(throws: Refusal.self) {
      try await cell.update { value throws(Refusal) in
        value = 3
        throw Refusal()
      }
    }
    #expect(cell.value == 1)
    #expect(cell.version == 0)
    cell.finish()
    #expect(await stream.elements() == [1])
  }

  @Test
  func `a modify body runs again on the newer value when another writer wrote meanwhile`() {
    let cell = BindableActor(0)
    let other = Station()
    var seen: [Int] = []
    let result = cell.modify { value in
      seen.append(value)
      if seen.count == 1 { other.runAndWait { cell.send(10) } }
      value += 1
      return value
    }
    #expect(seen == [0, 10])
    #expect(result == 11)
    #expect(cell.value == 11)
    #expect(cell.version == 2)
  }

  @Test
  func `isCancelled is true by cancel, bag and owner, not by finish`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    var owner: Mortal? = Mortal {}
    let bag = DisposeBag()
    let byCancel = cell.observe(on: context.delivery) { _ in }
    let byBag = cell.observe(on: context.delivery) { _ in }
    let byOwner = cell.observe(owner!, on: context.delivery) { _, _ in }
    let byFinish = cell.observe(on: context.delivery) { _ in }
    byBag.store(in: bag)
    context.run()
    byCancel.cancel()
    bag.dispose()
    owner = nil
    cell.finish()
    context.run()
    #expect(byCancel.isCancelled)
    #expect(byBag.isCancelled)
    #expect(byOwner.isCancelled)
    #expect(!byFinish.isCancelled)
    byFinish.cancel()
    #expect(!byFinish.isCancelled)
  }

  @Test
  func
    `observerCount counts observations and iterators that have not ended, and streams that are not iterated`()
  {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { _ in }
    #expect(cell.observerCount == 1)
    let stream = cell.values(backlog: .unbounded)
    #expect(cell.observerCount == 2)
    let iterator = stream.makeAsyncIterator()
    #expect(cell.observerCount == 2)
    token.cancel()
    #expect(cell.observerCount == 1)
    withExtendedLifetime(iterator) {}
  }

  @Test
  func `settled returns at once when there is nothing to wait for`() async {
    let cell = BindableActor(0)
    await cell.settled()
    let stream = cell.values(backlog: .unbounded)
    var iterator = stream.makeAsyncIterator()
    cell.send(1)
    await cell.settled()
    #expect(await iterator.next() == 0)
    cell.finish()
    await cell.settled()
  }

  @Test
  func `settled waits for every lane, and only for what was published before it`() async {
    let cell = BindableActor(0)
    let (first, second) = (ManualContext(), ManualContext())
    let hasReturned = Flag()
    let seen = Recorder<Int>()
    let tokens = [
      cell.observe(on: first.delivery, backlog: .unbounded) { seen.record($0) },
      cell.observe(on: second.delivery) { _ in },
    ]
    let settling = Task {
      await cell.settled()
      hasReturned.set()
    }
    first.run()
    await repeatedly(1_000) { _ in }
    #expect(!hasReturned.isSet)
    second.run()
    await settling.value
    #expect(seen.elements == [0])
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `settled waits for an observation that began while another one was being called`() async {
    for _ in 0..<200 {
      let cell = BindableActor(0)
      let station = Station()
      let (began, goOn) = (Gate(), Latch())
      let events = Recorder<String>()
      let first = cell.observe(on: .queue(station.queue)) { _ in
        began.open()
        goOn.wait()
      }
      await began.passed()
      let second = cell.observe(on: .queue(station.queue)) { _ in
        // Takes some time: if the wait returns too early, it returns before the line below.
        for _ in 0..<1_000 { _ = cell.value }
        events.record("handled")
      }
      let settling = Task {
        await cell.settled()
        events.record("settled")
      }
      await eventually { cell.isAwaited }
      goOn.open()
      await settling.value
      #expect(events.elements == ["handled", "settled"])
      withExtendedLifetime((first, second)) {}
      guard events.elements.first == "handled" else { break }
    }
  }

  @Test
  func `settled returns when the observations that it waited for have ended`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let tokens = (0..<2).map { _ in cell.observe(on: context.delivery) { _ in } }
    let settling = Task { await cell.settled() }
    await eventually { cell.isAwaited }
    for token in tokens { token.cancel() }
    await settling.value
    // The context has never run the job of the lane.
    #expect(context.pending == 1)
  }

  @Test
  func `settled returns when its task is cancelled`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { _ in }
    let settling = Task { await cell.settled() }
    await eventually { cell.isAwaited }
    settling.cancel()
    await settling.value
    #expect(context.pending == 1)
    withExtendedLifetime(token) {}
  }

  @Test
  func `a token, a cell and a stream can be reflected`() {
    let cell = BindableActor(0)
    let token = cell.observe(on: .main) { _ in }
    let stream = cell.map { $0 }.values(backlog: .unbounded)
    var text = ""
    dump(cell, to: &text)
    dump(token, to: &text)
    dump(stream, to: &text)
    dump(stream.makeAsyncIterator(), to: &text)
    #expect(!text.isEmpty)
  }
}
