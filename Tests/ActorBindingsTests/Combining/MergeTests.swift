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
    let (all, third) = (merge(left, right), BindableActor("x"))
    // One reader at a time: while a reader compares instants, the cells keep them for all readers.
    #expect(await newest(of: combineLatest(third, all).map { _, text in text }) == "b")
    #expect(await newest(of: combineLatest(all, third).map { text, _ in text }) == "b")
    let nested = combineLatest(combineLatest(all, third), third)
    #expect(await newest(of: nested.map { pair, _ in pair.0 }) == "b")
    #expect(await newest(of: zip(all, all).map { text, _ in text }) == "b")
  }

  // What a reader receives after a write to each of the two cells, the right one first.
  private func newest(of source: some BindingSource<String>) async -> String? {
    var iterator = source.values.makeAsyncIterator()
    _ = await iterator.next()
    right.send("2")
    left.send("b")
    return await iterator.next()
  }

  @Test
  func `merge of three with latest delivers the older value first`() async {
    let third = BindableActor("x")
    var iterator = merge(left, right, third).values.makeAsyncIterator()
    for _ in 1...3 { _ = await iterator.next() }
    third.send("y")
    left.send("b")
    for expected in ["y", "b"] { #expect(await iterator.next() == expected) }
  }

  @Test
  func `merge reports each skipped update once`() async {
    var iterator = merge(left, right).updates().makeAsyncIterator()
    for _ in 1...2 { #expect(await iterator.next()?.skipped == 0) }
    for text in ["b", "c"] { left.send(text) }
    for text in ["2", "3", "4"] { right.send(text) }
    for expected in [1, 2] { #expect(await iterator.next()?.skipped == expected) }
    for text in ["5", "6"] { right.send(text) }
    for text in ["d", "e", "f"] { left.send(text) }
    for expected in [1, 2] { #expect(await iterator.next()?.skipped == expected) }
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
