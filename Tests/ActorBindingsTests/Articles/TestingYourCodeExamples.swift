import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the article `TestingYourCode`; the suite `ArticleTests` compares the two.

@Suite
struct TestingYourCodeExamples {
  // article
  enum Phase: Sendable { case waiting, running, done }

  /// Records the phases of a job, on a given context.
  final class Journal: Sendable {
    let lines = BindableActor<[Phase]>([])

    init(of phase: BindableActor<Phase>, on context: DeliveryContext) {
      phase.observe(self, on: context) { journal, phase in
        journal.lines.modify { $0.append(phase) }
      }
    }
  }

  /// Runs until it is told to stop.
  final class Worker: Sendable {
    let phase = BindableActor(Phase.waiting)

    func run(until isStopped: BindableActor<Bool>) async {
      phase.send(.running)
      _ = await isStopped.first { $0 }
      phase.send(.done)
      phase.finish()
    }
  }
  // end

  // article
  /// A context that runs nothing until a test calls `run()`.
  final class PumpedContext: Sendable {
    private let jobs = BindableActor<[@Sendable () -> Void]>([])

    var delivery: DeliveryContext {
      DeliveryContext(id: ObjectIdentifier(self)) { [weak self] job in
        self?.jobs.modify { $0.append(job) }
      }
    }

    /// Runs all waiting jobs, and the jobs that they cause, on this thread.
    func run() {
      while let job = jobs.modify({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
    }
  }
  // end

  // article
  @Test
  func `a busy journal continues with the newest phase`() {
    let (phase, context) = (BindableActor(Phase.waiting), PumpedContext())
    let journal = Journal(of: phase, on: context.delivery)
    #expect(journal.lines.value.isEmpty)

    context.run()
    phase.send(.running)
    phase.send(.done)
    context.run()
    #expect(journal.lines.value == [.waiting, .done])
  }
  // end

  // article
  @Test
  func `a journal receives the last phase`() async {
    let phase = BindableActor(Phase.waiting)
    let journal = Journal(of: phase, on: .queue(DispatchQueue(label: "journal")))
    phase.send(.running)
    phase.send(.done)
    await phase.settled()
    #expect(journal.lines.value.last == .done)
  }
  // end

  // article
  @Test
  func `a login has been recorded when it returns`() async {
    let (session, audit) = (BindableActor<String?>(nil), BindableActor<[String?]>([]))
    let token = session.observe(on: .cell, backlog: .unbounded) { user in
      audit.modify { $0.append(user) }
    }
    await session.update("ann")
    #expect(audit.value == [nil, "ann"])
    token.cancel()
  }
  // end

  // article
  @Test
  func `a worker runs until it is told to stop`() async {
    let (worker, isStopped) = (Worker(), BindableActor(false))
    let running = Task { await worker.run(until: isStopped) }
    #expect(await worker.phase.first { $0 == .running } != nil)

    isStopped.send(true)
    await running.value
    #expect(worker.phase.value == .done)
  }
  // end

  // article
  @Test
  func `a worker goes through each phase once`() async {
    let worker = Worker()
    let phases = worker.phase.values(backlog: .unbounded)
    await worker.run(until: BindableActor(true))

    var seen: [Phase] = []
    for await phase in phases { seen.append(phase) }
    #expect(seen == [.waiting, .running, .done])
  }
  // end

  // article
  @Test
  func `a worker that is cancelled leaves no reader`() async {
    let (worker, isStopped) = (Worker(), BindableActor(false))
    let running = Task { await worker.run(until: isStopped) }
    #expect(await worker.phase.first { $0 == .running } != nil)

    running.cancel()
    await running.value
    #expect(isStopped.observerCount == 0)
  }

  @Test
  func `a journal that is released leaves no observation`() {
    let (phase, context) = (BindableActor(Phase.waiting), PumpedContext())
    do {
      let journal = Journal(of: phase, on: context.delivery)
      context.run()
      #expect(journal.lines.value == [.waiting])
      #expect(phase.observerCount == 1)
    }
    phase.send(.running)
    context.run()
    #expect(phase.observerCount == 0)
  }
  // end

  // article
  /// A clock that stands still until a test moves it.
  final class TestClock: Clock {
    struct Instant: InstantProtocol {
      var offset = Swift.Duration.zero

      func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
      static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = BindableActor(Instant())

    /// The number of tasks that sleep by this clock.
    let sleepers = BindableActor(0)

    var now: Instant { time.value }
    var minimumResolution: Swift.Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
      sleepers.modify { $0 += 1 }
      defer { sleepers.modify { $0 -= 1 } }
      guard await time.first(where: { $0 >= deadline }) != nil else { throw CancellationError() }
    }

    func advance(by duration: Swift.Duration) {
      time.modify { $0 = $0.advanced(by: duration) }
    }
  }
  // end

  // article
  @Test
  func `a query is made when nothing was typed for three seconds`() async {
    let (text, clock) = (BindableActor(""), TestClock())
    let queries = text.debounce(for: .seconds(3), clock: clock)
    var made = queries.values(backlog: .unbounded).makeAsyncIterator()

    text.send("ca")
    await text.settled()
    clock.advance(by: .seconds(2))
    text.send("cat")
    await text.settled()
    clock.advance(by: .seconds(3))
    #expect(await made.next() == "cat")
    #expect(await clock.sleepers.first { $0 == 0 } != nil)
  }
  // end

  // article
  struct NoAnswer: Error {}

  @Test
  func `rates that fail are loaded again after a second`() async throws {
    let (clock, answer) = (TestClock(), BindableActor<Int?>(nil))
    let rates = LoadingCell(retry: .backoff(attempts: 2, first: .seconds(1)), clock: clock) {
      guard let rate = answer.value else { throw NoAnswer() }
      return rate
    }
    rates.startLoading()
    #expect(await clock.sleepers.first { $0 == 1 } != nil)
    #expect(rates.value.attempt?.number == 2)

    answer.send(7)
    clock.advance(by: .seconds(1))
    #expect(try await rates.load() == 7)  // joins the load that is under way
  }

  @Test
  func `an error of an action is an event`() async {
    let ask = AsyncAction { (_: String) -> Void in throw NoAnswer() }
    var errors = ask.errors.values(backlog: .unbounded).makeAsyncIterator()
    await #expect(throws: NoAnswer.self) { try await ask.execute("rates") }
    #expect(await errors.next() is NoAnswer)
  }
  // end
}
