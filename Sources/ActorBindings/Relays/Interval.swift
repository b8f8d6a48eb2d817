/// A source that counts intervals of a clock, beginning when its first reader does.
///
/// ```swift
/// interval(.seconds(10))
///   .observe(on: .queue(work)) { _ in cache.removeExpired() }
/// ```
///
/// Readers receive the number of intervals that have passed since the first reader began: 1, 2, 3 and so on. The
/// instants do not drift. If the timer is late by one interval or more, readers receive only the newest number. So the
/// numbers rise, but a busy machine may leave some out.
///
/// Readers of one returned source share one timer. A reader that begins while others read starts with the newest
/// number, or waits for the first. The timer runs only while there are readers: when the last has left, the next begins
/// with a count of its own. The source never ends by itself. If the clock fails to sleep, the timer tries again.
///
/// - Parameters:
///   - interval: The time between two numbers. It must be longer than zero. A time of more than a century counts as a
///     century.
///   - clock: The clock that measures the interval.
@inlinable
public func interval<C: Clock>(
  _ interval: C.Duration,
  clock: C = ContinuousClock()
) -> some BindingSource<Int> where C.Duration: Sendable {
  guard interval > .zero else { fatalError("an interval is longer than zero, and not \(interval)") }
  return DerivedSource(
    RelayCursor("interval") { writer, turns in
      Ticker(writer, interval: interval, RelayTimer(clock, in: turns, for: writer.cell)).start(in: turns)
    }
  )
}

/// Counts intervals. The driver of `interval`: it reads no source.
// @unchecked: the variables are used only in the relay's turns. The constants are Sendable.
@usableFromInline
final class Ticker<C: Clock>: RelayDriver, @unchecked Sendable where C.Duration: Sendable {
  private let writer: RelayWriter<Int>
  private let interval: C.Duration
  private let timer: RelayTimer<C>
  // The number of intervals that have passed, and when the next one ends.
  private var count = 0
  private var next: C.Instant

  @usableFromInline var currentReaders: [RelayReader] { [] }

  @usableFromInline
  init(_ writer: RelayWriter<Int>, interval: C.Duration, _ timer: RelayTimer<C>) {
    self.writer = writer
    self.interval = interval.bounded
    self.timer = timer
    next = timer.now.advanced(by: interval.bounded)
  }

  /// Begins to count, if the writer opens.
  @usableFromInline
  func start(in turns: RelayTurns) {
    guard writer.open(by: self) else { return }
    turns.perform(.call { self.timer.schedule(at: self.next) { [weak self] in self?.timerFired() } })
  }

  private func timerFired() -> C.Instant? {
    let now = timer.now
    if now < next { return next }
    // The interval that has just ended, and those that have ended while the timer was late. The division is not exact,
    // so the result may be one interval too low; then the timer fires again at once.
    let late = next.duration(to: now) / interval
    let passed = 1 + (late < 1e15 ? Int(late) : 0)
    count += passed
    next = late < 1e15 ? next.advanced(by: interval * passed) : now.advanced(by: interval)
    writer.send(count)
    return next
  }

  // Called from any thread.
  @usableFromInline
  func stop() {
    timer.cancel()
  }
}
