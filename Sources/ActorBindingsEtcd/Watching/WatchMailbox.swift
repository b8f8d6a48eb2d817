import ActorBindings
import ActorBindingsSharing

/// What one watch has to say to its reader.
///
/// States: *opening*, *open*, *ended*, as in ``WatchState``. In *ended* the reader still takes the changes that came
/// before.
struct WatchMail: Sendable {
  enum Phase: Sendable {
    case opening
    case open
    case ended(EtcdTrouble)
  }

  private(set) var phase = Phase.opening
  /// Whether the watch was open, also if it has ended since.
  private(set) var hasOpened = false
  private var pending = PendingChanges()
  // Whether something came since the reader took the changes: also true without changes, after a sign of life.
  private var isFresh = false

  mutating func opened(with changes: [StoreChange]) {
    guard case .opening = phase else { return }
    phase = .open
    hasOpened = true
    if !changes.isEmpty { changesCame(changes) }
  }

  mutating func changesCame(_ changes: [StoreChange]) {
    if case .ended = phase { return }
    pending.changesCame(changes)
    isFresh = true
  }

  mutating func ended(_ error: EtcdTrouble) {
    if case .ended = phase { return }
    phase = .ended(error)
  }

  /// The reader asks for changes. Returns nil if it must wait; throws the reason of the end after the last changes.
  mutating func asked() -> Result<[StoreChange], EtcdTrouble>? {
    if isFresh {
      isFresh = false
      return .success(pending.take())
    }
    if case .ended(let error) = phase { return .failure(error) }
    return nil
  }
}

/// Passes changes from the task that reads a watch to the task that iterates the subscription.
// @unchecked: `lock` guards the variable.
final class WatchMailbox: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var mail = WatchMail()
  // Wakes the reader, which then looks again. One element is enough: it says only that there may be something.
  private let wakeUps: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init() {
    (wakeUps, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func opened(with changes: [StoreChange]) {
    lock.withLock { mail.opened(with: changes) }
    wake.yield()
  }

  func changesCame(_ changes: [StoreChange]) {
    lock.withLock { mail.changesCame(changes) }
    wake.yield()
  }

  func ended(_ error: EtcdTrouble) {
    lock.withLock { mail.ended(error) }
    wake.yield()
  }

  /// Waits until the watch is open. Throws the reason if it ends before.
  func waitUntilOpen() async throws {
    for await _ in wakeUps {
      let (hasOpened, phase) = lock.withLock { (mail.hasOpened, mail.phase) }
      if hasOpened {
        // The reader looks for what came with the confirmation.
        wake.yield()
        return
      }
      if case .ended(let trouble) = phase { throw trouble }
    }
    throw CancellationError()
  }

  /// Waits for changes. Throws the reason of the end after the last ones.
  func next() async throws -> [StoreChange] {
    while true {
      try Task.checkCancellation()
      if let result = lock.withLock({ mail.asked() }) { return try result.get() }
      var iterator = wakeUps.makeAsyncIterator()
      if await iterator.next(isolation: #isolation) == nil { throw CancellationError() }
    }
  }
}
