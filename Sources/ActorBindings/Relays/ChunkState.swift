/// Decides how a source is divided into chunks, and when each is handed out. A pure state machine: its caller passes
/// the time.
///
/// ### States
/// - *empty*: no value waits.
/// - *filling*: fewer than `size` values wait, until the deadline, which the first of them has set.
///
/// ### Transitions
/// | event | empty | filling |
/// |---|---|---|
/// | `valueCame` | filling; if the chunk is full: empty, handed out | the same; at or after the deadline: see below |
/// | `timePassed` | nothing | empty, handed out; nothing before the deadline |
/// | `sourceEnded` | nothing | empty, handed out |
///
/// A value that comes at or after the deadline, while the timer is late, begins the next chunk: the old chunk is handed
/// out.
///
/// ### Behavior
/// A chunk is never empty, and has at most `size` values. No value is dropped.
@usableFromInline
package struct ChunkState<Value: Sendable, Instant: InstantProtocol> {
  // Only the events below change these variables. Their setters are not private, because inlinable functions set the
  // variables.
  @usableFromInline let size: Int
  @usableFromInline let time: Instant.Duration
  @usableFromInline var chunk: [Value] = []
  /// The instant at which the chunk is handed out even if it is not full; nil if no value waits.
  @usableFromInline package internal(set) var deadline: Instant?

  @inlinable
  package init(size: Int, time: Instant.Duration) {
    self.size = size
    self.time = time.bounded
  }

  @inlinable
  package mutating func valueCame(_ value: Value, at now: Instant) -> [Value]? {
    // A chunk of one value never waits, so at most one of the two chunks below is handed out.
    let late = timePassed(at: now)
    chunk.append(value)
    if chunk.count >= size { return sourceEnded() }
    if deadline == nil { deadline = now.advanced(by: time) }
    return late
  }

  @inlinable
  package mutating func timePassed(at now: Instant) -> [Value]? {
    guard let deadline, now >= deadline else { return nil }
    return sourceEnded()
  }

  @inlinable
  package mutating func sourceEnded() -> [Value]? {
    deadline = nil
    if chunk.isEmpty { return nil }
    defer { chunk = [] }
    return chunk
  }
}

// A state belongs to the turns of one relay. Some clocks measure time in durations that are not Sendable.
@available(*, unavailable)
extension ChunkState: Sendable {}
