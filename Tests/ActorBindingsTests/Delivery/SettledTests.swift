import ActorBindings
import Synchronization
import Testing

@Suite
struct SettledTests {
  /// Begins to wait for `source` at once, on an executor that shows whether the wait is over.
  private static func waiter(for source: some BindingSource<Int>) -> ManualExecutor {
    let executor = ManualExecutor()
    Task(executorPreference: executor) { await source.settled() }
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
  func `settled waits for a scheduled first call, and for no later update`() async {
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

  @Test(arguments: [Backlog.latest, .unbounded])
  func `settled waits for each element that one update has`(backlog: Backlog) async {
    let cells = (0..<10).map { BindableActor($0) }
    let several = merge(merge(cells[0], cells[1]), merge(cells[2], cells[3]))
    let paired = zip(cells[0], cells[1]).map { $0 + $1 }
    let sources = [several.erased(), merge(cells).erased(), merge(several, paired).erased()]
    for (source, count) in zip(sources, [4, 10, 5]) {
      let context = ManualContext()
      let waiters = Recorder<ManualExecutor>()
      let returned = Recorder<Int>()
      let token = source.observe(on: context.delivery, backlog: backlog) { _ in
        returned.record(waiters.last?.pending ?? -1)
      }
      waiters.record(Self.waiter(for: source))
      context.run()
      #expect(returned.elements == Array(repeating: 0, count: count))
      #expect(waiters.last?.pending == 1)
      waiters.last?.run()
      token.cancel()
    }
  }

  @Test
  func `settled waits for an observer that joins while the others are served`() async throws {
    let cell = BindableActor(0)
    let context = ManualContext()
    let bag = DisposeBag()
    let isOver = Recorder<Bool>()
    let waiters = Recorder<ManualExecutor>()
    cell.observe(on: context.delivery) { _ in
      guard waiters.count == 0 else { return }
      cell.observe(on: context.delivery) { _ in isOver.record(waiters.last?.pending == 1) }.store(in: bag)
      waiters.record(Self.waiter(for: cell))
    }.store(in: bag)
    context.run()
    #expect(isOver.elements == [false])
    waiters.last?.run()
    // Ends the observations, because their handlers hold the cell and the bag.
    bag.dispose()
  }

  @Test @MainActor
  func `settled waits for an observer that was not called yet while another one joins its context`() async {
    let cell = BindableActor(0)
    let called = Recorder<Int>()
    let token = cell.observe(on: .main) { called.record($0) }
    let waiter = Self.waiter(for: cell)
    let other = cell.observe { _ in }
    #expect(called.count == 0)
    #expect(waiter.pending == 0)
    await called.reached(1)
    await cell.settled()
    waiter.run()
    token.cancel()
    other.cancel()
  }

  @Test
  func `settled does not wait for a cancelled observation whose context runs nothing`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let tokens = (0..<2).map { _ in cell.observe(on: context.delivery) { _ in } }
    let waiter = Self.waiter(for: cell)
    tokens[0].cancel()
    #expect(waiter.pending == 0)
    tokens[1].cancel()
    #expect(waiter.pending == 1)
    waiter.run()
    // No observation is left, so there is nothing to wait for, though the lane has not run on its context.
    _ = Self.waiter(for: cell)
    #expect(!cell.isAwaited)
  }

  @Test @MainActor
  func `settled does not wait for a cancelled observation whose isolation has not yielded yet`() {
    let cell = BindableActor(0)
    let token = cell.observe { _ in }
    cell.send(1)
    let waiter = Self.waiter(for: cell)
    #expect(waiter.pending == 0)
    token.cancel()
    #expect(waiter.pending == 1)
    waiter.run()
  }

  @Test
  func `cancelling one observation in a handler does not end the wait for another observation`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let bag = DisposeBag()
    let waiters = Recorder<ManualExecutor>()
    let second = Box<BindingToken>()
    let isOver = Recorder<Bool>()
    cell.observe(on: context.delivery) { _ in
      waiters.record(Self.waiter(for: cell))
      second.value?.cancel()
    }.store(in: bag)
    second.value = cell.observe(on: context.delivery) { _ in }
    cell.observe(on: context.delivery) { _ in isOver.record(waiters.last?.pending == 1) }.store(in: bag)
    context.run()
    #expect(isOver.elements == [false])
    #expect(waiters.last?.pending == 1)
    waiters.last?.run()
    #expect(!cell.isAwaited)
    bag.dispose()
  }

  @Test(arguments: [false, true])
  func `settled returns when earlier updates are handled, though new updates keep coming`(withNewcomer: Bool)
  {
    let cell = BindableActor(0)
    let context = ManualContext()
    let bag = DisposeBag()
    let waiters = Recorder<ManualExecutor>()
    let isOver = Recorder<Int>()
    cell.observe(on: context.delivery) { value in
      if value == 0 {
        if withNewcomer { cell.observe(on: context.delivery) { _ in }.store(in: bag) }
        waiters.record(Self.waiter(for: cell))
      }
      if waiters.last?.pending == 1, isOver.count == 0 { isOver.record(value) }
      if value < 1_000 { cell.send(value + 1) }
    }.store(in: bag)
    context.run()
    #expect(isOver.elements == [withNewcomer ? 2 : 1])
    waiters.last?.run()
    bag.dispose()
  }

  @Test
  func `in a finished cell settled waits until every observation has ended`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let waiters = Recorder<ManualExecutor>()
    let isOver = Recorder<Bool>()
    let token = {
      // This object is deallocated when the observation has ended.
      let mortal = Mortal { isOver.record(waiters.last?.pending == 1) }
      return cell.observe(on: context.delivery) { _ in
        withExtendedLifetime(mortal) {}
        cell.finish()
        waiters.record(Self.waiter(for: cell))
      }
    }()
    context.run()
    #expect(isOver.elements == [false])
    #expect(waiters.last?.pending == 1)
    waiters.last?.run()
    #expect(!token.isCancelled)
  }

  @Test
  func `cancelled waits do not accumulate, and the others continue`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { _ in }
    let waiter = Self.waiter(for: cell)
    for _ in 0..<1_000 {
      let executor = ManualExecutor()
      let task = Task(executorPreference: executor) { await cell.settled() }
      executor.run()
      task.cancel()
      executor.run()
      #expect(cell.settledCallCount <= 16)
    }
    #expect(waiter.pending == 0)
    context.run()
    #expect(waiter.pending == 1)
    waiter.run()
    #expect(cell.settledCallCount == 0)
    token.cancel()
  }

  @Test
  func `settled does not wait in a task that was cancelled before`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { _ in }
    let executor = ManualExecutor()
    let isOver = Flag()
    let task = Task(executorPreference: executor) {
      await cell.settled()
      isOver.set()
    }
    task.cancel()
    executor.run()
    #expect(isOver.isSet)
    token.cancel()
  }

  @Test
  func `settled stops waiting for a context that drops its work`() {
    let cell = BindableActor(0)
    let (context, other) = (ManualContext(), ManualContext())
    let token = cell.observe(on: context.delivery) { _ in }
    let living = cell.observe(on: other.delivery) { _ in }
    let waiter = Self.waiter(for: cell)
    context.drop()
    #expect(waiter.pending == 0)
    #expect(token.isCancelled)
    other.run()
    #expect(waiter.pending == 1)
    waiter.run()
    #expect(!living.isCancelled)
  }

  @Test
  func `settled returns when the last context drops its work`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { _ in }
    let waiter = Self.waiter(for: cell)
    context.drop()
    #expect(waiter.pending == 1)
    waiter.run()
    #expect(token.isCancelled)
  }

  @Test
  func `settled returns when its task is cancelled`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { _ in }
    let executor = ManualExecutor()
    let task = Task(executorPreference: executor) { await cell.settled() }
    executor.run()
    #expect(executor.pending == 0)
    task.cancel()
    #expect(executor.pending == 1)
    executor.run()
    token.cancel()
  }

  @Test
  func `a finished cell is settled when every observation has received the last value`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let token = cell.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    cell.send(1)
    cell.finish()
    let waiter = Self.waiter(for: cell)
    context.run()
    #expect(waiter.pending == 1)
    waiter.run()
    #expect(seen.elements == [0, 1])
    #expect(!token.isCancelled)
  }

  @Test
  func `settled waits for the slowest of several observations`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    let waiter = Mutex<ManualExecutor?>(nil)
    let isEarly = Recorder<Int>()
    let tokens = Mutex<[BindingToken]>([])
    let first = cell.observe(on: context.delivery, backlog: .unbounded) { value in
      seen.record(value)
      if value < 300, waiter.withLock({ $0?.pending }) == 1 { isEarly.record(value) }
    }
    context.runOne()
    (1...300).forEach(cell.send)
    // This observation begins at a version that the first observation has not reached yet, and lags too.
    tokens.withLock { $0.append(cell.observe(on: context.delivery, backlog: .unbounded) { _ in }) }
    waiter.withLock { $0 = Self.waiter(for: cell) }
    (301...1000).forEach(cell.send)
    context.run()
    #expect(seen.count == 1_001)
    #expect(isEarly.elements.isEmpty)
    waiter.withLock { $0?.run() }
    first.cancel()
  }

  @Test
  func `settled waits until a reader that lags has handled all that was published before`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let (seen, seenWhenSettled) = (Recorder<Int>(), Recorder<Int>())
    let waiter = Mutex<ManualExecutor?>(nil)
    let token = cell.observe(on: context.delivery, backlog: .unbounded) {
      seen.record($0)
      if waiter.withLock({ $0?.pending }) == 1, seenWhenSettled.count == 0 { seenWhenSettled.record($0) }
    }
    (1...10_000).forEach(cell.send)
    waiter.withLock { $0 = Self.waiter(for: cell) }
    cell.send(10_001)
    context.run()
    #expect(seen.count == 10_002)
    #expect(seenWhenSettled.elements.allSatisfy { $0 > 10_000 })
    #expect(waiter.withLock { $0?.pending } == 1)
    waiter.withLock { $0?.run() }
    token.cancel()
  }
}
