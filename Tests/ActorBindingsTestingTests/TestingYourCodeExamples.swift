import ActorBindings
import ActorBindingsTesting
import Dispatch
import Foundation
import Testing
import XCTest

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

    func run(until isStopped: some BindingSource<Bool>) async {
      phase.send(.running)
      _ = await isStopped.first { $0 }
      phase.send(.done)
      phase.finish()
    }
  }
  // end

  // article
  @Test
  func `a busy journal continues with the newest phase`() {
    let (phase, context) = (BindableActor(Phase.waiting), ManualContext())
    let journal = Journal(of: phase, on: context.delivery)
    #expect(journal.lines.value.isEmpty)

    context.pumpAll()
    phase.send(.running)
    phase.send(.done)
    context.pumpAll()
    #expect(journal.lines.value == [.waiting, .done])
  }
  // end

  // article
  @Test
  func `a journal receives the last phase`() async {
    let phase = BindableActor(Phase.waiting)
    let queue = DispatchQueue(label: "journal")
    let journal = Journal(of: phase, on: .queue(queue))
    phase.send(.running)
    phase.send(.done)
    await phase.settled()
    #expect(journal.lines.value.last == .done)
  }
  // end

  // article
  @Test
  func `a display shows the total of the orders`() async {
    let orders = BindableActor([1, 2])
    let total = BindableActor(of: orders.map { $0.reduce(0, +) })
    let line = total.map { "\($0) EUR" }
    let shown = Recorder(line, on: .queue(DispatchQueue(label: "display")))
    orders.send([1, 2, 3])
    await line.settled()
    #expect(shown.values.last == "6 EUR")
    #expect(total.value == 6)
  }
  // end

  // article
  @Test
  func `a preview shows the newest text`() async throws {
    let text = BindableActor("")
    let preview = text.mapLatest { text in await rendered(text) }
      .compactMap(\.content)
    let queue = DispatchQueue(label: "preview")
    let shown = Recorder(preview, on: .queue(queue))
    text.send("*cat*")
    try await quiesce(text)
    #expect(shown.values.last == "cat")
  }
  // end

  // article
  @Test
  func `a login has been recorded when it returns`() async {
    let session = BindableActor<String?>(nil)
    let audit = Recorder(session, on: .cell)
    await session.update("ann")
    #expect(audit.values == [nil, "ann"])
  }
  // end

  // article
  @Test
  func `a worker runs until it is told to stop`() async throws {
    let (worker, isWaiting) = (Worker(), Gate())
    let isStopped = BindableActor(false)
    let watched = isStopped.handleEvents(onSubscribe: { isWaiting.open() })
    let running = Task { await worker.run(until: watched) }
    try await isWaiting.wait()
    #expect(worker.phase.value == .running)

    isStopped.send(true)
    await running.value
    #expect(worker.phase.value == .done)
  }
  // end

  // article
  @Test
  func `a worker goes through each phase once`() async throws {
    let worker = Worker()
    let phases = Recorder(worker.phase)
    await worker.run(until: BindableActor(true))
    #expect(try await phases.end() == [.waiting, .running, .done])
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
    let (phase, context) = (BindableActor(Phase.waiting), ManualContext())
    do {
      let journal = Journal(of: phase, on: context.delivery)
      context.pumpAll()
      #expect(journal.lines.value == [.waiting])
      #expect(phase.observerCount == 1)
    }
    phase.send(.running)
    context.pumpAll()
    #expect(phase.observerCount == 0)
  }
  // end

  // article
  @Test
  func `a journal is released, although the phase lives on`() async throws {
    let (phase, context) = (BindableActor(Phase.waiting), ManualContext())
    try await expectReleased { objects in
      let journal = objects.track(Journal(of: phase, on: context.delivery))
      _ = objects.track(journal.lines, as: "the lines")
      context.pumpAll()
      #expect(journal.lines.value == [.waiting])
    }
  }
  // end

  /// Tests call it in a process of their own, because the handler holds for the whole process.
  static func reportFailuresToSwiftTesting() {
    // article
    TestFailure.handler = { failure in
      let place = SourceLocation(
        fileID: "\(failure.fileID)",
        filePath: "\(failure.filePath)",
        line: Int(failure.line),
        column: 1
      )
      try #require(Bool(false), "\(failure)", sourceLocation: place)
    }
    // end
  }

  static func reportFailuresToXCTest() {
    // article
    TestFailure.handler = { failure in
      let (path, line) = (failure.filePath, failure.line)
      _ = try XCTUnwrap(nil as Int?, "\(failure)", file: path, line: line)
    }
    // end
  }
}

private func rendered(_ text: String) async -> String {
  await Task.yield()
  return text.replacingOccurrences(of: "*", with: "")
}
