/// The time of any clock, as the duration since the timeline was created.
///
/// Types that are not generic over the clock measure and wait with it.
package struct Timeline: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let sleepUntil: @Sendable (Duration) async throws -> Void
  /// Whether the clock is `ContinuousClock`, so that calls of the system can keep a deadline too.
  package let isContinuous: Bool

  /// Creates a timeline that begins now.
  package init(_ clock: some Clock<Duration>) {
    let start = clock.now
    isContinuous = clock is ContinuousClock
    elapsed = { start.duration(to: clock.now) }
    sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  /// The duration since the timeline was created.
  package var now: Duration { elapsed() }

  /// Waits until `now` is at least `instant`. Throws `CancellationError` if the task is cancelled.
  package func sleep(until instant: Duration) async throws {
    try await sleepUntil(instant)
  }

  /// Waits for a duration. Throws `CancellationError` if the task is cancelled.
  package func sleep(for duration: Duration) async throws {
    try await sleepUntil(now + duration)
  }
}
