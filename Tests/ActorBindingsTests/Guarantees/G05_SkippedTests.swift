import ActorBindings
import Testing

@Suite
struct G05SkippedTests {
  private func seen(
    _ backlog: Backlog,
    _ script: (BindableActor<Int>, ManualContext) -> Void
  ) -> [Update<Int>] {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Update<Int>>()
    let token = cell.versioned().observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    script(cell, context)
    context.run()
    withExtendedLifetime(token) {}
    return seen.elements
  }

  @Test
  func `G5 a latest reader learns how many versions it skipped`() {
    let updates = seen(.latest) { cell, context in
      context.run()
      for value in 1...5 { cell.send(value) }
      context.run()
      cell.send(6)
      context.run()
      cell.send(7)
      cell.send(8)
    }
    #expect(updates.map(\.value) == [0, 5, 6, 8])
    #expect(updates.map(\.skipped) == [0, 4, 0, 1])
  }

  @Test
  func `G5 a bounded reader keeps the newest, and learns how many it skipped`() {
    let updates = seen(.bounded(3)) { cell, context in
      context.run()
      for value in 1...10 { cell.send(value) }
      context.run()
      for value in 11...13 { cell.send(value) }
    }
    #expect(updates.map(\.value) == [0, 8, 9, 10, 11, 12, 13])
    #expect(updates.map(\.skipped) == [0, 7, 0, 0, 0, 0, 0])
  }

  @Test
  func `G5 a bounded reader that lags by less than its bound skips nothing`() {
    let updates = seen(.bounded(5)) { cell, context in
      context.run()
      for value in 1...5 { cell.send(value) }
    }
    #expect(updates.map(\.value) == Array(0...5))
    #expect(updates.allSatisfy { $0.skipped == 0 })
  }

  @Test
  func `G5 readers with different bounds each keep their own number`() async {
    let cell = BindableActor(0)
    let streams = [1, 2, 5, 100].map { ($0, cell.updates(backlog: .bounded($0))) }
    for value in 1...20 { cell.send(value) }
    cell.finish()
    for (bound, stream) in streams {
      let updates = await stream.elements()
      let kept = min(bound, 21)
      #expect(updates.map(\.value) == Array((21 - kept)...20))
      #expect(updates.first?.skipped == 21 - kept)
      #expect(updates.dropFirst().allSatisfy { $0.skipped == 0 })
    }
  }

  @Test
  func `G5 the first element counts from the version that was current at the start`() {
    let untouched = seen(.latest) { cell, context in context.run() }
    #expect(untouched.map(\.skipped) == [0])
    #expect(untouched.map(\.isInitial) == [true])

    let late = seen(.latest) { cell, _ in for value in 1...4 { cell.send(value) } }
    #expect(late.map(\.version) == [4])
    #expect(late.map(\.skipped) == [4])
    #expect(late.map(\.isInitial) == [false])

    let bounded = seen(.bounded(2)) { cell, _ in for value in 1...4 { cell.send(value) } }
    #expect(bounded.map(\.version) == [3, 4])
    #expect(bounded.map(\.skipped) == [3, 0])
    #expect(bounded.map(\.isInitial) == [false, false])
  }

  @Test
  func `G5 an update that an operator rejected is not skipped`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Update<Int>>()
    let even = cell.filter { $0 % 2 == 0 }.map { $0 * 10 }.versioned()
    let token = even.observe(on: context.delivery) { seen.record($0) }
    context.run()
    for value in [1, 3, 5] {
      cell.send(value)
      context.run()
    }
    cell.send(6)
    context.run()
    // The filter examined and rejected 1, 3 and 5, so they do not count as skipped.
    #expect(seen.elements.map(\.skipped) == [0, 0])

    for value in 7...9 { cell.send(value) }
    context.run()
    // The filter never examines 7, 8, 10 and 11. The filter examines and rejects 9.
    for value in 10...12 { cell.send(value) }
    context.run()
    #expect(seen.elements.map(\.value) == [0, 60, 120])
    #expect(seen.elements.last?.skipped == 4)
    withExtendedLifetime(token) {}
  }

  @Test
  func `G5 skipped updates before several rejections in a row add up`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Update<Int>>()
    let token = cell.filter { $0 % 2 == 0 }.versioned().observe(on: context.delivery) { seen.record($0) }
    context.run()
    // The filter examines only the newest value of each burst, and rejects it except in the last burst. The other
    // values of each burst are skipped.
    for burst in [1...5, 6...9, 10...14] {
      burst.forEach(cell.send)
      context.run()
    }
    #expect(seen.elements.map(\.value) == [0, 14])
    #expect(seen.elements.last?.skipped == 4 + 3 + 4)
    withExtendedLifetime(token) {}
  }

  @Test
  func `G5 removed duplicates are not skipped`() async {
    let cell = BindableActor(1)
    let stream = cell.removeDuplicates().updates(backlog: .unbounded)
    for value in [1, 1, 2, 2, 2, 3] { cell.send(value) }
    cell.finish()
    let updates = await stream.elements()
    #expect(updates.map(\.value) == [1, 2, 3])
    #expect(updates.map(\.version) == [0, 3, 6])
    #expect(updates.allSatisfy { $0.skipped == 0 })
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .bounded(50)])
  func `G5 seen and skipped updates add up, while writers race`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let seen = Recorder<Update<Int>>()
    let token = cell.versioned().observe(on: .queue(Station().queue), backlog: backlog) { seen.record($0) }
    let stream = cell.updates(backlog: backlog)
    let loop = Task { await stream.elements() }
    await eventually { cell.observerCount == 2 }
    await concurrently(3) { _ in
      await repeatedly(3_000) { _ in cell.modify { $0 += 1 } }
    }
    await cell.settled()
    cell.finish()
    for updates in [seen.elements, await loop.value] {
      var last: UInt64?
      var isExact = true
      for update in updates {
        // Both readers began at version 0.
        let expected = last.map { update.version - $0 - 1 } ?? update.version
        if update.skipped != Int(expected) { isExact = false }
        last = update.version
      }
      #expect(isExact)
      #expect(updates.reduce(0) { $0 + $1.skipped } + updates.count == 9_001)
    }
    withExtendedLifetime(token) {}
  }
}
