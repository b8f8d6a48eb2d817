import ActorBindings

/// What a loop has to handle, in the order in which it came. Only the loop's task takes events out.
///
/// The changes of one attempt that wait here are merged, by key. So a slow member holds no changes but the last of each
/// key.
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
  // Guarded by `lock`. The loop, if it waits.
  private var reader: Resumption?

  /// Creates an empty mailbox.
  package init() {}

  /// An event has happened.
  package func post(_ event: Event) {
    lock.withLock { () -> Resumption? in
      if isClosed { return nil }
      moveChangesWhileLocked()
      events.append(event)
      return reader.take()
    }?.resume()
  }

  /// The subscription of an attempt yielded changes.
  package func post(_ batch: [StoreChange], of attempt: Int) {
    lock.withLock { () -> Resumption? in
      if isClosed { return nil }
      if changing != attempt { moveChangesWhileLocked() }
      changing = attempt
      for change in batch {
        let key = StoreKey(change.key)
        if change.revision >= changes[key]?.revision ?? change.revision { changes[key] = change }
      }
      return reader.take()
    }?.resume()
  }

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

  /// The loop has ended: discards all events, and ends the wait of `next`.
  package func close() {
    var discarded: [Event] = []
    lock.withLock { () -> Resumption? in
      isClosed = true
      swap(&discarded, &events)
      return reader.take()
    }?.resume()
  }
}
