import ActorBindings
import Testing

/// `observe` on the isolation of the caller.
@Suite
struct CallersIsolationTests {
  // A class that is not Sendable, like the objects of users.
  private final class Notebook {
    var lines: [Int] = []
    let onDeinit: () -> Void

    init(onDeinit: @escaping () -> Void = {}) {
      self.onDeinit = onDeinit
    }

    deinit {
      onDeinit()
    }
  }

  private actor Reader {
    let notebook = Notebook()
    var token: BindingToken?

    func read(_ cell: BindableActor<Int>) -> [Int] {
      token = cell.observe { [notebook] value in
        self.assertIsolated()
        notebook.lines.append(value)
      }
      return notebook.lines
    }

    func readWeakly(_ cell: BindableActor<Int>, _ backlog: Backlog = .latest) -> BindingToken {
      cell.observe(notebook, backlog: backlog) { notebook, value in
        notebook.lines.append(value)
      }
    }

    func lines() -> [Int] { notebook.lines }
    func forget() { token = nil }
  }

  @Test
  func `in an actor: values need not be Sendable, and the first call comes before the return`() async {
    let cell = BindableActor(1)
    let reader = Reader()
    #expect(await reader.read(cell) == [1])
    cell.send(2)
    await cell.settled()
    #expect(await reader.lines() == [1, 2])
    await reader.forget()
    #expect(cell.observerCount == 0)
  }

  @Test @MainActor
  func `on the main actor, the first call comes before the return, and later calls come in turns`() async {
    let cell = BindableActor(1)
    let notebook = Notebook()
    let token = cell.observe { value in
      MainActor.assertIsolated()
      notebook.lines.append(value)
    }
    #expect(notebook.lines == [1])
    cell.send(2)
    #expect(notebook.lines == [1])
    await cell.settled()
    #expect(notebook.lines == [1, 2])
    token.cancel()
  }

  @Test @MainActor
  func `with a weak owner that is not Sendable`() async {
    let cell = BindableActor(1)
    var isGone = false
    var notebook: Notebook? = Notebook { isGone = true }
    let lines = Recorder<Int>()
    if let notebook { cell.observe(notebook) { _, value in lines.record(value) } }
    cell.send(2)
    await cell.settled()
    notebook = nil
    #expect(isGone)
    cell.send(3)
    await cell.settled()
    #expect(lines.elements == [1, 2])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `an observation does not keep the actor on whose isolation it runs alive, and ends with it`() async {
    let cell = BindableActor(0)
    weak var gone: Reader?
    let token: BindingToken
    do {
      let reader = Reader()
      gone = reader
      token = await reader.readWeakly(cell)
      cell.send(1)
      await cell.settled()
      #expect(await reader.lines() == [0, 1])
    }
    await eventually { gone == nil }
    cell.send(2)
    await cell.settled()
    #expect(token.isCancelled)
    #expect(cell.observerCount == 0)
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `each backlog, in an actor that is busy meanwhile`(backlog: Backlog) async {
    let cell = BindableActor(0)
    let worker = Worker()
    let seen = Recorder<Int>()
    let token = await worker.run { worker in
      let token = cell.observe(backlog: backlog, isolation: worker) { seen.record($0) }
      (1...5).forEach(cell.send)
      return token
    }
    await cell.settled()
    let expected: [Backlog: [Int]] = [
      .latest: [0, 5], .bounded(2): [0, 4, 5], .unbounded: [0, 1, 2, 3, 4, 5],
    ]
    #expect(seen.elements == expected[backlog])
    token.cancel()
  }

  @Test @MainActor
  func `on a finished cell: the last value and the end come before the return`() {
    let cell = BindableActor(1)
    cell.finish()
    let seen = Recorder<Int>()
    var captured: Notebook? = Notebook()
    weak let weakly = captured
    let token = cell.observe { [captured] in
      seen.record($0 + (captured?.lines.count ?? 0))
    }
    captured = nil
    #expect(seen.elements == [1])
    #expect(!token.isCancelled)
    #expect(cell.observerCount == 0)
    #expect(weakly == nil)
  }

  /// An object that begins to own an observation in its deinit.
  @MainActor
  private final class Late {
    let cell: BindableActor<Int>
    let calls: Recorder<Int>

    init(_ cell: BindableActor<Int>, _ calls: Recorder<Int>) {
      self.cell = cell
      self.calls = calls
    }

    isolated deinit {
      cell.observe(self) { [calls] in calls.record($1) }
    }
  }

  @Test @MainActor
  func `an owner that is being deallocated is neither called nor counted, also inside a handler`() async {
    let cell = BindableActor(0)
    let calls = Recorder<Int>()
    _ = Late(cell, calls)
    #expect(cell.observerCount == 0)
    let token = cell.observe { _ in _ = Late(cell, calls) }
    #expect(cell.observerCount == 1)
    cell.send(1)
    await cell.settled()
    #expect(cell.observerCount == 1)
    #expect(calls.count == 0)
    token.cancel()
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `on a finished cell: the observation keeps no position`(backlog: Backlog) async {
    let cell = BindableActor(1)
    cell.finish()
    _ = await Reader().readWeakly(cell, backlog)
    #expect(cell.observerCount == 0)
    #expect(cell.cell.locked { state, _ in !state.keepsHistory && state.tail == nil })
  }

  @Test @MainActor
  func `the lane is parked when observe returns: no wake-up is needed`() {
    let cell = BindableActor(0)
    let tokens = (1...2).map { _ in
      let token = cell.observe { _ in }
      #expect(cell.cell.locked { $0.idle.members.count } == 1)
      return token
    }
    tokens.forEach { $0.cancel() }
  }

  @Test(arguments: [
    (0, ["a0", "c0", "returned", "b0", "a1", "c1", "b1", "a2", "c2", "b2"]),
    (1, ["a0", "b0", "a1", "c1", "returned", "b1", "a2", "b2", "c2"]),
  ])
  @MainActor
  func `an observation that begins in another one's call, the first or a later one`(
    call: Int,
    expected: [String]
  ) async {
    let cell = BindableActor(0)
    let order = Recorder<String>()
    let bag = DisposeBag()
    cell.observe { value in
      order.record("a\(value)")
      guard value == call else { return }
      cell.observe { order.record("c\($0)") }.store(in: bag)
      order.record("returned")
    }.store(in: bag)
    cell.observe { order.record("b\($0)") }.store(in: bag)
    for value in 1...2 {
      cell.send(value)
      await cell.settled()
    }
    #expect(order.elements == expected)
    #expect(cell.observerCount == 3)
    bag.dispose()
  }

  @Test @MainActor
  func `cancelAndWait waits for the isolation, where what was captured is released`() async {
    let cell = BindableActor(0)
    let census = Census()
    func observe() -> BindingToken {
      let citizen = census.citizen()
      return cell.observe { _ in withExtendedLifetime(citizen) {} }
    }
    let token = observe()
    let executor = ManualExecutor()
    let isOver = Flag()
    Task(executorPreference: executor) {
      await token.cancelAndWait()
      #expect(census.alive == 0)
      isOver.set()
    }
    executor.run()
    // The test occupies the main actor, so the captures cannot be released yet.
    #expect(token.isCancelled)
    #expect(!isOver.isSet)
    #expect(census.alive == 1)
    await eventually {
      executor.run()
      return isOver.isSet
    }
  }

  @Test(arguments: [0, 1])
  @MainActor
  func `a wait for a call continues while another observation begins in that call`(call: Int) async {
    let cell = BindableActor(0)
    let bag = DisposeBag()
    let executor = ManualExecutor()
    let isOver = Flag()
    let first = cell.observe { _ in }
    let second = cell.observe { value in
      guard value == call else { return }
      cell.observe { _ in }.store(in: bag)
      Task(executorPreference: executor) {
        await first.cancelAndWait()
        isOver.set()
      }
      executor.run()
      #expect(!isOver.isSet)
    }
    cell.send(1)
    await cell.settled()
    executor.run()
    #expect(isOver.isSet)
    second.cancel()
    bag.dispose()
  }

  @Test @MainActor
  func `an observation that begins while another one lags takes no value from it`() async {
    let cell = BindableActor(0)
    let seen = Recorder<Int>()
    let other = Box<BindingToken>()
    let slow = cell.observe(backlog: .unbounded) { value in
      seen.record(value)
      // The lane gives up its turn at intervals: the new observation begins after the first turn.
      if value == 1_000 { Task { other.value = cell.observe { _ in } } }
    }
    (1...20_000).forEach(cell.send)
    await cell.settled()
    #expect(seen.elements == Array(0...20_000))
    #expect(cell.observerCount == 2)
    slow.cancel()
    other.value?.cancel()
  }

  @Test @MainActor
  func `captures are released on the isolation, on whichever thread cancel is called`() async {
    let cell = BindableActor(0)
    let released = Recorder<Void>()
    let token = {
      let notebook = Notebook {
        MainActor.assertIsolated()
        released.record(())
      }
      return cell.observe { notebook.lines.append($0) }
    }()
    #expect(released.count == 0)
    await Task.detached { token.cancel() }.value
    await released.reached(1)
    #expect(cell.observerCount == 0)
    #expect(token.isCancelled)
  }
}
