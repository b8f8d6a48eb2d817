/// The subscriptions of a folder, and the thread that watches it.
///
/// States: *idle* (no subscription, no thread), *watching* (a thread looks after the subscriptions).
///
/// Transitions:
///
///     idle     → watching   subscribed
///     watching → idle       looked, when there is no subscription
///
/// Actions: `subscribed` obliges the caller to start the thread, or to wake it. The other events oblige the
/// caller to wake it.
/// Behavior: The thread ends only in `looked`. So a subscription either finds the thread, or starts another one.
struct FolderWatcherState {
  /// What has changed since the thread last looked.
  struct Look {
    var arrived: [FileSubscription] = []
    var departed: [FileSubscription] = []
    /// The subscriptions whose reader waits for records that the thread has passed on already.
    var asking: [Int] = []
    var scanIsDue = false
  }

  private(set) var subscriptions: [Int: FileSubscription] = [:]
  private var news = Look()
  private var lastID = 0
  /// What wakes the thread; nil without a thread.
  private(set) var waker: Waker?

  /// Returns an ID for a subscription.
  mutating func newID() -> Int {
    lastID += 1
    return lastID
  }

  /// Returns whether there is no thread: then the caller starts one that waits with `waker`.
  mutating func subscribed(_ subscription: FileSubscription, waker: Waker) -> Bool {
    subscriptions[subscription.id] = subscription
    news.arrived.append(subscription)
    if self.waker != nil { return false }
    self.waker = waker
    news.scanIsDue = true
    return true
  }

  /// Returns the subscription, for the caller to release; nil if it has left already.
  mutating func left(_ id: Int) -> FileSubscription? {
    guard let subscription = subscriptions.removeValue(forKey: id) else { return nil }
    news.departed.append(subscription)
    return subscription
  }

  mutating func asked(_ id: Int) {
    if subscriptions[id] != nil { news.asking.append(id) }
  }

  mutating func scanFellDue() {
    news.scanIsDue = true
  }

  /// The thread looks what has changed. Returns nil if it must end.
  mutating func looked() -> Look? {
    let look = news
    news = Look()
    if subscriptions.isEmpty {
      waker = nil
      return nil
    }
    return look
  }
}
