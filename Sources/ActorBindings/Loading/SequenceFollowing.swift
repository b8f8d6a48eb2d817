/// A cancellable task that writes to a cell what an asynchronous sequence yields.
///
/// ### States
/// - *waiting*: for the next element, or for the end of the sequence.
/// - *writing*: an element is on its way into the cell.
/// - *over*: the token was cancelled, its bag was disposed of, or the cell or the sequence has ended. The task writes
///   nothing more.
///
/// If a sequence ignores the cancellation of its task, the task lives until the sequence yields again or ends. The task
/// discards what the sequence yields after the cancellation.
// @unchecked: each variable says what guards it.
package final class SequenceFollowing: Cancellable, @unchecked Sendable {
  private enum End {
    case cancelled
    case ofCell
    case ofSequence
  }

  private let handle = TaskHandle()
  private let lock = Lock()
  // Guarded by `lock`.
  private var end: End?
  // Guarded by `lock`.
  private var isWriting = false
  // Guarded by `lock`. What the test kit knows of the task.
  private var record: CellTask?
  // Guarded by `lock`. The calls of `cancelAndWait` that wait until the task has written its element.
  private var resumptions: [Resumption] = []

  package init() {
    super.init(endsWithToken: false)
  }

  /// Runs `body` on a task of its own. The end of the cell cancels the task, and so does `cancel`.
  func start(in cell: AnyCell, _ body: @escaping @Sendable () async -> Void) {
    let endWaiter = EndWaiter { self.end(as: .ofCell) }
    // Registers `endWaiter` before the task starts, because the task unregisters `endWaiter` when the task ends,
    // perhaps at once.
    if !cell.joinEnd(endWaiter) { end(as: .ofCell) }
    let record = CellTask.started(for: cell)
    if let record { lock.withLock { self.record = record } }
    handle.began(
      // Detached: the task belongs to the cell, not to the caller.
      Task.detached(priority: Task.currentPriority) { [handle] in
        await CellTask.run(record, body)
        handle.ended()
        cell.leaveEnd(endWaiter)
        record?.ended()
      }
    )
  }

  /// Writes one element after the other, until the state is *over*. The task calls this.
  package nonisolated(nonsending) func write<Elements: AsyncSequence>(
    _ elements: Elements,
    _ write: (Elements.Element) -> Void
  ) async -> FollowOutcome {
    ended(by: await writeAll(of: elements, write))
  }

  /// The task has the outcome of its last sequence, and follows no other. Returns the outcome of the following.
  func ended(by outcome: FollowOutcome) -> FollowOutcome {
    if case .cancelled = outcome { return outcome }
    return end(as: .ofSequence) ? outcome : .cancelled
  }

  /// Writes one element of a sequence after the other, until the sequence ends or the state is *over*. The task calls
  /// this, and may follow another sequence afterwards.
  nonisolated(nonsending) func writeAll<Elements: AsyncSequence>(
    of elements: Elements,
    _ write: (Elements.Element) -> Void
  ) async -> FollowOutcome {
    if hasEnded { return .cancelled }
    // A sequence that always has an element never suspends, so this loop yields from time to time.
    var streak = CooperativeYield.Counter()
    // The library cannot know whether the sequence will yield soon. So a task that waits for an element is not busy.
    let record = CellTask.ofCaller
    record?.waitBegan()
    defer { record?.waitEnded() }
    do {
      for try await element in elements {
        record?.waitEnded()
        defer { record?.waitBegan() }
        guard elementCame() else { return .cancelled }
        write(element)
        elementWritten()
        streak.stepped()
        if streak.isDue {
          streak.yielded()
          await Task.yield()
        }
      }
      return .finished
    } catch {
      return .failed(error)
    }
  }

  // Returns false if the state is *over*.
  private func elementCame() -> Bool {
    lock.withLock {
      isWriting = end == nil
      return isWriting
    }
  }

  private func elementWritten() {
    var waiting: [Resumption] = []
    lock.withLock {
      isWriting = false
      swap(&waiting, &resumptions)
    }
    waiting.forEach { $0.resume() }
  }

  // Changes the state to *over*. Returns whether this call is the first: later calls do nothing.
  @discardableResult
  private func end(as end: End) -> Bool {
    var cancelled: CellTask?
    let isFirst = lock.withLock {
      if self.end != nil { return false }
      self.end = end
      cancelled = record
      return true
    }
    if isFirst, end != .ofSequence {
      cancelled?.wasCancelled()
      handle.cancel()
    }
    return isFirst
  }

  package override func cancel() {
    end(as: .cancelled)
  }

  package override func cancelAndWait() async {
    cancel()
    await Resumption.suspend { resumption in
      lock.withLock {
        if isWriting { resumptions.append(resumption) }
        return isWriting
      }
    }
  }

  package override var isCancelled: Bool { lock.withLock { end == .cancelled } }

  package override var hasEnded: Bool { lock.withLock { end != nil } }
}

/// The reason why a cell has stopped following a sequence.
public enum FollowOutcome: Sendable {
  /// The sequence had no more elements.
  case finished
  /// The sequence has thrown an error.
  case failed(any Error)
  /// The token was cancelled, or its bag was disposed of, or the cell has ended.
  case cancelled
}
