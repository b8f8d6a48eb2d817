import ActorBindings
import Testing

@Suite
struct G06StartTests {
  static let backlogs: [Backlog] = [.latest, .bounded(1), .bounded(3), .unbounded]

  @Test(arguments: backlogs)
  func `G6 a new observer receives the current value, then each that follows`(backlog: Backlog) async {
    let cell = BindableActor(0)
    cell.send(1)
    let seen = Recorder<Int>()
    let token = cell.observe(on: .queue(Station().queue), backlog: backlog) { seen.record($0) }
    await cell.settled()
    #expect(seen.elements == [1])
    cell.send(2)
    await cell.settled()
    #expect(seen.elements == [1, 2])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: backlogs) @MainActor
  func `G6 on the caller's isolation the first value is handled before observe returns`(backlog: Backlog) {
    let cell = BindableActor(0)
    cell.send(1)
    var seen: [Int] = []
    let token = cell.observe(backlog: backlog) { seen.append($0) }
    #expect(seen == [1])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: backlogs) @MainActor
  func `G6 a new observer has no gap while other tasks write`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let stop = Flag()
    let writers = (0..<2).map { _ in
      Task.detached {
        while !stop.isSet {
          for _ in 0..<100 { cell.modify { $0 += 1 } }
          await Task.yield()
        }
      }
    }
    var violations = 0
    for _ in 0..<500 {
      let before = cell.version
      var seen: [Update<Int>] = []
      let token = cell.versioned().observe(backlog: backlog) { seen.append($0) }
      if seen.isEmpty || seen[0].version < before { violations += 1 }
      token.cancel()
    }
    #expect(violations == 0)
    stop.set()
    for writer in writers { await writer.value }
  }

  @Test(arguments: backlogs)
  func `G6 a stream begins with the current value`(backlog: Backlog) async {
    let cell = BindableActor(0)
    cell.send(1)
    var iterator = cell.values(backlog: backlog).makeAsyncIterator()
    #expect(await iterator.next() == 1)
    cell.send(2)
    #expect(await iterator.next() == 2)
  }

  @Test
  func `G6 a stream that is not latest begins when it is made, a latest one with its loop`() async {
    let cell = BindableActor(0)
    let latest = cell.updates()
    let one = cell.updates(backlog: .bounded(1))
    let two = cell.updates(backlog: .bounded(2))
    let all = cell.updates(backlog: .unbounded)
    for value in 1...3 { cell.send(value) }
    cell.finish()
    func seen(_ stream: some AsyncSequence<Update<Int>, Never>) async -> [[Int]] {
      await stream.reduce(into: []) { $0.append([$1.value, $1.skipped]) }
    }
    #expect(await seen(latest) == [[3, 0]])
    #expect(await seen(one) == [[3, 3]])
    #expect(await seen(two) == [[2, 2], [3, 0]])
    #expect(await seen(all) == [[0, 0], [1, 0], [2, 0], [3, 0]])
  }

  @Test
  func `G6 the first loop takes over the stream's position, later ones begin with the current value`() async {
    let cell = BindableActor(0)
    let stream = cell.values(backlog: .unbounded)
    cell.send(1)
    var first = stream.makeAsyncIterator()
    var second = stream.makeAsyncIterator()
    cell.send(2)
    #expect(await first.next() == 0)
    #expect(await first.next() == 1)
    #expect(await first.next() == 2)
    #expect(await second.next() == 1)
    #expect(await second.next() == 2)
  }

  @Test(arguments: backlogs)
  func `G6 no value that is sent after the call returned is missed`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let context = ManualContext()
    for round in 1...200 {
      let seen = Recorder<Int>()
      let token = cell.observe(on: context.delivery, backlog: backlog) { seen.record($0) }
      let stream = cell.values(backlog: backlog)
      cell.send(round)
      context.run()
      #expect(seen.last == round)
      if backlog == .unbounded { #expect(seen.elements == [round - 1, round]) }
      var iterator = stream.makeAsyncIterator()
      let first = await iterator.next()
      #expect(first == round || backlog == .unbounded || backlog == .bounded(3))
      if first != round { #expect(await iterator.next() == round) }
      token.cancel()
    }
  }

  @Test
  func `G6 a cell without a value begins, through compactMap, with the first real one`() async {
    let cell = BindableActor<Int?>()
    #expect(cell.value == nil)
    let stream = cell.compactMap(\.self).updates(backlog: .unbounded)
    cell.send(nil)
    cell.send(7)
    cell.finish()
    let seen = await stream.elements()
    #expect(seen.map(\.value) == [7])
    #expect(seen.map(\.isInitial) == [false])
  }
}
