import ActorBindings
import Testing

@Suite
struct G01LinearizableTests {
  @Test
  func `G1 once a write has returned, a read sees it`() async {
    let cell = BindableActor(0)
    cell.send(1)
    #expect(cell.value == 1)
    cell.modify { $0 = 2 }
    #expect(cell.value == 2)
    #expect(cell.sendIfChanged(3))
    #expect(cell.value == 3)
    #expect(cell.compareAndSet(3, 4))
    #expect(cell.value == 4)
    await cell.update(5)
    #expect(cell.value == 5)
    await cell.update { $0 += 1 }
    #expect(cell.value == 6)
  }

  @Test
  func `G1 a conditional write whose condition fails changes nothing`() {
    let cell = BindableActor(1)
    #expect(!cell.sendIfChanged(1))
    #expect(!cell.compareAndSet(2, 3))
    #expect(cell.value == 1)
    #expect(cell.version == 0)
  }

  @Test
  func `G1 after send returns, every thread reads that value or a newer one, and none goes back`() async {
    let cell = BindableActor(0)
    let returned = Counter()
    let violations = Counter()
    await concurrently(4) { task in
      var last = 0
      await repeatedly(20_000) { round in
        if task == 0 {
          cell.send(round + 1)
          returned.set(round + 1)
        } else {
          let floor = returned.value
          let seen = cell.value
          if seen < floor || seen < last { violations.add() }
          last = seen
        }
      }
    }
    #expect(violations.value == 0)
    #expect(cell.value == 20_000)
  }

  @Test
  func `G1 increments take effect at one instant between their call and their return`() async {
    struct Call: Sendable {
      let began: Int
      let result: Int
      let ended: Int
    }

    let cell = BindableActor(0)
    let clock = Counter()
    let calls = Recorder<[Call]>()
    await concurrently(4) { _ in
      var mine: [Call] = []
      await repeatedly(5_000) { _ in
        let began = clock.add()
        let result = cell.modify { value in
          value += 1
          return value
        }
        mine.append(Call(began: began, result: result, ended: clock.add()))
      }
      calls.record(mine)
    }

    // A call with a greater result must not have ended before a call with a smaller result began.
    let ordered = calls.elements.flatMap(\.self).sorted { $0.result < $1.result }
    #expect(ordered.map(\.result) == Array(1...20_000))
    var earliestEnd = Int.max
    let isLinearizable = ordered.reversed().allSatisfy { call in
      defer { earliestEnd = min(earliestEnd, call.ended) }
      return call.began < earliestEnd
    }
    #expect(isLinearizable)
  }

  @Test
  func `G1 if several writers compare and set the same value, one succeeds`() async {
    let cell = BindableActor(0)
    let wins = Counter()
    await concurrently(4) { _ in
      await repeatedly(5_000) { _ in
        let seen = cell.value
        if cell.compareAndSet(seen, seen + 1) { wins.add() }
      }
    }
    #expect(wins.value > 0)
    #expect(cell.value == wins.value)
    #expect(cell.version == UInt64(wins.value))
  }

  @Test
  func `G1 value and version of an update belong together`() async {
    let cell = BindableActor(0)
    let mismatches = Counter()
    let reader = Task {
      for await update in cell.updates() where update.value != Int(update.version) { mismatches.add() }
    }
    await concurrently(3) { task in
      await repeatedly(5_000) { _ in
        switch task {
        case 0: cell.modify { $0 += 1 }
        case 1:
          let seen = cell.value
          cell.compareAndSet(seen, seen + 1)
        default: cell.modify { $0 = $0 + 1 }
        }
      }
    }
    cell.finish()
    await reader.value
    #expect(mismatches.value == 0)
    #expect(cell.value >= 10_000)
  }
}
