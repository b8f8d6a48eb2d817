import ActorBindings
import Testing

@Suite
struct G08CancelTests {
  @Test
  func `G8 after cancel no call starts, though updates wait`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let token = cell.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    context.run()
    cell.send(1)
    token.cancel()
    cell.send(2)
    context.run()
    #expect(seen.elements == [0])
    #expect(token.isCancelled)
  }

  @Test
  func `G8 cancelled before its first delivery, an observation makes no call at all`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    cell.observe(on: context.delivery) { seen.record($0) }.cancel()
    context.run()
    #expect(seen.count == 0)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G8 cancelled in its own call, an observation makes no other call, whatever waits`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let own = Box<BindingToken>()
    own.value = cell.observe(on: context.delivery, backlog: .unbounded) { value in
      seen.record(value)
      if value == 2 { own.value?.cancel() }
    }
    for value in 1...5 { cell.send(value) }
    context.run()
    #expect(seen.elements == [0, 1, 2])
    #expect(cell.observerCount == 0)
    own.value = nil
  }

  @Test
  func `G8 cancelled by another handler of its context, an observation makes no further call`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let victim = Box<BindingToken>()
    let first = cell.observe(on: context.delivery) { if $0 == 1 { victim.value?.cancel() } }
    victim.value = cell.observe(on: context.delivery) { seen.record($0) }
    context.run()
    cell.send(1)
    context.run()
    #expect(seen.elements == [0])
    withExtendedLifetime(first) {}
  }

  @Test
  func `G8 cancelled by its own transform, an observation makes no further call`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let own = Box<BindingToken>()
    let source = cell.map { value in
      if value == 1 { own.value?.cancel() }
      return value
    }
    own.value = source.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    context.run()
    for value in 1...3 { cell.send(value) }
    context.run()
    #expect(seen.elements == [0])
    own.value = nil
  }

  @Test
  func `G8 cancelled by its own predicate, an observation makes no further call`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let own = Box<BindingToken>()
    let source = cell.removeDuplicates { _, value in
      if value == 1 { own.value?.cancel() }
      return false
    }
    own.value = source.observe(on: context.delivery) { seen.record($0) }
    context.run()
    cell.send(1)
    context.run()
    #expect(seen.elements == [0])
    own.value = nil
  }

  @Test
  func `G8 cancelAndWait returns when the running call has ended`() async {
    let cell = BindableActor(0)
    let events = Recorder<String>()
    let (began, goOn) = (Gate(), Latch())
    let token = cell.observe(on: .queue(Station().queue)) { _ in
      began.open()
      goOn.wait()
      events.record("call ended")
    }
    await began.passed()
    let waiting = Task {
      await token.cancelAndWait()
      events.record("wait ended")
    }
    await eventually { token.isCancelled }
    #expect(events.count == 0)
    goOn.open()
    await waiting.value
    #expect(events.elements == ["call ended", "wait ended"])
  }

  @Test
  func `G8 cancelAndWait does not wait for later calls of other observations on the context`() async {
    let cell = BindableActor(0)
    let (began, goOn) = (Gate(), Latch())
    let (otherBegan, otherGoesOn) = (Gate(), Latch())
    let station = Station()
    let token = cell.observe(on: .queue(station.queue)) { _ in
      began.open()
      goOn.wait()
    }
    let other = cell.observe(on: .queue(station.queue)) { _ in
      otherBegan.open()
      otherGoesOn.wait()
    }
    await began.passed()
    let waiting = Task { await token.cancelAndWait() }
    await eventually { token.isCancelled }
    goOn.open()
    await otherBegan.passed()
    await waiting.value
    otherGoesOn.open()
    withExtendedLifetime(other) {}
  }

  @Test
  func `G8 cancelAndWait returns at once when no call is running`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { _ in }
    await token.cancelAndWait()
    await token.cancelAndWait()
    #expect(token.isCancelled)
    context.run()
    await token.cancelAndWait()
  }

  @Test
  func `G8 cancelling twice, or from many threads at once, has the effect of cancelling once`() async {
    let cell = BindableActor(0)
    for _ in 0..<200 {
      let token = cell.observe(on: .queue(Station().queue)) { _ in }
      await concurrently(3) { _ in
        token.cancel()
        await token.cancelAndWait()
      }
      #expect(token.isCancelled)
      #expect(cell.observerCount == 0)
    }
  }

  @Test @MainActor
  func `G8 on the caller's isolation cancel is immediate`() async {
    let cell = BindableActor(0)
    var seen: [Int] = []
    let token = cell.observe(backlog: .unbounded) { seen.append($0) }
    cell.send(1)
    token.cancel()
    await cell.settled()
    #expect(seen == [0])
  }
}
