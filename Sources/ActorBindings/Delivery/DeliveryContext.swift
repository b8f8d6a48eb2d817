public import Dispatch

/// Where handlers run.
///
/// All observations of one cell on the same context share a lane, which calls their handlers one after another. So a
/// thousand observations cost one wake-up per burst of writes, and no two of their handlers run at once, not even on a
/// concurrent queue.
public struct DeliveryContext: Sendable {
  let key: ContextKey
  let place: ContextPlace

  /// The cell's own isolation. The cell's `update` returns after it has called the handlers that run there.
  public static var cell: DeliveryContext {
    DeliveryContext(key: .cell, place: .host)
  }

  /// The main actor. The compiler does not know that a handler runs there: to touch what belongs to the main actor,
  /// pass `on: MainActor.shared` to `observe`, or use `MainActor.assumeIsolated` in the handler.
  public static var main: DeliveryContext {
    DeliveryContext(isolation: MainActor.shared)
  }

  /// The thread of the writer: a write returns after it has called the handlers that run here.
  ///
  /// If another thread is calling these handlers at that moment, that thread delivers the write too, and the write
  /// does not wait for it. So the handlers of one cell run one at a time here too. They delay the writer, so keep them
  /// short.
  public static var immediate: DeliveryContext {
    DeliveryContext(key: .immediate, place: .writer)
  }

  /// A Dispatch queue, serial or concurrent.
  public static func queue(_ queue: DispatchQueue) -> DeliveryContext {
    DeliveryContext(key: .queue(ObjectIdentifier(queue)), place: .queue(queue))
  }

  /// A task executor.
  public static func taskExecutor(_ executor: any TaskExecutor) -> DeliveryContext {
    DeliveryContext(key: .taskExecutor(ObjectIdentifier(executor)), place: .taskExecutor(executor))
  }

  /// A serial executor.
  public static func serialExecutor(_ executor: any SerialExecutor) -> DeliveryContext {
    DeliveryContext(
      key: .serialExecutor(ObjectIdentifier(executor)),
      place: .serialExecutor(SerialExecutorActor(executor))
    )
  }

  /// Creates a context for any other place, such as an event loop, or a loop that a test runs by hand.
  ///
  /// - Parameters:
  ///   - id: The identity of the context. Contexts with equal ids are one context, and should have the same `schedule`.
  ///     If these functions differ, a cell uses the `schedule` of the context on which the cell was observed first,
  ///     until no observation of the cell is left on any context with this id.
  ///   - schedule: A function that makes the context run the function's argument once. The library calls this function
  ///     from any thread, never under a lock. If the context will never run anything again, the function may drop its
  ///     argument. A dropped argument ends the observations that it would have served.
  public init(
    id: some Hashable & Sendable,
    schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.init(id: id, now: Lane.monotonicTime, schedule: schedule)
  }

  /// Creates a context with its own clock, for tests.
  ///
  /// - Parameter now: A function that returns the time in nanoseconds.
  package init(
    id: some Hashable & Sendable,
    now: @escaping @Sendable () -> UInt64,
    schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    let identity = ContextIdentity.of(id, now: now)
    key = .custom(ObjectIdentifier(identity))
    place = .custom(identity, schedule: schedule)
  }

  /// Creates a context for the isolation of an actor. The context holds the actor weakly.
  @usableFromInline
  init(isolation: any Actor) {
    key = .actor(ObjectIdentifier(isolation))
    place = .actor(WeakActor(isolation))
  }

  private init(key: ContextKey, place: ContextPlace) {
    self.key = key
    self.place = place
  }
}

extension DeliveryContext: CustomStringConvertible {
  /// A description that names the place where handlers run, such as `the queue com.example.log`.
  public var description: String {
    switch place {
    case .host: Self.describedHost
    case .writer: Self.describedWriter
    case .actor(let reference): reference.description
    case .queue(let queue): Self.described(queue)
    case .taskExecutor(let executor): Self.described(executor)
    case .serialExecutor: Self.describedSerialExecutor
    case .custom(let identity, _): identity.description
    }
  }

  static var describedHost: String { "the cell's own isolation" }
  static var describedWriter: String { "the thread of the writer" }
  static var describedSerialExecutor: String { "a serial executor" }
  static func described(_ queue: DispatchQueue) -> String { "the queue \(queue.label)" }
  static func described(_ executor: any TaskExecutor) -> String { "the task executor \(type(of: executor))" }
}
