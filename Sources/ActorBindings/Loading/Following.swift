/// A task that hands over to a cell what an asynchronous sequence yields.
///
/// ### States
/// - *waiting*: for the next element, or for the end of the sequence.
/// - *writing*: an element is on its way into the cell.
/// - *over*: ended by its token or bag, with the cell, or with the sequence. Nothing more is written.
///
/// A sequence that does not heed the cancellation of its task keeps that task; what it yields goes nowhere.
// @unchecked: each variable says what guards it.
package final class Following: Cancellable, @unchecked Sendable {
  private enum End {
    case cancelled
    case ofCell
    case ofSequence
  }

  private let job = Job()
  private let lock = Lock()
  // Guarded by `lock`, as the next two.
  private var end: End?
  private var isWriting = false
  // Those who wait until nothing is being written.
  private var resumptions: [Resumption] = []

  package init() {
    super.init(endsWithToken: false)
  }

  /// Runs `body` on a task that is cancelled when this ends, and when the cell does.
  func begin(in cell: AnyCell, _ body: @escaping @Sendable () async -> Void) {
    let attendant = Attendant { self.end(as: .ofCell) }
    // First: the task may be over at once, and leaves.
    if !cell.locked({ $0.attended(by: attendant) }) { end(as: .ofCell) }
    job.began(
      // It is the cell's, and not of the one who began it.
      Task.detached(priority: Task.currentPriority) { [job] in
        await body()
        job.ended()
        _ = cell.locked { $0.left(by: attendant) }
      }
    )
  }

  /// Hands over one element after the other, until this is over. On the task.
  package nonisolated(nonsending) func write<Elements: AsyncSequence>(
    _ elements: Elements,
    _ write: (Elements.Element) -> Void
  ) async -> FollowingEnd {
    if hasEnded { return .cancelled }
    // Elements since other tasks had a turn: a sequence that always has an element never suspends.
    var streak: UInt16 = 0
    do {
      for try await element in elements {
        guard elementCame() else { return .cancelled }
        write(element)
        elementWritten()
        streak += 1
        if streak == LoopWaiter.Pace.longestStreak {
          streak = 0
          await Task.yield()
        }
      }
      return end(as: .ofSequence) ? .finished : .cancelled
    } catch {
      return end(as: .ofSequence) ? .failed(error) : .cancelled
    }
  }

  // False if it is over.
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

  // True for the one who ends it.
  @discardableResult
  private func end(as end: End) -> Bool {
    let isFirst = lock.withLock {
      defer { self.end = self.end ?? end }
      return self.end == nil
    }
    if isFirst, end != .ofSequence { job.cancel() }
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

/// How the following of a sequence has ended.
public enum FollowingEnd: Sendable {
  /// The sequence had no more elements.
  case finished
  /// The sequence has thrown an error.
  case failed(any Error)
  /// The token was cancelled, or its bag disposed of; or the cell has ended.
  case cancelled
}
