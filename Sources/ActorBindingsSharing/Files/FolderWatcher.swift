internal import ActorBindings
internal import Dispatch

/// Follows the changes of a folder for all subscriptions of a store, on one thread that exists only while there is a
/// subscription.
// @unchecked: `lock` guards `state`.
package final class FolderWatcher: @unchecked Sendable {
  private let access: FolderAccess
  private let clock: any Clock<Duration>
  private let scanInterval: Duration
  private let lock = Lock()
  // Guarded by `lock`.
  private var state = FolderWatcherState()

  /// - Parameter scanInterval: The time after which the thread looks at the folder without being told to.
  init(_ access: FolderAccess, clock: any Clock<Duration>, scanInterval: Duration) {
    self.access = access
    self.clock = clock
    self.scanInterval = scanInterval
  }

  /// The number of open subscriptions.
  package var subscriptionCount: Int { lock.withLock { state.subscriptions.count } }

  /// Whether the thread exists.
  package var isWatching: Bool { lock.withLock { state.waker != nil } }

  /// Opens a subscription. It is not confirmed yet.
  func subscribe(to scope: StoreScope, after revision: StoreRevision) throws -> FileSubscription {
    let waker = try Waker()
    let id = lock.withLock { state.newID() }
    let subscription = FileSubscription(id: id, scope: scope, after: revision.number)
    let starts = lock.withLock { state.subscribed(subscription, waker: waker) }
    if starts {
      DispatchQueue(label: "ActorBindings.FileStore.watcher").async { self.run(waker) }
    } else {
      wake()
    }
    return subscription
  }

  func left(_ id: Int) {
    // Released after the lock.
    let subscription = lock.withLock { state.left(id) }
    if subscription != nil { wake() }
  }

  /// The reader of a subscription waits for changes that the thread knows of.
  func asked(_ id: Int) {
    lock.withLock { state.asked(id) }
    wake()
  }

  private func wake() {
    lock.withLock { state.waker }?.wake()
  }

  private func run(_ waker: Waker) {
    var follower = FolderFollower(access, scanInterval: scanInterval)
    var scan: Task<Void, Never>?
    defer { scan?.cancel() }
    while let look = lock.withLock({ state.looked() }) {
      if let delay = follower.turn(look) {
        scan?.cancel()
        scan = Task { [self, clock] in
          guard (try? await clock.sleep(for: delay)) != nil else { return }
          scanFellDue()
        }
      }
      follower.wait(waker)
    }
  }

  private func scanFellDue() {
    lock.withLock { state.scanFellDue() }
    wake()
  }
}
