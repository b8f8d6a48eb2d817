import ActorBindings
import Testing

/// Switches that begin, end and meet writes at the worst moment.
@Suite
struct SwitchingTests {
  private let outer = BindableActor(0)
  private let rooms = (0...2).map { BindableActor(10 * $0) }
  private let context = ManualContext()
  private let seen = Recorder<Int>()

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded], 1...2)
  func `each outer value is transformed once, though each transformation writes the next value`(
    backlog: Backlog,
    last: Int
  ) async {
    let asked = Recorder<Int>()
    let switched = outer.flatMapLatest(innerBacklog: backlog) { [outer, rooms] number in
      asked.record(number)
      if number < last { outer.send(number + 1) }
      return rooms[number]
    }
    let token = switched.observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    context.run()
    #expect(asked.elements == Array(0...last))
    #expect(seen.last == 10 * last)
    token.cancel()
  }

  @Test
  func `an outer value that is rejected does not repeat the inner value`() async {
    let switched = outer.filter { $0 < 3 }.flatMapLatest { [rooms] in rooms[$0] }
    let token = switched.observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    outer.send(3)
    await outer.settled()
    rooms[0].send(1)
    await rooms[0].settled()
    context.run()
    #expect(seen.elements == [0, 1])
    token.cancel()
  }

  @Test
  func `each value of an inner source that begins with several is delivered`() async {
    let switched = outer.flatMapLatest { [rooms] _ in merge(rooms[0], rooms[1], rooms[2]) }
    let token = switched.observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    context.run()
    // The observer may have begun after the first value.
    #expect(seen.last == 20)
    token.cancel()
  }

  @Test
  func `a switch by events begins with the first event`() async {
    let events = EventSource<Int>()
    let token = events.flatMapLatest { [rooms] in rooms[$0] }
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await events.settled()
    events.send(1)
    await events.settled()
    context.run()
    #expect(seen.elements == [10])
    token.cancel()
  }

  @Test
  func `a switch without readers does not wait for the end of its outer source`() {
    let switched = outer.flatMapLatest { [rooms] in rooms[$0] }
    for _ in 1...3 { switched.observe(on: context.delivery) { _ in }.cancel() }
    #expect(outer.cell.locked { $0.endWaiterCount } == 0)
  }

  @Test
  func `a driver that another one overtakes while it starts gives up its positions`() async {
    let (bag, again) = (DisposeBag(), Box<@Sendable () -> Void>())
    let switched = outer.flatMapLatest { [rooms] number in
      let next = again.value
      again.value = nil
      next?()
      return rooms[number]
    }
    let source = switched.throttle(for: .seconds(3), clock: ManualClock())
    // Another reader comes while the driver for the first reader transforms the outer value.
    again.value = { [context] in source.observe(on: context.delivery) { _ in }.store(in: bag) }
    source.observe(on: context.delivery) { [seen] in seen.record($0) }.store(in: bag)
    #expect(again.value == nil)
    await outer.settled()
    await rooms[0].settled()
    bag.dispose()
    await eventually { outer.observerCount == 0 && rooms[0].observerCount == 0 }
  }

  @Test
  func `a switch whose last reader leaves while it switches leaves no position and no waiting task`() async {
    let (executor, box, isWaiting) = (ManualExecutor(), Box<BindingToken>(), Recorder<Bool>())
    let leaving = DeliveryContext(id: "leaves during a switch", now: { 0 }) { [context] job in
      context.add(job)
      box.value?.cancel()
    }
    let switched = outer.flatMapLatest { [outer, rooms] number in
      if number == 1 {
        // A task waits for an update that the reader will not read, because it hands over before.
        rooms[0].send(1)
        Task(executorPreference: executor) { await outer.settled() }
        executor.run()
        isWaiting.record(true)
      }
      return rooms[number]
    }
    let token = switched.observe(on: leaving) { _ in }
    await outer.settled()
    context.run()
    // This write offers a turn to the observer's lane, which leaves the turn to a job. So the next write offers none.
    rooms[0].send(2)
    await outer.settled()
    context.run()
    box.value = token
    // The first value of the new inner source makes the observer leave.
    outer.send(1)
    await isWaiting.reached(1)
    await eventually { executor.pending == 1 }
    #expect(outer.observerCount == 0)
    #expect(rooms.allSatisfy { $0.observerCount == 0 })
    executor.run()
    context.run()
    box.value = nil
  }

  @Test
  func `settled() of the outer source waits until the next reader has delivered a value`() async {
    let (executor, isEarly) = (ManualExecutor(), Recorder<Bool>())
    let switched = outer.flatMapLatest { [outer, rooms] number in
      if number == 1 {
        Task(executorPreference: executor) { await outer.settled() }
        executor.run()
        // So the reader hands over before room 1 has delivered anything.
        outer.send(2)
      }
      return rooms[number].map { value in
        if value == 20 { isEarly.record(executor.pending == 1) }
        return value
      }
    }
    let token = switched.observe(on: context.delivery) { _ in }
    await outer.settled()
    outer.send(1)
    await isEarly.reached(1)
    #expect(isEarly.elements.first == false)
    await eventually { executor.pending == 1 }
    executor.run()
    token.cancel()
  }

  // MARK: The history of the inner source

  @Test
  func `two writes before the wake-up of a switch are delivered one after the other`() async {
    // Parked before the input waiter, so the first write wakes it first.
    let witness = EndWaiter { [rooms] in rooms[0].send(2) }
    rooms[0].cell.locked { $0.parked(witness) }
    let token = outer.flatMapLatest { [rooms] in rooms[$0] }
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    rooms[0].send(1)
    await rooms[0].settled()
    context.run()
    #expect(seen.elements == [0, 1, 2])
    token.cancel()
  }

  @Test
  func `a write to the inner source looks at no other cell`() async {
    let token = outer.flatMapLatest { [rooms] in rooms[$0] }
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await outer.settled()
    for value in 1...2 {
      // While this thread holds the lock of this cell, a look at this cell would end the process.
      outer.cell.locked { [rooms] _ in rooms[0].send(value) }
      await rooms[0].settled()
    }
    context.run()
    #expect(seen.elements == [0, 1, 2])
    token.cancel()
  }

  @Test
  func `a switch repeats nothing when its outer source ends, and holds no value that it has delivered`()
    async
  {
    let census = Census()
    let room = BindableActor(census.citizen())
    let token = outer.flatMapLatest { _ in room }
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0.number) }
    await outer.settled()
    for number in 1...20 {
      room.send(census.citizen(number))
      await room.settled()
      context.run()
    }
    #expect(census.alive <= 4)
    outer.finish()
    room.send(census.citizen(21))
    await room.settled()
    context.run()
    #expect(seen.elements == Array(0...21))
    token.cancel()
  }

  @Test
  func `a switch whose outer source reads the inner cell too holds no value that it has delivered`() async {
    let census = Census()
    let room = BindableActor(census.citizen())
    await deliver(20, to: room, of: census, through: room.map { _ in 0 })
    await deliver(20, to: room, of: census, through: combineLatest(room, outer).map { _ in 0 })
  }

  private func deliver(
    _ count: Int,
    to room: BindableActor<Census.Citizen>,
    of census: Census,
    through outer: some BindingSource<Int>
  ) async {
    // Hands out only one inner source.
    let switched = outer.removeDuplicates().flatMapLatest { _ in room }
    let token = switched.observe(on: context.delivery) { [seen] in seen.record($0.number) }
    await room.settled()
    for number in 1...count {
      room.send(census.citizen(number))
      await room.settled()
      context.run()
    }
    #expect(seen.last == count)
    #expect(census.alive <= 4)
    token.cancel()
  }

  @Test
  func `a busy switch with a bounded backlog lets no log grow`() async {
    let (census, alive) = (Census(), Recorder<Int>())
    let room = BindableActor(census.citizen())
    let token = outer.flatMapLatest(innerBacklog: .bounded(2)) { _ in
      room.map { citizen in
        if citizen.number == 1 {
          for number in 2...100 { room.send(census.citizen(number)) }
          alive.record(census.alive)
        }
        return citizen.number
      }
    }
    .observe(on: context.delivery) { _ in }
    await outer.settled()
    room.send(census.citizen(1))
    await alive.reached(1)
    #expect(alive.elements[0] <= 8)
    await room.settled()
    token.cancel()
  }
}
