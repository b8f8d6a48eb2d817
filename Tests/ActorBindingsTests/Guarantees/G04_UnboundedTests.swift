import ActorBindings
import Testing

@Suite
struct G04UnboundedTests {
  @Test
  func `G4 an unbounded observer that was busy receives every version`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Update<Int>>()
    let token = cell.versioned().observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    for value in 1...1_000 { cell.send(value) }
    context.run()
    #expect(seen.elements.map(\.value) == Array(0...1_000))
    #expect(seen.elements.allSatisfy { $0.skipped == 0 })
    withExtendedLifetime(token) {}
  }

  @Test
  func `G4 an unbounded stream gets every version, from where it was made`() async {
    let cell = BindableActor(0)
    cell.send(1)
    let stream = cell.updates(backlog: .unbounded)
    for value in 2...1_000 { cell.send(value) }
    cell.finish()
    let seen = await stream.elements()
    #expect(seen.map(\.version) == Array(1...1_000))
    #expect(seen.map(\.value) == Array(1...1_000))
    #expect(seen.allSatisfy { $0.skipped == 0 })
  }

  @Test
  func `G4 slow and fast unbounded readers receive the same, whatever others do`() async {
    let cell = BindableActor(0)
    let (slow, fast) = (ManualContext(), ManualContext())
    let (seenSlowly, seenFast) = (Recorder<Int>(), Recorder<Int>())
    let tokens = [
      cell.observe(on: slow.delivery, backlog: .unbounded) { seenSlowly.record($0) },
      cell.observe(on: fast.delivery, backlog: .unbounded) { seenFast.record($0) },
    ]
    for value in 1...500 {
      cell.send(value)
      fast.run()
      if value % 100 == 0 { slow.runOne() }
      if value % 50 == 0 { _ = cell.values(backlog: .unbounded).makeAsyncIterator() }
    }
    slow.run()
    #expect(seenFast.elements == Array(0...500))
    #expect(seenSlowly.elements == Array(0...500))
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G4 a filter with an unbounded backlog examines every version`() async {
    let cell = BindableActor(0)
    let asked = Recorder<Int>()
    let odd = cell.filter { value in
      asked.record(value)
      return value % 2 == 1
    }
    let stream = odd.values(backlog: .unbounded)
    for value in 1...100 { cell.send(value) }
    cell.finish()
    #expect(await stream.elements() == Array(stride(from: 1, to: 100, by: 2)))
    #expect(asked.elements == Array(0...100))
  }

  @Test
  func `G4 a reader that begins while writers write has no gap from its first element on`() async {
    let cell = BindableActor(0)
    let stop = Flag()
    let writer = Task.detached {
      while !stop.isSet {
        cell.modify { $0 += 1 }
        await Task.yield()
      }
    }
    for _ in 0..<200 {
      let before = cell.version
      var seen: [Update<Int>] = []
      for await update in cell.updates(backlog: .unbounded) {
        seen.append(update)
        if seen.count == 5 { break }
      }
      let first = seen[0].version
      #expect(first >= before)
      #expect(seen[0].isInitial)
      #expect(seen.map(\.version) == Array(first..<first + 5))
    }
    stop.set()
    await writer.value
  }
}
