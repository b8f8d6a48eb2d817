import ActorBindings
import Testing

@Suite
struct G11FinishTests {
  @Test
  func `G11 finish ends the cell, and is idempotent`() {
    let cell = BindableActor(1)
    #expect(!cell.isFinished)
    cell.finish()
    cell.finish()
    #expect(cell.isFinished)
    #expect(cell.value == 1)
  }

  @Test
  func `G11 later writes are ignored, and the value stays readable`() async {
    let cell = BindableActor(1)
    cell.send(2)
    cell.finish()
    cell.send(3)
    await cell.update(4)
    await cell.update { $0 = 5 }
    #expect(!cell.compareAndSet(2, 6))
    #expect(!cell.sendIfChanged(7))
    #expect(cell.value == 2)
    #expect(cell.version == 1)
  }

  @Test
  func `G11 after finish modify runs its body on a copy and discards it`() {
    let cell = BindableActor(2)
    cell.finish()
    let result = cell.modify { value in
      value += 1
      return value
    }
    #expect(result == 3)
    #expect(cell.value == 2)
  }

  @Test(arguments: [
    (Backlog.latest, [5]), (.bounded(2), [4, 5]), (.unbounded, [0, 1, 2, 3, 4, 5]),
  ])
  func `G11 readers receive what they had not seen, then end`(backlog: Backlog, expected: [Int]) async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let token = cell.observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    let stream = cell.values(backlog: backlog)
    let waiting = backlog == .latest ? 0 : 1
    for value in 1...5 { cell.send(value) }
    cell.finish()
    #expect(cell.observerCount == 1 + waiting)
    context.run()
    #expect(seen.elements == expected)
    #expect(cell.observerCount == waiting)
    #expect(!token.isCancelled)
    #expect(await stream.elements() == expected)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G11 readers that were idle end`() async {
    let cell = BindableActor(0)
    let token = cell.observe(on: .queue(Station().queue)) { _ in }
    let loop = Task { for await _ in cell.values {} }
    await cell.parked(2)
    cell.finish()
    await loop.value
    await cell.settled()
    #expect(cell.observerCount == 0)
    #expect(!token.isCancelled)
  }

  @Test @MainActor
  func `G11 new readers receive the last value, and then the end`() async {
    let cell = BindableActor(0)
    cell.send(1)
    cell.finish()
    for backlog in [Backlog.latest, .bounded(2), .unbounded] {
      #expect(await cell.values(backlog: backlog).elements() == [1])

      let seen = Recorder<Int>()
      let token = cell.observe(on: .queue(Station().queue), backlog: backlog) { seen.record($0) }
      await cell.settled()
      #expect(seen.elements == [1])

      var own: [Int] = []
      let ownToken = cell.observe(backlog: backlog) { own.append($0) }
      #expect(own == [1])
      #expect(!token.isCancelled)
      #expect(!ownToken.isCancelled)
    }
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G11 deallocation of the cell is a finish`() async {
    var cell: BindableActor<Int>? = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let token = cell!.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    let stream = cell!.values(backlog: .unbounded)
    cell!.send(1)
    cell = nil
    context.run()
    #expect(seen.elements == [0, 1])
    #expect(!token.isCancelled)
    #expect(await stream.elements() == [0, 1])
  }

  @Test
  func `G11 deallocation of the cell is a finish also for observers on the cell`() async {
    let seen = Recorder<Int>()
    var cell: BindableActor<Int>? = BindableActor(0)
    weak let weakly = cell
    let token = cell!.observe(on: .cell) { seen.record($0) }
    await cell!.update(1)
    cell = nil
    await eventually { weakly == nil }
    #expect(seen.last == 1)
    #expect(!token.isCancelled)
  }

  @Test
  func `G11 finish inside a handler is delivered like a write`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let events = Recorder<String>()
    let first = cell.observe(on: context.delivery) { value in
      events.record("first \(value)")
      cell.send(value + 1)
      if value == 1 { cell.finish() }
    }
    let second = cell.observe(on: context.delivery) { events.record("second \($0)") }
    context.run()
    #expect(
      events.elements == ["first 0", "second 0", "first 1", "second 1", "first 2", "second 2"]
    )
    #expect(cell.observerCount == 0)
    withExtendedLifetime((first, second)) {}
  }
}
