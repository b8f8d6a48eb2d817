import ActorBindings
import Testing

private struct Pair: Equatable, Sendable {
  var left: Int
  var right: Int
}

extension Pair {
  init(_ values: (Int, Int)) {
    self.init(left: values.0, right: values.1)
  }
}

private func pairs(
  _ left: BindableActor<Int>,
  _ right: BindableActor<Int>
) -> some StateSource<Pair> {
  combineLatest(left, right).map(Pair.init)
}

@Suite
struct CombineLatestTests {
  private let left = BindableActor(1)
  private let right = BindableActor(10)

  @Test
  func `the value of a combination is that of both cells`() {
    let pair = pairs(left, right)
    #expect(pair.value == Pair(left: 1, right: 10))
    left.send(2)
    right.send(20)
    #expect(pair.value == Pair(left: 2, right: 20))
    #expect(left.observerCount == 0)
  }

  @Test(arguments: [Backlog.latest, .bounded(4), .unbounded])
  func `an observer receives each change of either cell`(backlog: Backlog) {
    let context = ManualContext()
    let seen = Recorder<Pair>()
    let token = pairs(left, right).observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    context.run()
    left.send(2)
    context.run()
    right.send(20)
    context.run()
    left.send(3)
    context.run()
    #expect(seen.elements.map(\.left) == [1, 2, 2, 3])
    #expect(seen.elements.map(\.right) == [10, 10, 20, 20])
    token.cancel()
    left.send(4)
    #expect(context.pending == 0)
  }

  @Test
  func `an observer on the caller's isolation is called before observe returns`() async {
    await MainActor.run {
      var seen: [Pair] = []
      let token = pairs(left, right).observe { seen.append($0) }
      #expect(seen == [Pair(left: 1, right: 10)])
      token.cancel()
    }
  }

  @Test
  func `an unbounded reader receives every joint state, in the order of the writes`() async {
    var iterator = pairs(left, right).values(backlog: .unbounded).makeAsyncIterator()
    left.send(2)
    right.send(20)
    right.send(30)
    left.send(3)
    var seen: [Pair] = []
    for _ in 0..<5 {
      if let pair = await iterator.next() { seen.append(pair) }
    }
    #expect(seen.map(\.left) == [1, 2, 2, 2, 3])
    #expect(seen.map(\.right) == [10, 10, 20, 30, 30])
  }

  @Test
  func `a bounded reader receives the newest joint states`() async {
    let updates = combineLatest(left, right).map(Pair.init).updates(backlog: .bounded(2))
    var iterator = updates.makeAsyncIterator()
    #expect(await iterator.next()?.value == Pair(left: 1, right: 10))
    left.send(2)
    right.send(20)
    left.send(3)
    right.send(30)
    let third = await iterator.next()
    #expect(third?.value == Pair(left: 3, right: 20))
    // The reader has never examined the update in which `left` became 2.
    #expect(third?.skipped == 1)
    #expect(await iterator.next()?.value == Pair(left: 3, right: 30))
  }

  @Test
  func `a bounded reader that is not read lets no log grow`() async {
    let census = Census()
    let citizens = BindableActor(census.citizen())
    let stream = combineLatest(citizens, right).values(backlog: .bounded(3))
    var iterator = stream.makeAsyncIterator()
    for number in 1...100 { citizens.send(census.citizen(number)) }
    #expect(census.alive <= 5)
    #expect(await iterator.next()?.0.number == 98)
  }

  @Test
  func `a busy loop receives the newest value, and the number that it skipped`() async {
    var iterator = combineLatest(left, right).updates().makeAsyncIterator()
    let first = await iterator.next()
    #expect(first?.isInitial == true)
    #expect(first?.skipped == 0)
    left.send(2)
    left.send(3)
    right.send(20)
    let second = await iterator.next()
    #expect(second.map { Pair($0.value) } == Pair(left: 3, right: 20))
    #expect(second?.skipped == 1)
    #expect(second?.version == 3)
    #expect(second?.isInitial == false)
  }

  @Test
  func `two sources of one cell are counted once`() async {
    var iterator = combineLatest(left.map { $0 + 1 }, left.map { $0 * 2 }).updates().makeAsyncIterator()
    _ = await iterator.next()
    for value in 2...5 { left.send(value) }
    let update = await iterator.next()
    #expect(update.map { Pair($0.value) } == Pair(left: 6, right: 10))
    #expect(update?.version == 4)
    #expect(update?.skipped == 3)
  }

  @Test
  func `a combination begins when both sources have a value`() {
    let name = BindableActor<String?>()
    let context = ManualContext()
    let seen = Recorder<String>()
    let both = combineLatest(name.compactMap(\.self), left).map { name, count in "\(name) \(count)" }
    let token = both.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    context.run()
    left.send(2)
    context.run()
    #expect(seen.elements.isEmpty)
    name.send("a")
    context.run()
    name.send(nil)
    left.send(3)
    context.run()
    #expect(seen.elements == ["a 2", "a 3"])
    withExtendedLifetime(token) {}
  }

  @Test
  func `combinations of three to six sources, and of combinations`() async {
    let (third, fourth) = (BindableActor(100), BindableActor(1000))
    #expect(combineLatest(left, right, third).value == (1, 10, 100))
    let sum = combineLatest(left, right, third, fourth).map { $0 + $1 + $2 + $3 }
    var iterator = sum.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == 1111)
    for cell in [fourth, left, third, right] { cell.modify { $0 *= 2 } }
    for expected in [2111, 2112, 2212, 2222] { #expect(await iterator.next() == expected) }
    let (fifth, sixth) = (BindableActor("five"), BindableActor(true))
    let five = combineLatest(left, right, third, fourth, fifth)
    let six = combineLatest(left, right, third, fourth, fifth, sixth)
    for name in ["5", "V"] {
      fifth.send(name)
      #expect(five.value == (2, 20, 200, 2000, name))
      #expect(six.value == (2, 20, 200, 2000, name, true))
    }
    let nested = combineLatest(sum, combineLatest(left, sum.map { -$0 }).map { $0 + $1 }).map { $0 + $1 }
    #expect(nested.value == 2)
  }

  // MARK: The end

  @Test
  func `a combination ends when both sources have ended`() async {
    var iterator = pairs(left, right).values.makeAsyncIterator()
    #expect(await iterator.next() == Pair(left: 1, right: 10))
    left.finish()
    right.send(20)
    #expect(await iterator.next() == Pair(left: 1, right: 20))
    right.finish()
    #expect(await iterator.next() == nil)
    #expect(left.observerCount == 0)
    var late = pairs(left, right).values.makeAsyncIterator()
    #expect(await late.next() == Pair(left: 1, right: 20))
    #expect(await late.next() == nil)
  }

  @Test
  func `a reader that begins after the end receives the last value`() async {
    let pair = pairs(left, right)
    left.finish()
    right.finish()
    for _ in 1...2 {
      var iterator = pair.values(backlog: .unbounded).makeAsyncIterator()
      #expect(await iterator.next() == Pair(left: 1, right: 10))
      #expect(await iterator.next() == nil)
    }
  }

  @Test
  func `the end of one cell causes no update`() async {
    let context = ManualContext()
    let seen = Recorder<Pair>()
    let token = pairs(left, right).observe(on: context.delivery) { seen.record($0) }
    context.run()
    left.finish()
    context.run()
    #expect(seen.count == 1)
    right.send(20)
    context.run()
    #expect(seen.count == 2)
    withExtendedLifetime(token) {}
  }

  // MARK: Ownership

  @Test
  func `readers of a combination count in each cell, and each settled() waits for them`() async {
    let context = ManualContext()
    let seen = Recorder<Pair>()
    let token = pairs(left, right).observe(on: context.delivery) { seen.record($0) }
    var iterator = pairs(left, right).values.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    #expect(left.observerCount == 2)
    #expect(right.observerCount == 2)
    context.run()
    left.send(2)
    let settled = Task { await left.settled() }
    await seen.reached(1)
    while context.pending == 0 { await giveWay() }
    context.run()
    await settled.value
    #expect(seen.last == Pair(left: 2, right: 10))
    token.cancel()
    #expect(left.observerCount == 1)
  }

  @Test
  func `when the last reader has left, the cells have no observers`() async {
    let context = ManualContext()
    for backlog in [Backlog.latest, .bounded(3), .unbounded] {
      let token = pairs(left, right).observe(on: context.delivery, backlog: backlog) { _ in }
      do {
        let stream = pairs(left, right).values(backlog: backlog)
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
        context.run()
        #expect(left.cell.withFollowers.count == 3)
      }
      token.cancel()
      #expect(left.observerCount == 0)
      #expect(left.cell.withFollowers.count == 1)
      left.cell.locked { state, roster in
        state.checkInvariants(roster)
        #expect(!state.keepsHistory)
        #expect(roster.idle.members.isEmpty)
      }
    }
  }

  @Test
  func `a source without readers keeps no value alive`() async {
    let census = Census()
    let citizens = BindableActor(census.citizen(1))
    let source = combineLatest(citizens, right)
    do {
      var iterator = source.values.makeAsyncIterator()
      #expect(await iterator.next()?.0.number == 1)
    }
    citizens.send(census.citizen(2))
    #expect(census.alive == 1)
    #expect(source.value.0.number == 2)
  }

  @Test
  func `an observation with an owner lives without source and token, and ends with its cells`() {
    let context = ManualContext()
    let owner = Mortal {}
    let seen = Recorder<Int>()
    do {
      let (a, b) = (BindableActor(1), BindableActor(2))
      combineLatest(a, b).observe(owner, on: context.delivery) { seen.record($1.0 + $1.1) }
      context.run()
      a.send(2)
    }
    context.run()
    #expect(seen.elements == [3, 4])
    withExtendedLifetime(owner) {}
  }

  // MARK: Costs

  @Test
  func `one change wakes a context once, however many observers it has there`() {
    let context = ManualContext()
    let pair = pairs(left, right)
    let tokens = (0..<100).map { _ in pair.observe(on: context.delivery) { _ in } }
    context.run()
    left.send(2)
    right.send(20)
    #expect(context.pending == 1)
    context.run()
    #expect(context.pending == 0)
    withExtendedLifetime(tokens) {}
  }
}
