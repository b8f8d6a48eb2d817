public import ActorBindings

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let store = ScriptedStore(InMemoryStore(clock: clock), clock: clock)
/// …
/// _ = await clock.sleepers.first { $0 > 0 }      // the loop waits
/// clock.advance(by: .seconds(3))
/// ```
public final class ManualClock: Clock {
  /// An instant of a manual clock.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the clock was created.
    public var offset: Duration

    /// Creates the instant at this time since the clock was created.
    public init(offset: Duration) {
      self.offset = offset
    }

    /// Returns the instant that is later by a duration.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// Returns the duration from this instant to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether the first instant is earlier than the second.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let schedule = Schedule()
  private let count = BindableActor(0)

  /// Creates a clock.
  public init() {}

  /// The current instant.
  public var now: Instant { Instant(offset: schedule.now) }

  /// The clock has no smallest step.
  public var minimumResolution: Duration { .zero }

  /// The number of tasks that sleep by this clock.
  public var sleepers: some StateSource<Int> { count.readOnly }

  /// The instants for which tasks sleep by this clock, the earliest first.
  ///
  /// So a test can see when something becomes due, and that nothing is due before:
  ///
  /// ```swift
  /// #expect(clock.deadlines == [ManualClock.Instant(offset: .milliseconds(300))])
  /// ```
  public var deadlines: [Instant] { schedule.deadlines.map(Instant.init) }

  /// Advances the clock, and wakes the tasks whose instant has come, the earliest first.
  public func advance(by duration: Duration) {
    let due = schedule.advanced(by: duration)
    if !due.isEmpty { count.modify { $0 -= due.count } }
    due.forEach { $0.resume() }
  }

  /// Waits until the clock has been advanced to an instant.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let id = schedule.makeID()
    await withTaskCancellationHandler {
      await Resumption.suspend { sleeper in
        guard schedule.slept(id, until: deadline.offset, sleeper) else { return false }
        count.modify { $0 += 1 }
        return true
      }
    } onCancel: {
      guard let sleeper = schedule.cancelled(id) else { return }
      count.modify { $0 -= 1 }
      sleeper.resume()
    }
    schedule.woke(id)
    try Task.checkCancellation()
  }
}

/// The tasks that sleep, and the time.
// @unchecked: `lock` guards the variables.
private final class Schedule: @unchecked Sendable {
  private struct Sleeper: Sendable {
    let deadline: Duration
    let resumption: Resumption
  }

  private let lock = Lock()
  // Guarded by `lock`.
  private var time = Duration.zero
  // Guarded by `lock`.
  private var lastID = 0
  // Guarded by `lock`.
  private var sleepers: [Int: Sleeper] = [:]
  // Guarded by `lock`. Tasks that were cancelled before they slept.
  private var cancelledEarly: Set<Int> = []

  var now: Duration { lock.withLock { time } }

  var deadlines: [Duration] { lock.withLock { sleepers.values.map(\.deadline).sorted() } }

  func makeID() -> Int {
    lock.withLock {
      lastID += 1
      return lastID
    }
  }

  /// Returns false if the task need not sleep.
  func slept(_ id: Int, until deadline: Duration, _ resumption: Resumption) -> Bool {
    lock.withLock {
      guard time < deadline, !cancelledEarly.contains(id) else { return false }
      sleepers[id] = Sleeper(deadline: deadline, resumption: resumption)
      return true
    }
  }

  func cancelled(_ id: Int) -> Resumption? {
    lock.withLock {
      let sleeper = sleepers.removeValue(forKey: id)
      if sleeper == nil { cancelledEarly.insert(id) }
      return sleeper?.resumption
    }
  }

  func woke(_ id: Int) {
    _ = lock.withLock { cancelledEarly.remove(id) }
  }

  /// Returns the tasks to wake, the earliest first.
  func advanced(by duration: Duration) -> [Resumption] {
    let due = lock.withLock { () -> [Sleeper] in
      time += duration
      let due = sleepers.filter { $0.value.deadline <= time }
      for id in due.keys { sleepers[id] = nil }
      return Array(due.values)
    }
    return due.sorted { $0.deadline < $1.deadline }.map(\.resumption)
  }
}
