/// The time at which the server stops waiting for a client. The wait begins again whenever the client has taken bytes,
/// so a slow client is not late: only a client that does nothing is.
struct Deadline: Sendable, Equatable {
  private let limit: Duration
  private var instant: ContinuousClock.Instant
  /// The number of bytes that the client had not acknowledged when the server looked last.
  private var unacknowledged: Int

  init(after limit: Duration, unacknowledged: Int = 0, now: ContinuousClock.Instant = .now) {
    self.limit = limit
    self.unacknowledged = unacknowledged
    instant = now + limit
  }

  /// Returns whether the client has taken nothing for the whole time. The server asks this often: the wait begins again
  /// when it notices that bytes were taken.
  mutating func hasPassed(unacknowledged: Int, now: ContinuousClock.Instant) -> Bool {
    if unacknowledged < self.unacknowledged {
      self = Deadline(after: limit, unacknowledged: unacknowledged, now: now)
    }
    return instant <= now
  }
}
