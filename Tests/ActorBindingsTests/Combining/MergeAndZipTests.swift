import ActorBindings
import Testing

@Suite
struct MergeTests {
  private let left = BindableActor("a")
  private let right = BindableActor("1")

  @Test
  func `merge delivers every value of each source, in the order of the writes`() async {
    var iterator = merge(left, right).values(backlog: .unbounded).makeAsyncIterator()
    for text in ["2", "b", "c", "3", "d"] {
      if text.first?.isNumber == true { right.send(text) } else { left.send(text) }
    }
    for expected in ["a", "1", "2", "b", "c", "3", "d"] { #expect(await iterator.next() == expected) }
    left.finish()
    right.send("4")
    right.finish()
    #expect(await iterator.next() == "4")
    #expect(await iterator.next() == nil)
  }

  @Test
  func `merge with latest delivers the newest value of each source, the older one first`() {
    let context = ManualContext()
    let seen = Recorder<String>()
    let token = merge(left, right).observe(on: context.delivery) { seen.record($0) }
    context.run()
    for text in ["b", "c"] { left.send(text) }
    for text in ["2", "3"] { right.send(text) }
    context.run()
    right.send("4")
    left.send("d")
    context.run()
    #expect(seen.elements == ["a", "1", "c", "3", "4", "d"])
    token.cancel()
    left.cell.locked { state, roster in
      state.checkInvariants(roster)
      #expect(!state.keepsHistory)
    }
  }

  @Test
  func `merge within a combination delivers the older value first`() async {
    let third = BindableActor("x")
    let all = merge(left, right)
    var inOne = combineLatest(third, all).values.makeAsyncIterator()
    var inTwo = combineLatest(combineLatest(all, third), third).values.makeAsyncIterator()
    var paired = zip(all, all).values.makeAsyncIterator()
    _ = (await inOne.next(), await inTwo.next(), await paired.next())
    right.send("2")
    left.send("b")
    #expect(await inOne.next()?.1 == "b")
    #expect(await inTwo.next()?.0.0 == "b")
    #expect(await paired.next()?.0 == "b")
  }

  @Test
  func `merge delivers both halves of a transaction, one after the other`() async {
    let third = BindableActor("x")
    var iterator = merge(left, right, third).updates(backlog: .unbounded).makeAsyncIterator()
    for _ in 1...3 { _ = await iterator.next() }
    BindingTransaction.run { transaction in
      transaction[third] = "y"
      transaction[left] = "b"
    }
    let updates = [await iterator.next(), await iterator.next()]
    #expect(updates.map { $0?.value } == ["b", "y"])
    #expect(updates.allSatisfy { $0?.skipped == 0 })
  }

  @Test
  func `a rejected value of one source does not repeat a value of the other`() async {
    let long = left.filter { $0.count > 1 }
    var iterator = merge(long, right.compactMap { Int($0).map { "\($0 * 10)" } })
      .values(backlog: .unbounded).makeAsyncIterator()
    right.send("x")
    left.send("b")
    left.send("bb")
    right.send("2")
    for expected in ["10", "bb", "20"] { #expect(await iterator.next() == expected) }
  }
}

@Suite
struct ZipTests {
  private let left = BindableActor(1)
  private let right = BindableActor("a")

  @Test
  func `zip pairs the first values, and the second values`() async {
    var iterator = zip(left, right).map { "\($0)\($1)" }.values(backlog: .unbounded).makeAsyncIterator()
    for number in 2...4 { left.send(number) }
    for text in ["b", "c"] { right.send(text) }
    right.send("d")
    for expected in ["1a", "2b", "3c", "4d"] { #expect(await iterator.next() == expected) }
    right.send("e")
    left.finish()
    right.finish()
    #expect(await iterator.next() == nil)
  }

  @Test
  func `zip with latest keeps the newest value of each side without a partner`() {
    let context = ManualContext()
    let seen = Recorder<String>()
    let token = zip(left, right).map { "\($0)\($1)" }.observe(on: context.delivery) { seen.record($0) }
    context.run()
    for number in 2...4 {
      left.send(number)
      context.run()
    }
    right.send("b")
    context.run()
    right.send("c")
    right.send("d")
    context.run()
    left.send(5)
    context.run()
    #expect(seen.elements == ["1a", "4b", "5d"])
    withExtendedLifetime(token) {}
  }

  @Test
  func `zip with a bounded backlog keeps the newest few`() async {
    var iterator = zip(left, right).map { "\($0)\($1)" }.values(backlog: .bounded(2)).makeAsyncIterator()
    #expect(await iterator.next() == "1a")
    for number in 2...5 { left.send(number) }
    right.send("b")
    right.send("c")
    // The newest two of the five updates are "b" and "c". Before them, the newest value of `left` is 5.
    #expect(await iterator.next() == "5b")
  }

  @Test
  func `zip within a combination pairs as outside of one`() async {
    let other = BindableActor(0)
    var iterator = combineLatest(zip(left, right).map { "\($0)\($1)" }, other).map { "\($0) \($1)" }
      .values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == "1a 0")
    for number in 2...3 { left.send(number) }
    right.send("b")
    other.send(1)
    right.send("c")
    for expected in ["2b 0", "2b 1", "3c 1"] { #expect(await iterator.next() == expected) }
  }
}
