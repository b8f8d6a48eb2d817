public import ActorBindings
internal import Synchronization

/// A delivery context that a test runs by hand.
///
/// Handlers on this context run only inside `pump()` and `pumpAll()`, on the thread that calls these functions. Until
/// then the handlers are busy: so a test decides which values a `.latest` observer skips.
///
/// ```swift
/// let context = ManualContext()
/// let token = price.observe(on: context.delivery) { shown.append($0) }
/// context.pumpAll()       // shows the current price
/// price.send(1)
/// price.send(2)
/// context.pumpAll()       // shows 2
/// ```
///
/// When a manual context is deallocated, it drops the work that waits, and the observations on it end.
public final class ManualContext: Sendable {
  private let jobs = Jobs()
  // Not the address: a later object may have the same one.
  private let id = ManualContext.ids.add(1, ordering: .relaxed).newValue
  private static let ids = Atomic(0)

  /// Creates a context on which nothing waits.
  public init() {}

  /// The context, for `observe(on:)`. Its clock stands still, so no delivery ends early because the test took long.
  public var delivery: DeliveryContext {
    DeliveryContext(id: Identity(number: id), now: { 0 }) { [weak jobs] job in jobs?.add(job) }
  }

  /// The number of pieces of work that wait. A piece is a delivery of one cell to its observers on this context.
  public var pending: Int { jobs.count }

  /// Runs the piece of work that has waited the longest. Returns false if none waits.
  @discardableResult
  public func pump() -> Bool {
    guard let job = jobs.takeFirst() else { return false }
    job()
    return true
  }

  /// Runs the pieces of work that have waited the longest, up to a number. Returns the number of pieces that ran.
  @discardableResult
  public func pump(_ limit: Int) -> Int {
    var count = 0
    while count < limit, pump() { count += 1 }
    return count
  }

  /// Runs the work that waits, and the work that it causes, until none is left. Returns the number of pieces that ran.
  @discardableResult
  public func pumpAll() -> Int { pump(.max) }
}

private struct Identity: Hashable, Sendable {
  let number: Int
}

/// The work that waits on a manual context.
// @unchecked: `lock` guards the variable.
private final class Jobs: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`. The work waits in two stacks, so that taking a piece costs the same however many wait.
  private var arriving: [@Sendable () -> Void] = []
  private var leaving: [@Sendable () -> Void] = []

  var count: Int { lock.withLock { arriving.count + leaving.count } }

  func add(_ job: @escaping @Sendable () -> Void) {
    lock.withLock { arriving.append(job) }
  }

  func takeFirst() -> (@Sendable () -> Void)? {
    lock.withLock {
      if leaving.isEmpty { (leaving, arriving) = (arriving.reversed(), []) }
      return leaving.popLast()
    }
  }
}
