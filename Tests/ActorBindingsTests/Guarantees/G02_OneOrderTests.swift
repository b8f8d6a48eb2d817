import ActorBindings
import Testing

@Suite
struct G02OneOrderTests {
  @Test
  func `G2 every update raises the version by one, also with an equal value`() async {
    let cell = BindableActor(0)
    #expect(cell.version == 0)
    cell.send(0)
    #expect(cell.version == 1)
    cell.modify { $0 += 1 }
    #expect(cell.version == 2)
    cell.compareAndSet(1, 2)
    #expect(cell.version == 3)
    cell.sendIfChanged(3)
    #expect(cell.version == 4)
    await cell.update(4)
    #expect(cell.version == 5)
    await cell.update { $0 = 5 }
    #expect(cell.version == 6)
  }

  @Test
  func `G2 a write that changes nothing has no version`() {
    struct Refusal: Error {}
    let cell = BindableActor(0)
    cell.sendIfChanged(0)
    cell.compareAndSet(1, 2)
    try? cell.modify { _ throws(Refusal) in throw Refusal() }
    #expect(cell.version == 0)
  }

  @Test
  func `G2 streams and observers see the same updates in the same order`() async {
    let cell = BindableActor(0)
    let onQueue = Recorder<Update<Int>>()
    let onExecutor = Recorder<Update<Int>>()
    let all = cell.versioned()
    let tokens = [
      all.observe(on: .queue(Station(isConcurrent: true).queue), backlog: .unbounded) { onQueue.record($0) },
      all.observe(on: .taskExecutor(Station()), backlog: .unbounded) { onExecutor.record($0) },
    ]
    let streams = [cell.updates(backlog: .unbounded), cell.updates(backlog: .unbounded)]
    let some = [cell.updates(), cell.updates(backlog: .bounded(3))]
    let loops = (streams + some).map { stream in
      Task { await stream.elements() }
    }

    await concurrently(3) { writer in
      await repeatedly(2_000) { round in cell.send(writer * 10_000 + round) }
    }
    await cell.settled()
    cell.finish()

    let history = onQueue.elements.map(\.value)
    #expect(onQueue.elements.map(\.version) == Array(0...6_000))
    #expect(onExecutor.elements.map(\.value) == history)
    for (index, loop) in loops.enumerated() {
      let seen = await loop.value
      let versions = seen.map(\.version)
      #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
      #expect(seen.allSatisfy { history[Int($0.version)] == $0.value })
      if index < 2 { #expect(seen.count == 6_001) }
    }
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G2 what one writer sends in order arrives in order, on every context`() async {
    let cell = BindableActor(0)
    let worker = Worker()
    cell.observe(with: worker, backlog: .unbounded) { $0.record($1) }
    let onMain = Recorder<Int>()
    let token = cell.observe(on: .main, backlog: .unbounded) { onMain.record($0) }
    await repeatedly(3_000) { cell.send($0 + 1) }
    await cell.settled()
    #expect(await worker.elements == Array(0...3_000))
    #expect(onMain.elements == Array(0...3_000))
    withExtendedLifetime(token) {}
  }
}
