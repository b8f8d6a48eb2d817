import ActorBindings
import Testing

@Suite
struct ChunksTests {
  private let cell = BindableActor(1)
  private let clock = ManualClock()

  @Test
  func `values are collected until the array is full, or the time has passed`() async {
    let source = cell.chunks(ofCount: 3, orAfter: .seconds(3), clock: clock)
    var iterator = source.values(backlog: .unbounded).makeAsyncIterator()
    await clock.slept(1)
    for number in 2...4 { cell.send(number) }
    #expect(await iterator.next() == [1, 2, 3])
    await cell.settled()
    // The timer of the first array fires, and then waits for the deadline of the second.
    clock.advance(by: .seconds(3))
    #expect(await iterator.next() == [4])
    cell.send(5)
    cell.finish()
    #expect(await iterator.next() == [5])
    #expect(await iterator.next() == nil)
    await clock.slept(0)
  }

  @Test
  func `a reader of every array receives every value`() async {
    let stream = cell.chunks(ofCount: 7, orAfter: .seconds(3), clock: clock).values(backlog: .unbounded)
    async let arrays = stream.elements()
    await clock.slept(1)
    await concurrently(2) { [cell] _ in
      for number in 0..<500 { cell.send(number) }
    }
    cell.finish()
    let all = await arrays
    #expect(all.reduce(0) { $0 + $1.count } == 1_001)
    #expect(all.allSatisfy { (1...7).contains($0.count) })
    #expect(all.dropLast().allSatisfy { $0.count == 7 })
  }

  @Test
  func `a chunk without room ends the process`() async {
    await #expect(processExitsWith: .failure) {
      _ = BindableActor(1).chunks(ofCount: 0, orAfter: .seconds(1))
    }
  }
}
