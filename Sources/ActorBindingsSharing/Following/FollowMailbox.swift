import ActorBindings

/// What a loop has to handle, in the order in which it came.
///
/// The loop's task takes events out. While it waits, the task that posts changes handles them itself, because waking the
/// loop's task would take longer: this task is *lent* the loop. Until it calls `handled`, all else waits here, and the
/// subscription is not read. So one task at a time handles events, and they keep their order.
///
/// The changes of one attempt that wait here are merged, by key. So a slow member holds no changes but the last of each
/// key.
///
/// ### States
/// - *handling*: The loop's task handles events, or is about to.
/// - *waiting*: It waits, and nothing is here.
/// - *lent*: It waits, and the task that posted changes handles them. What comes meanwhile waits here.
///
/// ### Transitions
/// | event | handling | waiting | lent |
/// |---|---|---|---|
/// | an event is posted, or `close` | handling | handling: resumes the loop's task | lent |
/// | changes are posted | handling | lent: the caller handles them | lent |
/// | `handled` | – | – | waiting, or handling if something waits: resumes the loop's task |
/// | `next` finds nothing | waiting | – | – |
// @unchecked: `lock` guards the variables.
package final class FollowMailbox: @unchecked Sendable {
  /// Something that happened to the loop.
  package enum Event: Sendable {
    case loaded(attempt: Int, StoreSnapshot, began: UInt64)
    case opened(attempt: Int)
    case changes(attempt: Int, [StoreChange])
    case failed(attempt: Int, StoreError)
    case timeCame
    case joined(Membership)
    case left(Membership)
  }

  private let lock = Lock()
  // Guarded by `lock`.
  private var events: [Event] = []
  // Guarded by `lock`. Changes that are not in `events` yet: they come after all events there.
  private var changes: [StoreKey: StoreChange] = [:]
  // Guarded by `lock`. The attempt of `changes`; nil if nothing was yielded.
  private var changing: Int?
  // Guarded by `lock`.
  private var isClosed = false
  // Guarded by `lock`. The loop's task, if it waits.
  private var reader: Resumption?
  // Guarded by `lock`. Whether a task that has posted changes handles them.
  private var isLent = false

  /// Creates an empty mailbox.
  package init() {}

  /// Whether the loop's task waits, for tests.
  package var isWaiting: Bool { lock.withLock { reader != nil } }

  /// An event has happened.
  package func post(_ event: Event) {
    lock.withLock { () -> Resumption? in
      if isClosed { return nil }
      moveChangesWhileLocked()
      events.append(event)
      return readerWhileLocked()
    }?.resume()
  }

  /// The subscription of an attempt yielded changes. If this returns changes, the caller handles them, and then calls
  /// `handled`.
  package func post(_ batch: [StoreChange], of attempt: Int) -> [StoreChange]? {
    lock.withLock { () -> [StoreChange]? in
      if isClosed { return nil }
      let isLending = reader != nil && !isLent
      // One change needs no merging.
      if isLending, batch.count == 1 {
        isLent = true
        return batch
      }
      if changing != attempt { moveChangesWhileLocked() }
      changing = attempt
      for change in batch {
        let key = StoreKey(change.key)
        if change.revision >= changes[key]?.revision ?? change.revision { changes[key] = change }
      }
      guard isLending else { return nil }
      isLent = true
      changing = nil
      defer { changes = [:] }
      return Array(changes.values)
    }
  }

  /// The task that posted changes has handled them.
  package func handled() {
    lock.withLock { () -> Resumption? in
      isLent = false
      return events.isEmpty && changing == nil && !isClosed ? nil : reader.take()
    }?.resume()
  }

  // Takes the loop's task, to resume it, unless another task handles changes in its place.
  private func readerWhileLocked() -> Resumption? { isLent ? nil : reader.take() }

  // Moves the merged changes into the queue, before an event that must not overtake them.
  private func moveChangesWhileLocked() {
    guard let attempt = changing.take() else { return }
    events.append(.changes(attempt: attempt, Array(changes.values)))
    changes = [:]
  }

  /// Waits for events, and returns all of them; nil after `close`.
  package func next() async -> [Event]? {
    while true {
      await Resumption.suspend { resumption in
        lock.withLock {
          guard events.isEmpty, changing == nil, !isClosed else { return false }
          reader = resumption
          return true
        }
      }
      let taken = lock.withLock { () -> [Event]? in
        if isClosed { return nil }
        moveChangesWhileLocked()
        var taken: [Event] = []
        swap(&taken, &events)
        return taken
      }
      guard let taken else { return nil }
      if !taken.isEmpty { return taken }
    }
  }

  /// The loop has ended: discards all events, and ends the wait of `next`, once no other task handles changes.
  package func close() {
    var discarded: [Event] = []
    lock.withLock { () -> Resumption? in
      isClosed = true
      swap(&discarded, &events)
      return readerWhileLocked()
    }?.resume()
  }
}
