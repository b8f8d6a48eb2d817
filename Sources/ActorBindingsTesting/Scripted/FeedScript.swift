import ActorBindings

/// The lines of a `ScriptedFeed`, and the reader of the newest one.
///
/// A test and the reader meet for each step: the reader waits, the test hands a step over, the reader takes it, and the
/// test waits until the reader waits again. So no step is ever stored while the reader is elsewhere, and the record of the
/// reader's task says at each moment whether the task is busy.
// @unchecked: `lock` guards the variables.
final class FeedScript<Element: Sendable>: @unchecked Sendable {
  /// What the reader of a line receives next.
  enum Step: Sendable {
    case element(Element)
    case end((any Error)?)
  }

  struct NewestLine: Sendable {
    var number = 0
    var isOpen = false
  }

  private struct Reader: Sendable {
    let resumption: Resumption
    let record: CellTask?

    // The record changes first: `quiesce` may be called at once.
    func wake() {
      record?.wasWoken()
      resumption.resume()
    }
  }

  let attempts = BindableActor(0)
  let newestLine = BindableActor(NewestLine())
  // The number of times that a reader began to wait, or that a line opened or closed: what a test may wait for.
  private let changes = BindableActor(0)
  private let lock = Lock()
  // Guarded by `lock`.
  private var storedRefusal: (any Error)?
  // Guarded by `lock`. The newest line; 0 if none is open.
  private var line = 0
  // Guarded by `lock`.
  private var lineCount = 0
  // Guarded by `lock`. The reader of the newest line, while it waits.
  private var reader: Reader?
  // Guarded by `lock`. What the reader was handed, and has not taken yet.
  private var step: Step?
  // Guarded by `lock`. The number of times that a reader began to wait.
  private var waitCount = 0

  var refusal: (any Error)? {
    get { lock.withLock { storedRefusal } }
    set {
      // The former error is released after the lock.
      let former = lock.withLock { () -> (any Error)? in
        defer { storedRefusal = newValue }
        return storedRefusal
      }
      withExtendedLifetime(former) {}
    }
  }

  // MARK: The code under test

  func open() throws -> Handle {
    let (opened, left) = lock.withLock { () -> (Result<Int, any Error>, Leftovers) in
      if let storedRefusal { return (.failure(storedRefusal), Leftovers()) }
      lineCount += 1
      line = lineCount
      return (.success(line), takeLeftovers())
    }
    left.reader?.wake()
    if case .success(let number) = opened {
      newestLine.modify { if number > $0.number { $0 = NewestLine(number: number, isOpen: true) } }
      changes.modify { $0 += 1 }
    }
    attempts.modify { $0 += 1 }
    return Handle(script: self, line: try opened.get())
  }

  /// Closes a line, unless it is closed.
  fileprivate func close(_ closed: Int) {
    let left = lock.withLock { () -> Leftovers in
      guard line == closed else { return Leftovers() }
      line = 0
      return takeLeftovers()
    }
    left.reader?.wake()
    newestLine.modify { if $0.number == closed { $0.isOpen = false } }
    changes.modify { $0 += 1 }
  }

  /// What a line leaves behind. The caller wakes the reader, and releases the step, after the lock.
  private struct Leftovers: Sendable {
    var reader: Reader?
    var step: Step?
  }

  private func takeLeftovers() -> Leftovers { Leftovers(reader: reader.take(), step: step.take()) }

  /// Waits for a step of a line. Returns nil if the line is closed meanwhile.
  fileprivate func nextStep(of line: Int) async -> Step? {
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        let new = Reader(resumption: resumption, record: .ofCaller)
        guard began(new, line) else { return false }
        new.record?.sleepBegan()
        changes.modify { $0 += 1 }
        return true
      }
    } onCancel: {
      close(line)
    }
    return lock.withLock { self.line == line ? step.take() : nil }
  }

  private func began(_ new: Reader, _ line: Int) -> Bool {
    lock.withLock {
      guard self.line == line else { return false }
      precondition(reader == nil, "two tasks iterate one line of a ScriptedFeed")
      reader = new
      waitCount += 1
      return true
    }
  }

  // MARK: The test

  /// Hands a step to the reader, and waits until the reader has taken it: if it is an element, until the reader waits
  /// again.
  func play(_ step: Step, _ wait: Wait) async throws {
    let deadline = ContinuousClock.now + min(wait.limit, .seconds(1_000_000))
    let (line, reader, number) = try await reached(wait, deadline, wasReceived: false) {
      lock.withLock { () -> (Int, Reader, Int)? in
        guard self.step == nil, let waiting = self.reader.take() else { return nil }
        self.step = step
        return (self.line, waiting, waitCount)
      }
    }
    reader.wake()
    guard case .element = step else { return }
    try await reached(wait, deadline, wasReceived: true) {
      lock.withLock { self.line != line || waitCount > number ? () : nil }
    }
  }

  private func reached<Outcome>(
    _ wait: Wait,
    _ deadline: ContinuousClock.Instant,
    wasReceived: Bool,
    _ outcome: () -> Outcome?
  ) async throws -> Outcome {
    while true {
      let seen = changes.value
      if let outcome = outcome() { return outcome }
      guard try await changed(since: seen, by: deadline) else {
        try ScriptedFeedError(
          wait,
          isOpen: newestLine.value.isOpen,
          wasReceived: wasReceived,
          attempts: attempts.value
        )
        .report()
      }
    }
  }

  private func changed(since seen: Int, by deadline: ContinuousClock.Instant) async throws -> Bool {
    // The explorer detects endless waits itself, and cannot control a real clock.
    let found =
      SchedulePoint.isExploring
      ? await changes.first { $0 > seen }
      : await changes.first(where: { $0 > seen }, timeout: deadline - .now)
    try Task.checkCancellation()
    return found != nil
  }

  /// A line that the code under test holds. It closes when the code releases it.
  final class Handle: Sendable {
    fileprivate let script: FeedScript
    fileprivate let line: Int

    fileprivate init(script: FeedScript, line: Int) {
      self.script = script
      self.line = line
    }

    deinit {
      close()
    }

    fileprivate func close() {
      script.close(line)
    }
  }

  /// An iteration of a line. The line closes when the iteration ends, although the code under test may still hold the
  /// line.
  final class Iteration: Sendable {
    private let handle: Handle

    init(_ handle: Handle) {
      self.handle = handle
    }

    deinit {
      handle.close()
    }

    func next() async throws -> Element? {
      switch await handle.script.nextStep(of: handle.line) {
      case .element(let element): return element
      case .end(let error):
        handle.close()
        if let error { throw error }
        return nil
      case nil: return nil
      }
    }
  }
}
