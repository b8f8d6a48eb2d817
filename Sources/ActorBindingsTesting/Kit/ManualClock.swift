public import ActorBindings
internal import Synchronization

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let queries = Recorder(text.debounce(for: .seconds(3), clock: clock))
/// text.send("cat")
/// try await clock.advance(by: .seconds(3))
/// #expect(queries.values == ["cat"])
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

  // The state is the time. The goals are the times for which tasks sleep.
  private let tasks = WaitingTasks<Duration, Duration>(.zero) { $0 <= $1 }
  private let cells = UsingCells()

  /// Creates a clock.
  public init() {}

  /// The current instant.
  public var now: Instant { Instant(offset: tasks.state) }

  /// The clock has no smallest step.
  public var minimumResolution: Duration { .zero }

  /// The number of tasks that sleep by this clock.
  public var sleepers: some StateSource<Int> { tasks.count.readOnly }

  /// The instants for which tasks sleep by this clock, the earliest first.
  ///
  /// So a test can see when something becomes due, and that nothing is due before:
  ///
  /// ```swift
  /// let due = ManualClock.Instant(offset: .milliseconds(300))
  /// #expect(clock.deadlines == [due])
  /// ```
  public var deadlines: [Instant] { tasks.goals.map(Instant.init) }

  /// Advances the clock, and returns when everything that became due, and what it caused, has happened.
  ///
  /// ```swift
  /// text.send("cat")
  /// try await clock.advance(by: .milliseconds(299))
  /// // Fails if the code under test waits for only 250 ms:
  /// #expect(queries.values.isEmpty)
  /// try await clock.advance(by: .milliseconds(1))
  /// #expect(queries.values == ["cat"])
  /// ```
  ///
  /// First this waits until what was published before the call has reached the operators, the loading cells and the
  /// feeds that use this clock. Then the clock stops at each instant for which a task sleeps, the earliest first, and
  /// the call waits each time until nothing is under way, as `quiesce` does. So a timer that is set during the call
  /// fires in this call, at its own instant.
  ///
  /// The call wakes all tasks whose instant has come. It waits for those that belong to the library, and for functions
  /// that the library runs. For a task of your own, wait for what the task writes; if it sleeps again during the call,
  /// it may count from a later time. `advance` waits for a function of yours, for example one of `mapLatest`, only after
  /// the function has slept by this clock once: await `quiesce` of a cell that it depends on first.
  ///
  /// A followed sequence may sleep by this clock too. But the library cannot know when a sequence has begun to sleep: wait
  /// for the sleeper, and advance the clock by one of its pauses at a time.
  ///
  /// Call this from one task at a time, and not in a function that the library runs: it would wait for itself until the limit is over. Pass the
  /// clock itself to the code under test: a clock of your own that forwards to it is not known before its first sleep.
  ///
  /// - Parameters:
  ///   - duration: The time by which to advance the clock. It must not be negative.
  ///   - limit: After this time, measured by a real clock, the call fails. It ends a test that would hang.
  ///   - fileID: The file of the call, for the message.
  ///   - filePath: The path of that file, for a test framework.
  ///   - line: The line of the call, for the message.
  /// - Throws: `QuiescenceError` if the limit of time is over: its message says what is still under way.
  ///   `CancellationError` if the task is cancelled.
  public func advance(
    by duration: Duration,
    within limit: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) async throws {
    checkAdvance(duration)
    let end = tasks.state + duration
    let place = CallPlace(fileID, filePath, line)
    let wait = QuietWait(call: "advance(by: \(duration))", limit: limit, place: place)
    try await wait.run(around: { self.cells.all }) { isOver in await self.advance(to: end, until: isOver) }
  }

  // Returns false if the limit of time is over.
  private func advance(to end: Duration, until isOver: () -> Bool) async -> Bool {
    while await AnyCell.quiesced(cells.all, until: isOver) {
      guard let next = tasks.nextGoal, next <= end else {
        move(to: end)
        return true
      }
      move(to: next)
    }
    return false
  }

  /// Advances the clock, wakes the tasks whose instant has come, the earliest first, and does not wait for them.
  ///
  /// The clock does not stop in between: a task that sleeps again counts from the new time. Use this for tasks that a
  /// test does not wait for, or waits for in another way.
  public func jump(by duration: Duration) {
    checkAdvance(duration)
    tasks.change { $0 += duration }
  }

  private func checkAdvance(_ duration: Duration) {
    // Not a precondition, because release builds drop the message of a precondition.
    if duration < .zero { fatalError("a manual clock cannot go back: it was to advance by \(duration)") }
  }

  private func move(to time: Duration) {
    tasks.change { $0 = max($0, time) }
  }

  /// Waits until the clock has been advanced to an instant.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    if let cell = CellTask.ofCaller?.cell { cells.insert(cell) }
    try await tasks.wait(for: deadline.offset)
  }
}

extension ManualClock: TestClock {
  package func isUsed(by cell: AnyCell) {
    cells.insert(cell)
  }
}

/// The cells whose values depend on a clock.
private final class UsingCells: Sendable {
  private struct Weak: Sendable {
    weak let cell: AnyCell?
  }

  private let records = KitRecords<Weak>()
  // The number of records at which those of deallocated cells are removed.
  private let largestCount = Atomic(64)

  var all: [AnyCell] { records.all.compactMap(\.cell) }

  func insert(_ cell: AnyCell) {
    records.insert(Weak(cell: cell), for: cell)
    guard records.count > largestCount.load(ordering: .relaxed) else { return }
    records.keepOnly { $0.cell != nil }
    largestCount.store(max(64, 2 * records.count), ordering: .relaxed)
  }
}
