internal import ActorBindings

/// The state of one subscription to a folder.
///
/// States:
/// - *opening*: the watcher has not confirmed the subscription.
/// - *open*: the watcher records changes; the reader may wait for them.
/// - *ended*: the reader gets the error once, then nil.
///
/// Transitions:
///
///     opening → open     opened
///     opening → ended    failed, left
///     open    → ended    failed, left
///
/// Actions: A method that returns a `Resumption` obliges the caller to resume it after the lock.
/// Behavior: The watcher reads files only for a reader that waits. Until then only the records are kept.
struct FileSubscriptionState {
  enum Phase {
    case opening, open, ended
  }

  /// What a reader gets.
  enum Answer {
    case changes([StoreChange])
    case ended((any Error)?)
    /// There is nothing yet. If `wakes` is true, the watcher has records to read files for, and must be told.
    case nothing(wakes: Bool)
  }

  private(set) var phase = Phase.opening
  private var pending: PendingChanges
  private var ready: [StoreChange] = []
  private var error: (any Error)?
  private var waiter: Resumption?
  private var isAsking = false

  init(after revision: UInt64) {
    pending = PendingChanges(after: revision)
  }

  mutating func opened(_ records: [JournalRecord], through revision: UInt64) -> Resumption? {
    guard phase == .opening else { return nil }
    phase = .open
    recorded(records)
    pending.caughtUp(to: revision)
    return waiter.take()
  }

  mutating func recorded(_ records: [JournalRecord]) {
    guard phase == .open else { return }
    records.forEach { pending.recorded($0) }
  }

  /// The watcher can read files. Returns the records to read for; none if no reader waits.
  mutating func turnCame(limit: Int) -> [JournalRecord] {
    guard phase == .open, isAsking, ready.isEmpty else { return [] }
    return pending.batchBegan(limit: limit)
  }

  mutating func delivered(_ changes: [StoreChange]) -> Resumption? {
    guard phase == .open, !changes.isEmpty else { return nil }
    ready = changes
    isAsking = false
    return waiter.take()
  }

  mutating func failed(_ error: any Error) -> Resumption? {
    guard phase != .ended else { return nil }
    phase = .ended
    self.error = error
    return waiter.take()
  }

  /// The reader asks for changes, or the opener for the confirmation.
  mutating func asked() -> Answer {
    switch phase {
    case .opening: return .nothing(wakes: false)
    case .ended: return .ended(error.take())
    case .open:
      if !ready.isEmpty {
        let changes = ready
        ready = []
        return .changes(changes)
      }
      isAsking = true
      return .nothing(wakes: !pending.isEmpty)
    }
  }

  /// The task waits. Returns false if there is something to do at once.
  mutating func parked(_ waiter: Resumption, forOpening: Bool) -> Bool {
    switch phase {
    case .opening: break
    case .open: if forOpening || !ready.isEmpty { return false }
    case .ended: return false
    }
    self.waiter = waiter
    return true
  }
}
