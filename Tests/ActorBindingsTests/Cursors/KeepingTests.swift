import ActorBindings
import Testing

/// Sources that keep the cell that they were made of.
@Suite
struct KeepingTests {
  // Creates a cell, and returns only a source of this cell.
  private func doubled(_ numbers: AsyncStream<Int>) -> some StateSource<Int> {
    let cell = BindableActor(1, following: numbers)
    return cell.map { 2 * $0 }.keeping(cell)
  }

  @Test
  func `a function may return a source of a cell that nothing else holds`() async {
    let (numbers, input) = AsyncStream.makeStream(of: Int.self)
    let source = doubled(numbers)
    #expect(source.value == 2)
    let loop = Task { [values = source.values] in await values.first { @Sendable in $0 == 8 } }
    input.yield(4)
    #expect(await loop.value == 8)
    #expect(source.value == 8)
  }

  @Test
  func `neither readers nor operators keep the cell: they end with the last copy of the source`() async {
    let (seen, context) = (Recorder<Int>(), ManualContext())
    weak var weakly: BindableActor<Int>?
    let token: BindingToken
    let (values, negative): (any AsyncSequence<Int, Never>, any StateSource<Int>)
    do {
      let cell = BindableActor(1)
      weakly = cell
      let source = cell.map { 2 * $0 }.keeping(cell)
      token = source.observe(on: context.delivery) { seen.record($0) }
      values = source.values(backlog: .unbounded)
      negative = source.map { -$0 }
      let copy = source
      cell.send(2)
      context.run()
      #expect(copy.value == 4)
    }
    #expect(weakly == nil)
    context.run()
    #expect(seen.elements == [4])
    #expect(!token.isCancelled)
    #expect(negative.value == -4)
    var left: [Int] = []
    for await value in values { left.append(value) }
    #expect(left == [2, 4])
  }

  @Test
  func `an observation does not keep the cell even if its owner lives`() {
    final class Owner: Sendable {}
    let (owner, context) = (Owner(), ManualContext())
    weak var weakly: BindableActor<Int>?
    do {
      let cell = BindableActor(1)
      weakly = cell
      cell.readOnly.keeping(cell).observe(owner, on: context.delivery) { _, _ in }
      context.run()
    }
    #expect(weakly == nil)
    withExtendedLifetime(owner) {}
  }

  @Test
  func `a source that is not a state keeps its object too`() {
    weak var weakly: EventSource<Int>?
    var source: (any BindingSource<Int>)?
    do {
      let events = EventSource<Int>()
      weakly = events
      source = events.filter { $0 > 0 }.keeping(events)
    }
    #expect(weakly?.isFinished == false)
    withExtendedLifetime(source) {}
    source = nil
    #expect(weakly == nil)
  }

  @Test
  func `a switch to a source holds what the source keeps`() async {
    let number = BindableActor(1)
    let doubled = number.flatMapLatest { number in
      let cell = BindableActor(number)
      return cell.map { 2 * $0 }.keeping(cell)
    }
    var iterator = doubled.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == 2)
    number.send(2)
    #expect(await iterator.next() == 4)
  }
}
