import ActorBindings
import Synchronization
import Testing

@Suite
struct SettledTests {
  /// Begins to wait for `cell` at once, on an executor where one can see whether the wait is over.
  private static func waiter(for cell: BindableActor<Int>) -> ManualExecutor {
    let executor = ManualExecutor()
    Task(executorPreference: executor) { await cell.settled() }
    executor.run()
    return executor
  }

  @Test
  func `a cell without observers is settled`() async {
    let cell = BindableActor(0)
    cell.send(1)
    await cell.settled()
  }

  @Test
  func `observers that have seen everything are settled`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { _ in }
    context.run()
    await cell.settled()
    token.cancel()
  }

  @Test
  func `it waits for a first call that is due, and for no later update`() async {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { if $0 < 2 { cell.send($0 + 1) } }
    let waiter = Self.waiter(for: cell)
    #expect(waiter.pending == 0)
    context.run()
    #expect(waiter.pending == 1)
    waiter.run()
    token.cancel()
  }

  @Test
  func `it waits for an observer that joins while the others are served`() async throws {
    let cell = BindableActor(0)
    let context = ManualContext()
    let bag = DisposeBag()
    let isOver = Recorder<Bool>()
    cell.observe(on: context.delivery) { _ in
      guard !bag.isDisposed, isOver.count == 0 else { return }
      let waiter = Mutex<ManualExecutor?>(nil)
      cell.observe(on: context.delivery) { _ in
        isOver.record(waiter.withLock { $0?.pending } == 1)
      }.store(in: bag)
      waiter.withLock { $0 = Self.waiter(for: cell) }
    }.store(in: bag)
    context.run()
    #expect(isOver.elements == [false])
  }

  @Test @MainActor
  func `it waits for an observer that was not called yet while another one joins on its context`() async {
    let cell = BindableActor(0)
    let called = Recorder<Int>()
    let token = cell.observe(on: .main) { called.record($0) }
    let waiter = Self.waiter(for: cell)
    let other = cell.observe { _ in }
    #expect(called.count == 0)
    #expect(waiter.pending == 0)
    await called.reached(1)
    token.cancel()
    other.cancel()
  }
}
