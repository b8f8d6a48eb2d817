public import Dispatch

/// Where handlers run.
///
/// All observations of one cell that name the same context share a lane there: a thousand of them cost one
/// wake-up per burst, and no two of them run at once, not even on a concurrent queue.
public struct DeliveryContext: Sendable {
  let key: ContextKey
  let executor: LaneExecutor

  /// The cell's own isolation. Its `update` returns when these handlers have been called.
  public static var cell: DeliveryContext {
    DeliveryContext(key: .cell, executor: .host)
  }

  /// The main actor. The compiler does not know that a handler runs there: `MainActor.assumeIsolated` says so.
  public static var main: DeliveryContext {
    DeliveryContext(isolation: MainActor.shared)
  }

  /// A Dispatch queue, serial or concurrent.
  public static func queue(_ queue: DispatchQueue) -> DeliveryContext {
    DeliveryContext(key: .queue(ObjectIdentifier(queue)), executor: .queue(queue))
  }

  /// A task executor.
  public static func taskExecutor(_ executor: any TaskExecutor) -> DeliveryContext {
    DeliveryContext(key: .taskExecutor(ObjectIdentifier(executor)), executor: .taskExecutor(executor))
  }

  /// A serial executor.
  public static func serialExecutor(_ executor: any SerialExecutor) -> DeliveryContext {
    DeliveryContext(
      key: .serialExecutor(ObjectIdentifier(executor)),
      executor: .serialExecutor(SerialLane(executor))
    )
  }

  /// Any other place: an event loop, or one that a test pumps by hand.
  ///
  /// - Parameters:
  ///   - id: Contexts with equal ids are one context, and should have the same `schedule`: a cell calls that of
  ///     whichever it met first, as long as it has observations there.
  ///   - schedule: Arranges that what it is handed is run, once. It is called from any thread, never under a
  ///     lock. It may drop the work, if it will never run anything again: that ends the observations.
  public init(
    id: some Hashable & Sendable,
    schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.init(id: id, now: LaneExecutor.monotonicTime, schedule: schedule)
  }

  /// A place with a clock of its own, for tests.
  ///
  /// - Parameter now: Returns the time in nanoseconds.
  package init(
    id: some Hashable & Sendable,
    now: @escaping @Sendable () -> UInt64,
    schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    let identity = ContextIdentity.of(id, now: now)
    key = .custom(ObjectIdentifier(identity))
    executor = .custom(identity, schedule: schedule)
  }

  /// The isolation of an actor, which is held weakly.
  @usableFromInline
  init(isolation: any Actor) {
    key = .actor(ObjectIdentifier(isolation))
    executor = .actor(WeakActor(isolation))
  }

  private init(key: ContextKey, executor: LaneExecutor) {
    self.key = key
    self.executor = executor
  }
}
