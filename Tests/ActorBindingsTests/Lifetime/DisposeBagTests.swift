import ActorBindings
import Dispatch
import Testing

@Suite
struct DisposeBagTests {
  private let cell = BindableActor(0)
  private let context = ManualContext()

  private func observe() -> BindingToken {
    cell.observe(on: context.delivery) { _ in }
  }

  @Test
  func `a bag keeps observations until it is disposed of`() {
    let bag = DisposeBag()
    bag.insert(observe(), observe())
    observe().store(in: bag)
    context.run()
    #expect(cell.observerCount == 3)
    #expect(!bag.isDisposed)
    bag.dispose()
    #expect(cell.observerCount == 0)
    #expect(bag.isDisposed)
    bag.dispose()
  }

  @Test
  func `a bag takes an array of tokens`() {
    let bag = DisposeBag()
    let tokens = [observe(), observe()]
    bag.insert(tokens)
    #expect(cell.observerCount == 2)
    bag.dispose()
    #expect(tokens.allSatisfy { $0.isCancelled })
    let late = [observe()]
    bag.insert(late)
    #expect(late[0].isCancelled)
  }

  @Test
  func `a bag keeps observations until it is deallocated`() {
    let token = observe()
    do {
      let bag = DisposeBag()
      bag.insert(token)
      #expect(!token.isCancelled)
    }
    #expect(token.isCancelled)
  }

  @Test
  func `a bag that was disposed of ends what is inserted at once`() {
    let bag = DisposeBag()
    bag.dispose()
    let (first, second) = (observe(), observe())
    bag.insert(first, second)
    #expect(first.isCancelled)
    #expect(second.isCancelled)
  }

  @Test
  func `a bag also ends observations that have an owner`() {
    let owner = Flag()
    let bag = DisposeBag()
    let token = cell.observe(owner, on: context.delivery) { _, _ in }
    token.store(in: bag)
    bag.dispose()
    #expect(token.isCancelled)
    #expect(cell.observerCount == 0)
    withExtendedLifetime(owner) {}
  }

  @Test
  func `a token that is inserted after dispose is cancelled at once`() {
    let bag = DisposeBag()
    bag.dispose()
    let token = observe()
    token.store(in: bag)
    #expect(token.isCancelled)
    #expect(bag.isDisposed)
  }

  @Test
  func `a handler may dispose of the bag that holds it`() {
    let bag = DisposeBag()
    let seen = Recorder<Int>()
    cell.observe(on: context.delivery) { value in
      seen.record(value)
      if value == 1 { bag.dispose() }
    }.store(in: bag)
    context.run()
    cell.send(1)
    cell.send(1)
    context.run()
    cell.send(2)
    context.run()
    #expect(seen.elements == [0, 1])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `captures may insert into the bag that releases them`() {
    let bag = DisposeBag()
    let other = observe()
    let isReleased = Flag()
    let insert: @Sendable () -> Void = {
      isReleased.set()
      bag.insert(other)
    }
    let token = { [mortal = Mortal(insert)] in
      cell.observe(on: context.delivery) { _ in withExtendedLifetime(mortal) {} }
    }()
    bag.insert(token)
    bag.dispose()
    #expect(isReleased.isSet)
    #expect(other.isCancelled)
    #expect(bag.isDisposed)
  }

  @Test
  func `a bag does not accumulate ended observations`() {
    let bag = DisposeBag()
    var tokens: [WeakToken] = []
    let living = observe()
    bag.insert(living)
    for _ in 0..<1_000 {
      let token = observe()
      bag.insert(token)
      token.cancel()
      tokens.append(WeakToken(token: token))
    }
    #expect(tokens.count { $0.token != nil } <= 32)
    #expect(!living.isCancelled)
    bag.dispose()
    #expect(living.isCancelled)
  }

  // Inserts a token whose observation has ended.
  private func insertEnded(into bag: DisposeBag) -> WeakToken {
    let token = observe()
    token.cancel()
    bag.insert(token)
    return WeakToken(token: token)
  }

  @Test
  func `a bag looks for ended observations when it holds sixteen tokens, and not before`() {
    let bag = DisposeBag()
    for _ in 0..<2 {
      let tokens = (1...15).map { _ in insertEnded(into: bag) }
      #expect(tokens.count { $0.token != nil } == 15)
      let last = insertEnded(into: bag)
      #expect(tokens.count { $0.token != nil } == 0)
      #expect(last.token == nil)
    }
  }

  // Otherwise a bag of n tokens would look through all of them at each insertion.
  @Test
  func `a bag with many active observations looks again when their number has doubled`() {
    let bag = DisposeBag()
    bag.insert((1...15).map { _ in observe() })
    #expect(insertEnded(into: bag).token == nil, "the bag holds sixteen tokens, and does not look")
    let ended = insertEnded(into: bag)
    bag.insert((17...29).map { _ in observe() })
    #expect(ended.token != nil, "the bag looks before it holds twice fifteen tokens")
    bag.insert(observe())
    #expect(ended.token == nil)
  }

  @Test
  func `a bag releases its tokens when it is disposed of`() {
    let bag = DisposeBag()
    let tokens = (1...3).map { _ in
      let token = observe()
      bag.insert(token)
      return WeakToken(token: token)
    }
    bag.dispose()
    #expect(tokens.allSatisfy { $0.token == nil })
  }

  @Test
  func `a bag keeps all active observations, however many end`() {
    let bag = DisposeBag()
    for index in 0..<300 {
      let token = observe()
      bag.insert(token)
      if index % 3 != 0 { token.cancel() }
    }
    context.run()
    #expect(cell.observerCount == 100)
    bag.dispose()
    #expect(cell.observerCount == 0)
  }

  @Test
  func `insert against dispose: everything ends`() async {
    for _ in 0..<stressed(200) {
      let bag = DisposeBag()
      let cell = cell
      let context = DeliveryContext.queue(.global())
      await concurrently(4) { index in
        if index == 0 { return bag.dispose() }
        for _ in 0..<5 { cell.observe(on: context) { _ in }.store(in: bag) }
      }
      #expect(cell.observerCount == 0)
    }
  }

  @Test
  func `G13 a kept object lives until its bag is disposed of, or deallocated`() {
    let census = Census()
    let bag = DisposeBag()
    bag.keep(census.citizen())
    #expect(bag.keep(census.citizen(7)).number == 7)
    #expect(census.alive == 2)
    bag.dispose()
    #expect(census.alive == 0)
    bag.keep(census.citizen())
    #expect(census.alive == 0)

    do {
      let other = DisposeBag()
      other.keep(census.citizen())
      #expect(census.alive == 1)
    }
    #expect(census.alive == 0)
  }

  @Test
  func `a bag keeps a derived cell, which continues to follow`() async {
    let bag = DisposeBag()
    let doubled = Recorder<Int>()
    bag.keep(BindableActor(of: cell.map { 2 * $0 }))
      .observe(on: .queue(.global())) { doubled.record($0) }
      .store(in: bag)
    cell.send(21)
    await eventually { doubled.last == 42 }
    bag.dispose()
    await eventually {
      cell.send(0); return cell.observerCount == 0
    }
  }

  private struct WeakToken {
    weak let token: BindingToken?
  }
}
