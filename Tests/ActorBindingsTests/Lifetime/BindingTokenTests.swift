import ActorBindings
import Testing

@Suite
struct BindingTokenTests {
  private let cell = BindableActor(0)
  private let context = ManualContext()
  private let seen = Recorder<Int>()

  private func observe() -> BindingToken {
    cell.observe(on: context.delivery) { [seen] in seen.record($0) }
  }

  @Test
  func `an observation without an owner ends with the last reference to its token`() {
    var token: BindingToken? = observe()
    var copy = token
    context.run()
    token = nil
    cell.send(1)
    context.run()
    #expect(seen.elements == [0, 1])
    withExtendedLifetime(copy) {}
    copy = nil
    #expect(cell.observerCount == 0)
    cell.send(2)
    context.run()
    #expect(seen.elements == [0, 1])
  }

  @Test
  func `the token of an observation with an owner may be released`() {
    let owner = Flag()
    cell.observe(owner, on: context.delivery) { [seen] _, value in seen.record(value) }
    context.run()
    cell.send(1)
    context.run()
    #expect(seen.elements == [0, 1])
    withExtendedLifetime(owner) {}
  }

  @Test
  func `cancel is idempotent, and nothing is called after it`() {
    let token = observe()
    context.run()
    #expect(!token.isCancelled)
    cell.send(1)
    token.cancel()
    token.cancel()
    #expect(token.isCancelled)
    context.run()
    #expect(seen.elements == [0])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `an observation that ended by finish is not cancelled, not even by a later cancel`() {
    let token = observe()
    cell.finish()
    context.run()
    #expect(seen.elements == [0])
    #expect(!token.isCancelled)
    token.cancel()
    #expect(!token.isCancelled)
  }

  @Test
  func `an observation that ended with its owner is cancelled`() {
    var owner: Flag? = Flag()
    let token = owner.map { cell.observe($0, on: context.delivery) { _, _ in } }
    owner = nil
    context.run()
    #expect(token?.isCancelled == true)
    #expect(cell.observerCount == 0)
  }

  @Test(arguments: [DeliveryContext.cell, .main])
  func `deallocation of the cell is a finish, not a cancellation`(context: DeliveryContext) async {
    let token: BindingToken
    do {
      let cell = BindableActor(0)
      token = cell.observe(on: context) { [seen] in seen.record($0) }
      await cell.settled()
    }
    #expect(seen.elements == [0])
    #expect(!token.isCancelled)
  }

  @Test
  func `a token that is kept keeps neither cell nor captures once the observation has ended`() {
    let census = Census()
    let token: BindingToken
    weak var gone: BindableActor<Int>?
    do {
      let cell = BindableActor(0)
      gone = cell
      let citizen = census.citizen()
      token = cell.observe(on: context.delivery) { _ in withExtendedLifetime(citizen) {} }
      context.run()
    }
    #expect(gone == nil)
    context.run()
    #expect(census.alive == 0)
    withExtendedLifetime(token) {}
  }

  @Test
  func `captures are released by cancel, though cell and token remain`() {
    let census = Census()
    let token = { [citizen = census.citizen()] in
      cell.observe(on: context.delivery) { _ in withExtendedLifetime(citizen) {} }
    }()
    context.run()
    #expect(census.alive == 1)
    token.cancel()
    #expect(census.alive == 0)
  }

  @Test
  func `captures of an operator's closure are released as well`() {
    let census = Census()
    let token = { [citizen = census.citizen()] in
      cell.map { value in withExtendedLifetime(citizen) { value } }
        .observe(on: context.delivery) { _ in }
    }()
    context.run()
    #expect(census.alive == 1)
    token.cancel()
    #expect(census.alive == 0)
  }

  @Test
  func `captures that hold the token itself are released by cancel`() {
    let census = Census()
    let box = Box<BindingToken>()
    box.value = { [citizen = census.citizen()] in
      cell.observe(on: context.delivery) { value in
        withExtendedLifetime(citizen) {}
        if value == 1 { box.value?.cancel() }
      }
    }()
    context.run()
    cell.send(1)
    context.run()
    #expect(census.alive == 0)
    box.value = nil
  }

  @Test
  func `a handler may hold the last reference to its own token`() {
    let box = Box<BindingToken>()
    box.value = cell.observe(on: context.delivery) { [seen] value in
      seen.record(value)
      box.value = nil
    }
    context.run()
    cell.send(1)
    context.run()
    #expect(seen.elements == [0])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `cancelAndWait waits for the call that is running`() async {
    let (isRunning, goOn) = (Gate(), Latch())
    let station = Station()
    let token = cell.observe(on: .queue(station.queue)) { [seen] value in
      isRunning.open()
      goOn.wait()
      seen.record(value)
    }
    await isRunning.passed()
    let executor = ManualExecutor()
    let waiting = Task(executorPreference: executor) { await token.cancelAndWait() }
    executor.run()
    #expect(token.isCancelled)
    #expect(executor.pending == 0)
    goOn.open()
    await eventually { executor.pending == 1 }
    #expect(seen.elements == [0])
    executor.run()
    await waiting.value
    #expect(cell.observerCount == 0)
  }

  @Test
  func `cancelAndWait returns at once if no call is running, also twice`() async {
    let token = observe()
    await token.cancelAndWait()
    await token.cancelAndWait()
    #expect(token.isCancelled)
    context.run()
    #expect(seen.count == 0)
  }
}
