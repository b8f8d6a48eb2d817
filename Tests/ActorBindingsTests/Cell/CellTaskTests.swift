import ActorBindings
import Testing

/// The states of the record of a task, event by event.
@Suite
struct CellTaskTests {
  private let cell = BindableActor(0)
  private let task: CellTask

  init() {
    task = CellTask(for: cell.cell)
  }

  @Test
  func `a task is busy, and after its end it is not`() {
    #expect(task.isBusy)
    task.ended()
    #expect(!task.isBusy)
  }

  @Test
  func `a task that sleeps is busy again when it is woken`() {
    task.sleepBegan()
    #expect(!task.isBusy)
    task.wasWoken()
    #expect(task.isBusy)
    task.sleepBegan()
    #expect(!task.isBusy)
  }

  @Test
  func `a task that waits is busy again when the wait has ended`() {
    task.waitBegan()
    #expect(!task.isBusy)
    task.waitEnded()
    #expect(task.isBusy)
  }

  @Test
  func `a task that is woken inside a wait is busy until it waits again`() {
    task.waitBegan()
    task.sleepBegan()
    #expect(!task.isBusy)
    task.wasWoken()
    #expect(task.isBusy)
    task.waitEnded()
    #expect(task.isBusy)
    task.waitBegan()
    #expect(!task.isBusy)
  }

  @Test(arguments: [false, true])
  func `a wake-up may come before the sleep`(isInWait: Bool) {
    if isInWait { task.waitBegan() }
    task.wasWoken()
    task.sleepBegan()
    #expect(task.isBusy)
    task.sleepBegan()
    #expect(!task.isBusy)
  }

  @Test
  func `a cancelled task is busy until it ends, whatever it waits for`() {
    task.waitBegan()
    task.wasCancelled()
    task.sleepBegan()
    #expect(task.isBusy)
    task.ended()
    #expect(!task.isBusy)
  }

  @Test
  func `a call waits until the task is not busy`() async {
    let waiting = Task { [task] in await task.idle() }
    await eventually { task.idleCallCount == 1 }
    task.sleepBegan()
    #expect(await waiting.value)
    #expect(await !task.idle())
  }

  @Test
  func `a call ends when its task is cancelled`() async {
    let waiting = Task { [task] in await task.idle() }
    await eventually { task.idleCallCount == 1 }
    waiting.cancel()
    #expect(await waiting.value)
    #expect(task.idleCallCount == 0)
    let late = Task { [task] in
      unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      return await task.idle()
    }
    #expect(await !late.value)
    #expect(task.isBusy)
  }

  @Test
  func `a cell has records if the program contains the kit, and only then`() {
    let derived = BindableActor(of: cell.map { $0 })
    let task = CellTask.started(for: cell.cell)
    #expect((task != nil) == TestKit.isPresent)
    #expect(CellTask.all.contains { $0 === task } == TestKit.isPresent)
    #expect(DerivedCells.of(cell.cell).isEmpty != TestKit.isPresent)
    task?.ended()
    withExtendedLifetime(derived) {}
  }

  @Test
  func `a record does not keep its cell alive`() {
    let task: CellTask
    do { task = CellTask(for: BindableActor(1).cell) }
    #expect(task.cell == nil)
  }
}
