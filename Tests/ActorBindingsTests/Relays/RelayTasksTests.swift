import ActorBindings
import Testing

@Suite
struct RelayTasksTests {
  private let tasks = RelayTasks(in: RelayTurns(), for: BindableActor(0).cell)
  private let ended = Recorder<Int>()

  @Test
  func `the result of a task is handed over when the task no longer counts`() async {
    let results = Recorder<[Int]>()
    tasks.start(7) {
      1
    } ended: { [tasks] in
      results.record([$0, tasks.count])
    }
    await results.reached(1)
    #expect(results.elements == [[1, 0]])
  }

  @Test
  func `one task is cancelled, and the others are not`() async {
    for number in 1...3 { start(number) }
    tasks.cancel(2)
    await ended.reached(1)
    #expect(ended.elements == [2])
    #expect(tasks.count == 2)
    tasks.cancelAll()
    await ended.reached(3)
  }

  @Test
  func `no task begins after all were cancelled`() async {
    start(1)
    tasks.cancelAll()
    await ended.reached(1)
    start(2)
    #expect(tasks.count == 0)
    tasks.cancelAll()
  }

  private func start(_ number: Int) {
    tasks.start(number) {
      await cancelled()
    } ended: { [ended] in
      ended.record(number)
    }
  }
}
