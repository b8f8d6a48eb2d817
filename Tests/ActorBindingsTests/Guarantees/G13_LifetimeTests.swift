import ActorBindings
import Testing

@Suite
struct G13LifetimeTests {
  @Test
  func `G13 an observation without an owner ends with its last token`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    var token: BindingToken? = cell.observe(on: context.delivery) { seen.record($0) }
    let other = token
    context.run()
    token = nil
    #expect(cell.observerCount == 1)
    withExtendedLifetime(other) {}
    cell.send(1)
    context.run()
    #expect(seen.elements.first == 0)
  }

  @Test
  func `G13 releasing the token ends the observation, unless it has an owner`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let (plain, owned) = (Recorder<Int>(), Recorder<Int>())
    let owner = Mortal {}
    do {
      let token = cell.observe(on: context.delivery) { plain.record($0) }
      let ownedToken = cell.observe(owner, on: context.delivery) { _, value in owned.record(value) }
      context.run()
      withExtendedLifetime((token, ownedToken)) {}
    }
    cell.send(1)
    context.run()
    #expect(plain.elements == [0])
    #expect(owned.elements == [0, 1])
    #expect(cell.observerCount == 1)
    withExtendedLifetime(owner) {}
  }

  @Test(arguments: [false, true])
  func `G13 a bag ends observations of every kind when it is disposed of or dies`(isDisposed: Bool) async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let owner = Mortal {}
    let worker = Worker()
    var bag: DisposeBag? = DisposeBag()
    let tokens = [
      cell.observe(on: context.delivery) { _ in },
      cell.observe(owner, on: context.delivery) { _, _ in },
      cell.observe(with: worker) { _, _ in },
    ]
    bag?.insert(tokens[0], tokens[1])
    tokens[2].store(in: bag!)
    #expect(tokens.allSatisfy { !$0.isCancelled })
    if isDisposed { bag?.dispose() }
    bag = nil
    #expect(tokens.allSatisfy { $0.isCancelled })
    #expect(cell.observerCount == 0)
    withExtendedLifetime((owner, worker)) {}
  }

  @Test
  func `G13 a bag that has been disposed of cancels what is inserted later`() {
    let cell = BindableActor(0)
    let bag = DisposeBag()
    #expect(!bag.isDisposed)
    bag.dispose()
    bag.dispose()
    #expect(bag.isDisposed)
    let token = cell.observe(on: .main) { _ in }
    bag.insert(token)
    #expect(token.isCancelled)
  }

  @Test
  func `G13 a bag holds its tokens`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let bag = DisposeBag()
    cell.observe(on: context.delivery) { _ in }.store(in: bag)
    context.run()
    #expect(cell.observerCount == 1)
    withExtendedLifetime(bag) {}
  }

  @Test
  func `G13 neither observation nor stream nor iterator keeps its cell alive`() async {
    var cell: BindableActor<Int>? = BindableActor(0)
    weak let weakly = cell
    let context = ManualContext()
    let token = cell!.observe(on: context.delivery) { _ in }
    let stream = cell!.values(backlog: .unbounded)
    var iterator = cell!.values.makeAsyncIterator()
    let source = cell!.map { $0 + 1 }.filter { $0 > 0 }
    context.run()
    #expect(await iterator.next() == 0)
    cell = nil
    #expect(weakly == nil)
    #expect(await iterator.next() == nil)
    withExtendedLifetime((token, stream, source)) {}
  }

  @Test
  func `G13 a scheduled delivery on the cell keeps the cell until it is done`() async {
    let seen = Recorder<Int>()
    let tokens = DisposeBag()
    do {
      let cell = BindableActor(0)
      cell.observe(on: .cell) { seen.record($0) }.store(in: tokens)
      cell.send(1)
    }
    await seen.reached(1)
    await eventually { seen.last == 1 }
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G13 a cell keeps no owner alive`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let census = Census()
    var owner: Census.Citizen? = census.citizen()
    cell.observe(owner!, on: context.delivery, backlog: .unbounded) { _, _ in }
    context.run()
    cell.send(1)
    owner = nil
    #expect(census.alive == 0)
  }

  @Test
  func `G13 an actor that observes with self dies with its last outside reference, though the cell lives`()
    async
  {
    actor Follower {
      private(set) var seen: [Int] = []

      func follow(_ cell: BindableActor<Int>) {
        cell.observe(self) { follower, value in
          follower.assumeIsolated { $0.seen.append(value) }
        }
      }
    }

    let cell = BindableActor(0)
    var follower: Follower? = Follower()
    weak let weakly = follower
    await follower!.follow(cell)
    cell.send(1)
    await cell.settled()
    #expect(await follower!.seen == [0, 1])
    follower = nil
    await eventually { weakly == nil }
    cell.send(2)
    await cell.settled()
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G13 a handler on the caller's isolation does not keep that actor alive`() async {
    let cell = BindableActor(0)
    let bag = DisposeBag()
    var worker: Worker? = Worker()
    weak let weakly = worker
    await worker!.run { worker in
      cell.observe(isolation: worker) { _ in }.store(in: bag)
    }
    worker = nil
    await eventually { weakly == nil }
    cell.send(1)
    await cell.settled()
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G13 captures are released when the observation ends, though token and cell remain`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let census = Census()
    func observe() -> BindingToken {
      let citizen = census.citizen()
      return cell.map { $0 + citizen.number }.observe(on: context.delivery) { _ in
        withExtendedLifetime(citizen) {}
      }
    }

    let parked = observe()
    context.run()
    parked.cancel()
    #expect(census.alive == 0)

    let woken = observe()
    woken.cancel()
    #expect(census.alive == 0)

    let own = Box<BindingToken>()
    let citizen = Box(census.citizen())
    own.value = cell.observe(on: context.delivery) { [citizen = citizen.value] _ in
      own.value?.cancel()
      withExtendedLifetime(citizen) {}
    }
    citizen.value = nil
    context.run()
    #expect(census.alive == 0)

    let finished = observe()
    cell.finish()
    context.run()
    #expect(census.alive == 0)
    withExtendedLifetime((parked, woken, own, finished)) {}
    own.value = nil
  }

  @Test(arguments: [false, true])
  func `G13 captures are released when cancelAndWait returns, while the next handler of the pass runs`(
    endsItself: Bool
  ) async {
    let cell = BindableActor(0)
    let census = Census()
    let station = Station()
    let (began, goOn, nextBegan, nextGoesOn) = (Gate(), Latch(), Gate(), Latch())
    let own = Box<BindingToken>()
    func observe() -> BindingToken {
      let citizen = census.citizen()
      return cell.observe(on: .queue(station.queue)) { value in
        guard value == 1 else { return }
        if endsItself { own.value?.cancel() }
        began.open()
        goOn.wait()
        withExtendedLifetime(citizen) {}
      }
    }
    let token = observe()
    own.value = token
    let next = cell.observe(on: .queue(station.queue)) { value in
      guard value == 1 else { return }
      nextBegan.open()
      nextGoesOn.wait()
    }
    await cell.settled()
    cell.send(1)
    await began.passed()
    let waiting = Task {
      await token.cancelAndWait()
      return census.alive
    }
    await eventually { token.isCancelled }
    goOn.open()
    await nextBegan.passed()
    #expect(await waiting.value == 0)
    // A second call of `cancelAndWait()` has nothing to wait for.
    await token.cancelAndWait()
    #expect(cell.observerCount == 1)
    nextGoesOn.open()
    await cell.settled()
    next.cancel()
    own.value = nil
  }

  @Test
  func `G13 captures of an observation that ended with its owner are released when cancelAndWait returns`()
    async
  {
    let cell = BindableActor(0)
    let census = Census()
    let station = Station()
    let (nextBegan, nextGoesOn, lastGoesOn) = (Gate(), Latch(), Latch())
    let owner = Box(Mortal {})
    func observe(_ owner: Mortal) -> BindingToken {
      let citizen = census.citizen()
      return cell.observe(owner, on: .queue(station.queue)) { _, _ in withExtendedLifetime(citizen) {} }
    }
    let token = observe(owner.value!)
    let last = Box<BindingToken>()
    let next = cell.observe(on: .queue(station.queue)) { value in
      guard value == 1 else { return }
      nextBegan.open()
      nextGoesOn.wait()
    }
    last.value = cell.observe(on: .queue(station.queue)) { value in
      if value == 1 { lastGoesOn.wait() }
    }
    await cell.settled()
    owner.value = nil
    cell.send(1)
    await nextBegan.passed()
    let executor = ManualExecutor()
    let isOver = Flag()
    Task(executorPreference: executor) {
      await token.cancelAndWait()
      #expect(census.alive == 0)
      isOver.set()
    }
    executor.run()
    #expect(!isOver.isSet)
    // `cancelAndWait()` waits for the handler call that is running, and not for the end of the pass.
    nextGoesOn.open()
    await eventually {
      executor.run()
      return isOver.isSet
    }
    lastGoesOn.open()
    await cell.settled()
    next.cancel()
    last.value = nil
  }

  @Test
  func `G13 captures made on an actor are released there before cancelAndWait returns elsewhere`()
    async
  {
    final class NotSendable {
      let onDeinit: () -> Void
      init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }

    let cell = BindableActor(0)
    let worker = Worker()
    let station = worker.station
    for _ in 0..<100 {
      let places = Recorder<Bool>()
      let token = await worker.run { worker in
        let capture = NotSendable { places.record(station.isHere) }
        return cell.observe(isolation: worker) { _ in withExtendedLifetime(capture) {} }
      }
      await token.cancelAndWait()
      #expect(places.elements == [true])
    }
  }

  @Test
  func `G13 an observation that began within the running pass is released when cancelAndWait returns`() async
  {
    let cell = BindableActor(0)
    let census = Census()
    let station = Station()
    let (began, goOn) = (Gate(), Latch())
    let first = cell.observe(on: .queue(station.queue)) { value in
      guard value == 1 else { return }
      began.open()
      goOn.wait()
    }
    await cell.settled()
    cell.send(1)
    await began.passed()
    // The lane is running, so these observations wait for the end of the pass. The test ends the middle one of them
    // first.
    func observe() -> BindingToken {
      let citizen = census.citizen()
      return cell.observe(on: .queue(station.queue)) { _ in withExtendedLifetime(citizen) {} }
    }
    let others = (0..<3).map { _ in observe() }
    await others[1].cancelAndWait()
    #expect(census.alive == 2)
    await others[2].cancelAndWait()
    #expect(census.alive == 1)
    goOn.open()
    await cell.settled()
    #expect(cell.observerCount == 2)
    first.cancel()
    withExtendedLifetime(others) {}
  }

  @Test
  func `G13 captures are released with the owner`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let census = Census()
    var owner: Mortal? = Mortal {}
    let token: BindingToken
    do {
      let citizen = census.citizen()
      token = cell.observe(owner!, on: context.delivery) { _, _ in withExtendedLifetime(citizen) {} }
    }
    context.run()
    #expect(census.alive == 1)
    owner = nil
    cell.send(1)
    context.run()
    #expect(census.alive == 0)
    withExtendedLifetime(token) {}
  }

  @Test
  func `G13 captures of a handler made on the caller's isolation are released there`() async {
    final class NotSendable {
      let onDeinit: () -> Void
      init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
      deinit { onDeinit() }
    }

    let cell = BindableActor(0)
    let worker = Worker()
    let station = worker.station
    let places = Recorder<Bool>()
    for waysOut in 0..<3 {
      let token = await worker.run { worker in
        let capture = NotSendable { places.record(station.isHere) }
        return cell.observe(isolation: worker) { _ in withExtendedLifetime(capture) {} }
      }
      switch waysOut {
      case 0: token.cancel()
      case 1:
        let bag = DisposeBag()
        bag.insert(token)
        bag.dispose()
      default: cell.finish()
      }
      await places.reached(waysOut + 1)
      withExtendedLifetime(token) {}
    }
    #expect(places.elements == [true, true, true])
  }

  @Test
  func `G13 a context that drops its work ends its observations, and no task waits for them`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let census = Census()
    let token: BindingToken
    do {
      let citizen = census.citizen()
      token = cell.observe(on: context.delivery) { _ in withExtendedLifetime(citizen) {} }
    }
    let waiting = Task { await cell.settled() }
    context.drop()
    await waiting.value
    #expect(token.isCancelled)
    #expect(cell.observerCount == 0)
    #expect(census.alive == 0)
    await token.cancelAndWait()
  }
}
