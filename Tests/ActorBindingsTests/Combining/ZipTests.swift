import ActorBindings
import Testing

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

  @Test
  func `an update that brings several values makes several pairs, of which the first is initial`() async {
    let cells = (1...4).map { BindableActor($0) }
    let stream = zip(merge(cells[0], cells[1]), merge(cells[2], cells[3])).updates(backlog: .unbounded)
    cells.forEach { $0.finish() }
    let pairs = await stream.elements()
    #expect(pairs.map { $0.value.0 } == [1, 2])
    #expect(pairs.map { $0.value.1 } == [3, 4])
    #expect(pairs.map(\.isInitial) == [true, false])
  }
}
