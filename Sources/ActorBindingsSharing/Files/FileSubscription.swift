internal import ActorBindings

/// One subscription to a folder: between the watcher's thread and the reader.
// @unchecked: `lock` guards `state`.
final class FileSubscription: @unchecked Sendable {
  let id: Int
  let scope: StoreScope
  let revision: UInt64
  private let lock = Lock()
  // Guarded by `lock`.
  private var state: FileSubscriptionState

  init(id: Int, scope: StoreScope, after revision: UInt64) {
    self.id = id
    self.scope = scope
    self.revision = revision
    state = FileSubscriptionState(after: revision)
  }

  // MARK: The watcher's side

  func opened(_ records: [JournalRecord], through revision: UInt64) {
    lock.withLock { state.opened(records, through: revision) }?.resume()
  }

  func recorded(_ record: JournalRecord) {
    lock.withLock { state.recorded([record]) }
  }

  func turnCame(limit: Int) -> [JournalRecord] {
    lock.withLock { state.turnCame(limit: limit) }
  }

  func delivered(_ changes: [StoreChange]) {
    lock.withLock { state.delivered(changes) }?.resume()
  }

  func failed(_ error: any Error) {
    lock.withLock { state.failed(error) }?.resume()
  }

  // MARK: The reader's side

  /// Returns when the watcher has confirmed the subscription. Throws why it could not.
  func confirmed() async throws {
    await wait(forOpening: true)
    let error = lock.withLock { state.phase == .ended ? state.asked().error : nil }
    if let error { throw error }
  }

  /// The next changes; nil if the subscription has ended.
  func next(wake: () -> Void) async throws -> [StoreChange]? {
    while true {
      try Task.checkCancellation()
      switch lock.withLock({ state.asked() }) {
      case .changes(let changes): return changes
      case .ended(let error?): throw error
      case .ended(nil): return nil
      case .nothing(let wakes): if wakes { wake() }
      }
      await wait(forOpening: false)
    }
  }

  private func wait(forOpening: Bool) async {
    await withTaskCancellationHandler {
      await Resumption.suspend { waiter in lock.withLock { state.parked(waiter, forOpening: forOpening) } }
    } onCancel: {
      failed(CancellationError())
    }
  }
}

extension FileSubscriptionState.Answer {
  fileprivate var error: (any Error)? {
    if case .ended(let error) = self { error } else { nil }
  }
}

/// The changes of one subscription. Only the first iterator receives them.
struct FileChanges: AsyncSequence {
  typealias Element = [StoreChange]
  typealias Failure = any Error

  private let lifetime: Lifetime

  init(_ subscription: FileSubscription, _ watcher: FolderWatcher) {
    lifetime = Lifetime(subscription, watcher)
  }

  /// Returns when the watcher has confirmed the subscription.
  func confirmed() async throws {
    try await lifetime.subscription.confirmed()
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(lifetime: lifetime)
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let lifetime: Lifetime

    func next() async throws -> [StoreChange]? {
      try await lifetime.subscription.next { lifetime.watcher.asked(lifetime.subscription.id) }
    }
  }

  /// Ends the subscription in its deinit.
  fileprivate final class Lifetime: Sendable {
    let subscription: FileSubscription
    let watcher: FolderWatcher

    init(_ subscription: FileSubscription, _ watcher: FolderWatcher) {
      self.subscription = subscription
      self.watcher = watcher
    }

    deinit {
      watcher.left(subscription.id)
    }
  }
}
