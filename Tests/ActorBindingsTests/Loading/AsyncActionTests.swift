import ActorBindings
import Dispatch
import Testing

private struct Broken: Error, Equatable {
  var number = 0
}

@Suite struct AsyncActionTests {
  @Test func `an action executes, and shows that it does`() async throws {
    let (entered, going) = (Gate(), Gate())
    let double = AsyncAction { (number: Int) in
      entered.open()
      await going.passed()
      return 2 * number
    }
    let executing = double.isExecuting.values(backlog: .unbounded)
    #expect(double.isEnabled.value)
    let call = Task { try await double.execute(21) }
    await entered.passed()
    #expect(double.isExecuting.value)
    #expect(!double.isEnabled.value)
    going.open()
    #expect(try await call.value == 42)
    var seen: [Bool] = []
    for await isExecuting in executing {
      seen.append(isExecuting)
      if seen.count == 3 { break }
    }
    #expect(seen == [false, true, false])
  }

  @Test func `a call is refused while another one executes`() async throws {
    let (entered, going, calls) = (Gate(), Gate(), Counter())
    let save = AsyncAction {
      calls.add()
      entered.open()
      await going.passed()
    }
    #expect(save.start())
    await entered.passed()
    #expect(!save.start())
    await #expect(throws: ActionRefusal.busy) { try await save.execute() }
    going.open()
    _ = await save.isExecuting.first { !$0 }
    try await save.execute()
    #expect(calls.value == 2)
  }

  @Test func `calls wait for their turn, in the order in which they came`() async {
    let (going, order) = (Gate(), Recorder<Int>())
    let (running, overlaps) = (Counter(), Counter())
    let note = AsyncAction(whileBusy: .queue) { (number: Int) in
      if running.add() > 1 { overlaps.add() }
      await going.passed()
      order.record(number)
      running.add(-1)
    }
    for number in 0..<100 { #expect(note.start(number)) }
    #expect(note.isEnabled.value)
    #expect(note.waitingCount == 99)
    going.open()
    await order.reached(100)
    #expect(order.elements == Array(0..<100))
    #expect(overlaps.value == 0)
    _ = await note.isExecuting.first { !$0 }
  }

  @Test func `a call that is cancelled while it waits gives up its turn`() async throws {
    let (entered, going, order) = (Gate(), Gate(), Recorder<Int>())
    let note = AsyncAction(whileBusy: .queue) { (number: Int) in
      entered.open()
      await going.passed()
      order.record(number)
    }
    note.start(0)
    await entered.passed()
    let waiting = Task { try await note.execute(1) }
    await eventually { note.waitingCount == 1 }
    note.start(2)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(note.waitingCount == 1)
    going.open()
    await order.reached(2)
    #expect(order.elements == [0, 2])
    _ = await note.isExecuting.first { !$0 }
  }

  @Test func `the newest call replaces the call that waits`() async throws {
    let (entered, going, order) = (Gate(), Gate(), Recorder<Int>())
    let drafts = BindableActor(0)
    let save = AsyncAction(whileBusy: .latest) { (draft: Int) in
      entered.open()
      await going.passed()
      order.record(draft)
    }
    save.start(0)
    await entered.passed()
    #expect(save.isEnabled.value)
    let waiting = Task { try await save.execute(1) }
    await eventually { save.waitingCount == 1 }
    for draft in 2...9 { drafts.send(draft) }
    let token = drafts.bind(to: save, on: .queue(.global()))
    await drafts.settled()
    await #expect(throws: ActionRefusal.superseded) { try await waiting.value }
    #expect(save.waitingCount == 1)
    going.open()
    await order.reached(2)
    #expect(order.elements == [0, 9])
    _ = await save.isExecuting.first { !$0 }
    token.cancel()
  }

  @Test func `G13 an action does not keep the state of isEnabled alive`() {
    let census = Census()
    let action: AsyncAction<Void, Void>
    do {
      let citizen = census.citizen()
      let owner = BindableActor(citizen)
      action = AsyncAction(isEnabled: owner.map { $0.number == 0 }) {}
      #expect(action.isEnabled.value)
      owner.finish()
      weak let cell = owner
      #expect(cell != nil)
    }
    #expect(action.start())
    weak var weakly: BindableActor<Bool>?
    let other: AsyncAction<Void, Void>
    do {
      let isOnline = BindableActor(true)
      weakly = isOnline
      other = AsyncAction(isEnabled: isOnline) {}
    }
    #expect(weakly == nil)
    #expect(other.start())
  }

  @Test func `the newest error reaches a busy reader`() async throws {
    let (context, seen) = (ManualContext(), Recorder<Broken?>())
    let fail = AsyncAction { (number: Int) in if number != 2 { throw Broken(number: number) } }
    let token = fail.errors.observe(on: context.delivery) { seen.record($0 as? Broken) }
    context.run()
    _ = try? await fail.execute(1)
    try await fail.execute(2)
    context.run()
    #expect(seen.elements == [Broken(number: 1)])
    // A reader that begins now receives the next event.
    let late = Recorder<Broken?>()
    let other = fail.errors.observe(on: context.delivery) { late.record($0 as? Broken) }
    try await fail.execute(2)
    context.run()
    #expect(late.count == 0)
    _ = try? await fail.execute(3)
    context.run()
    #expect(late.elements == [Broken(number: 3)])
    #expect(seen.count == 2)
    token.cancel()
    other.cancel()
  }

  @Test func `outputs of calls are events, which come before the action is at rest`() async throws {
    let going = Gate()
    let twice = AsyncAction(whileBusy: .queue) { (number: Int) in
      if number > 0 { await going.passed() }
      if number == 2 { throw Broken() }
      return 2 * number
    }
    try await twice.execute(0)
    let outputs = twice.outputs.values(backlog: .unbounded)
    let states = merge(twice.outputs.map { "\($0)" }, twice.isExecuting.dropFirst().map { "\($0)" })
      .values(backlog: .unbounded)
    for number in 1...4 { twice.start(number) }
    going.open()
    var seen: [Int] = []
    for await output in outputs.prefix(3) { seen.append(output) }
    // Without the output of the call before the stream, and of the call that failed.
    #expect(seen == [2, 6, 8])
    var last: [String] = []
    for await state in states {
      last.append(state)
      if state == "false" { break }
    }
    #expect(last.suffix(2) == ["8", "false"])
  }

  @Test func `a state decides when an action may be called`() async throws {
    let (isOnline, calls) = (BindableActor(false), Counter())
    let send = AsyncAction(isEnabled: isOnline) { calls.add() }
    #expect(!send.isEnabled.value)
    #expect(!send.start())
    await #expect(throws: ActionRefusal.disabled) { try await send.execute() }
    isOnline.send(true)
    // `execute()` reads `isOnline` itself, and not the cell `isEnabled`, which follows `isOnline`.
    try await send.execute()
    _ = await send.isEnabled.first { $0 }
    isOnline.send(false)
    #expect(!send.start())
    #expect(calls.value == 1)
  }

  @Test func `errors of calls are a stream, without cancellations`() async {
    let fail = AsyncAction(whileBusy: .queue) { (number: Int) in
      if number == 2 { throw CancellationError() }
      if number != 3 { throw Broken(number: number) }
    }
    let errors = fail.errors.map { ($0 as? Broken)?.number ?? 0 }.values(backlog: .unbounded)
    for number in 1...4 { fail.start(number) }
    await #expect(throws: Broken(number: 5)) { try await fail.execute(5) }
    var seen: [Int] = []
    for await number in errors {
      seen.append(number)
      if seen.count == 3 { break }
    }
    #expect(seen == [1, 4, 5])
    #expect(!fail.isExecuting.value)
  }

  @Test func `an action is a target, and a running call continues without it`() async {
    let (going, order) = (Gate(), Recorder<Int>())
    let events = EventSource<Int>()
    do {
      let note = AsyncAction(whileBusy: .queue) { (number: Int) in
        await going.passed()
        order.record(number)
      }
      events.bind(to: note, on: .queue(.init(label: "events")), backlog: .unbounded)
      for number in 0..<10 { events.send(number) }
      await events.settled()
    }
    going.open()
    await order.reached(10)
    #expect(order.elements == Array(0..<10))
    // The next delivery removes the observation of a dead owner.
    events.send(0)
    await eventually { events.observerCount == 0 }
  }
}
