import ActorBindings
import Testing

@Suite
struct SettledCallQueueTests {
  private var settledCalls = SettledCallQueue()
  private var roster = Roster()
  private let executor = ManualExecutor()
  private let resumed = Recorder<Int>()

  @Test
  mutating func `tasks are resumed in order, up to the version that is handled, and once`() {
    for version in 1...100 {
      roster.updated()
      settledCalls.append(task(version), roster)
    }
    for (version, last) in [(0, 0), (1, 1), (60, 60), (59, 60), (99, 99), (100, 100), (100, 100)] {
      resume(settledCalls.handled(through: UInt64(version)))
      #expect(resumed.elements == Array(Array(1...100).prefix(last)))
      #expect(settledCalls.count == 100 - last)
    }
  }

  @Test
  mutating func `tasks that wait for the next pass remain when others have been cancelled`() {
    settledCalls.passBegan()
    settledCalls.append(task(1), roster)
    resume(settledCalls.handled(through: 0))
    settledCalls.append(task(2), roster)
    appendGivenUp(3)
    settledCalls.append(task(3), roster)
    settledCalls.append(task(4), awaitsNextPass: true, roster)
    // Task 5 waits behind task 4.
    settledCalls.append(task(5), roster)
    appendGivenUp(100)
    resume(settledCalls.handled(through: 0))
    #expect(resumed.elements == [1, 2, 3])
    settledCalls.passBegan()
    resume(settledCalls.handled(through: 0))
    #expect(resumed.elements == [1, 2, 3, 4, 5])
    #expect(settledCalls.count == 0)
  }

  // Returns the call of a task that waits, and records `number` when it is resumed.
  private func task(_ number: Int) -> SettledCall {
    let call = SettledCall()
    call.delivererJoined()
    Task(executorPreference: executor) { [resumed] in
      await Resumption.suspend { call.suspended($0) }
      resumed.record(number)
    }
    executor.run()
    return call
  }

  private mutating func appendGivenUp(_ count: Int) {
    for _ in 0..<count {
      let call = SettledCall()
      call.delivererJoined()
      settledCalls.append(call, roster)
      _ = call.wasCancelled()
    }
  }

  private func resume(_ resumptions: [Resumption]) {
    resumptions.forEach { $0.resume() }
    executor.run()
  }

  @Test
  mutating func `a task that waits for the next pass also waits for what this pass has not visited`() {
    settledCalls.passBegan()
    settledCalls.append(SettledCall(), roster)
    settledCalls.append(SettledCall(), awaitsNextPass: true, roster)
    _ = settledCalls.handled(through: 0)
    #expect(settledCalls.count == 1)
    settledCalls.passBegan()
    _ = settledCalls.handled(through: 0)
    #expect(settledCalls.count == 0)
  }

  @Test
  mutating func `cancelled tasks are removed when many tasks have come`() {
    let living = SettledCall()
    settledCalls.append(living, roster)
    for _ in 1...100 {
      let call = SettledCall()
      settledCalls.append(call, roster)
      _ = call.wasCancelled()
      #expect(settledCalls.count <= 16)
    }
    let others = (1...100).map { _ in SettledCall() }
    for call in others { settledCalls.append(call, roster) }
    #expect(settledCalls.count > 100)
    _ = settledCalls.handled(through: 0)
    #expect(settledCalls.count == 0)
  }

  @Test
  mutating func `a task that began to wait after the end waits until nothing is left`() {
    _ = roster.finished()
    settledCalls.append(SettledCall(), roster)
    _ = settledCalls.handled(through: .max)
    #expect(settledCalls.count == 1)
    _ = settledCalls.removeAll()
    #expect(settledCalls.count == 0)
    settledCalls.append(SettledCall(), Roster())
    _ = settledCalls.handled(through: 0)
    #expect(settledCalls.count == 0)
  }

  @Test
  mutating func `when the queue makes room, tasks that were resumed do not come back, and none is lost`() {
    for version in 1...100 {
      roster.updated()
      settledCalls.append(task(version), roster)
      if version == 2 { resume(settledCalls.handled(through: 1)) }
    }
    #expect(settledCalls.count == 99)
    resume(settledCalls.handled(through: .max))
    #expect(resumed.elements == Array(1...100))
    #expect(settledCalls.count == 0)
  }

  @Test
  mutating func `once all tasks were resumed, a later task does not wait for the next pass`() {
    settledCalls.append(SettledCall(), roster)
    settledCalls.append(SettledCall(), awaitsNextPass: true, roster)
    _ = settledCalls.removeAll()
    for _ in 1...2 { settledCalls.append(SettledCall(), roster) }
    _ = settledCalls.handled(through: 0)
    #expect(settledCalls.count == 0)
  }
}
