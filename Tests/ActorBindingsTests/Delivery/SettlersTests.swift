import ActorBindings
import Testing

@Suite
struct SettlersTests {
  private var settlers = Settlers()
  private var roster = Roster()
  private let executor = ManualExecutor()
  private let resumed = Recorder<Int>()

  @Test
  mutating func `tasks are resumed in order, up to the version that is handled, and once`() {
    for version in 1...100 {
      roster.updated()
      settlers.append(task(version), roster)
    }
    for (version, last) in [(0, 0), (1, 1), (60, 60), (59, 60), (99, 99), (100, 100), (100, 100)] {
      resume(settlers.handled(through: UInt64(version)))
      #expect(resumed.elements == Array(Array(1...100).prefix(last)))
      #expect(settlers.count == 100 - last)
    }
  }

  @Test
  mutating func `tasks that wait for the next pass stay behind, when others have given up`() {
    settlers.passBegan()
    settlers.append(task(1), roster)
    resume(settlers.handled(through: 0))
    settlers.append(task(2), roster)
    appendGivenUp(3)
    settlers.append(task(3), roster)
    settlers.append(task(4), awaitsNextPass: true, roster)
    // This one waits behind it.
    settlers.append(task(5), roster)
    appendGivenUp(100)
    resume(settlers.handled(through: 0))
    #expect(resumed.elements == [1, 2, 3])
    settlers.passBegan()
    resume(settlers.handled(through: 0))
    #expect(resumed.elements == [1, 2, 3, 4, 5])
    #expect(settlers.count == 0)
  }

  @Test
  mutating func `a task is handed over twice at the most`() {
    roster.updated()
    settlers.append(task(1), roster)
    roster.updated()
    settlers.append(task(2), roster)
    for round in 1...3 {
      let handOver = settlers.handOver(after: 1)
      resume(handOver.resumed)
      #expect(resumed.elements == (round < 3 ? [1] : [1, 2]))
      for task in handOver.rest { settlers.append(task.settlement, handOvers: task.handOvers, roster) }
      #expect(settlers.count == (round < 3 ? 1 : 0))
    }
  }

  @Test
  mutating func `a reader that has handled nothing hands over each task`() {
    settlers.append(task(1), roster)
    let handOver = settlers.handOver(after: nil)
    #expect(handOver.resumed.isEmpty)
    #expect(handOver.rest.map(\.handOvers) == [1])
    #expect(settlers.count == 0)
    for task in handOver.rest { settlers.append(task.settlement, handOvers: task.handOvers, roster) }
    resume(settlers.removeAll())
    #expect(resumed.elements == [1])
  }

  // A task that waits, and notes its number when it was resumed.
  private func task(_ number: Int) -> Settlement {
    let settlement = Settlement()
    settlement.awaitsLane()
    Task(executorPreference: executor) { [resumed] in
      await Resumption.suspend { settlement.begins($0) }
      resumed.record(number)
    }
    executor.run()
    return settlement
  }

  private mutating func appendGivenUp(_ count: Int) {
    for _ in 0..<count {
      let settlement = Settlement()
      settlement.awaitsLane()
      settlers.append(settlement, roster)
      _ = settlement.givenUp()
    }
  }

  private func resume(_ resumptions: [Resumption]) {
    resumptions.forEach { $0.resume() }
    executor.run()
  }

  @Test
  mutating func `a task that waits for the next pass also waits for what this pass has not visited`() {
    settlers.passBegan()
    settlers.append(Settlement(), roster)
    settlers.append(Settlement(), awaitsNextPass: true, roster)
    _ = settlers.handled(through: 0)
    #expect(settlers.count == 1)
    settlers.passBegan()
    _ = settlers.handled(through: 0)
    #expect(settlers.count == 0)
  }

  @Test
  mutating func `tasks that have given up are removed when many have come`() {
    let living = Settlement()
    settlers.append(living, roster)
    for _ in 1...100 {
      let settlement = Settlement()
      settlers.append(settlement, roster)
      _ = settlement.givenUp()
      #expect(settlers.count <= 16)
    }
    let others = (1...100).map { _ in Settlement() }
    for settlement in others { settlers.append(settlement, roster) }
    #expect(settlers.count > 100)
    _ = settlers.handled(through: 0)
    #expect(settlers.count == 0)
  }

  @Test
  mutating func `a task that began to wait after the end waits until nothing is left`() {
    _ = roster.finished()
    settlers.append(Settlement(), roster)
    _ = settlers.handled(through: .max)
    #expect(settlers.count == 1)
    _ = settlers.removeAll()
    #expect(settlers.count == 0)
    settlers.append(Settlement(), Roster())
    _ = settlers.handled(through: 0)
    #expect(settlers.count == 0)
  }
}
