/// Decides which values a delayed source hands out, and when. A pure state machine: its caller passes the time.
///
/// ### States
/// - *empty*: no value waits.
/// - *waiting*: some values wait, each for its own deadline, in the order in which they came.
/// - *ending*: the source has ended. It is also *empty* or *waiting*.
///
/// ### Transitions
/// | event | empty | waiting |
/// |---|---|---|
/// | `valueCame` | waiting | one value more waits |
/// | `timePassed` | nothing | the oldest value is delivered, if its deadline has come |
/// | `sourceEnded` | ending: the delayed source ends now | ending: the delayed source ends after the last value |
///
/// ### Behavior
/// Each event takes constant amortized time. No value is dropped, so the number of waiting values has no limit.
@usableFromInline
package struct DelayState<Value: Sendable, Instant: InstantProtocol> {
  // Only the events below change these variables. Their setters are not private, because inlinable functions set the
  // variables.
  @usableFromInline let delay: Instant.Duration
  // The waiting values, from index `head` on.
  @usableFromInline var queue: ContiguousArray<(deadline: Instant, value: Value?)> = []
  @usableFromInline var head = 0
  @usableFromInline var isEnding = false

  @inlinable
  package init(delay: Instant.Duration) {
    self.delay = delay.bounded
  }

  /// The number of waiting values.
  @inlinable
  package var count: Int { queue.count - head }

  /// The number of places in the queue, including those of values that were delivered. For tests.
  package var room: Int { queue.count }

  /// The instant at which the oldest waiting value is due; nil if no value waits.
  @inlinable
  package var deadline: Instant? { count == 0 ? nil : queue[head].deadline }

  /// Whether the delayed source ends now.
  @inlinable
  package var isOver: Bool { isEnding && count == 0 }

  @inlinable
  package mutating func valueCame(_ value: Value, at now: Instant) {
    queue.append((now.advanced(by: delay), value))
  }

  /// Returns the oldest waiting value if it is due.
  @inlinable
  package mutating func timePassed(at now: Instant) -> Value? {
    guard let deadline, now >= deadline else { return nil }
    defer {
      head += 1
      if head == queue.count {
        queue.removeAll(keepingCapacity: queue.count <= 64)
        head = 0
      } else if head >= 64, head > queue.count / 2 {
        queue.removeFirst(head)
        head = 0
      }
    }
    return queue[head].value.take()
  }

  @inlinable
  package mutating func sourceEnded() {
    isEnding = true
  }
}

// A state belongs to the turns of one relay. Some clocks measure time in durations that are not Sendable.
@available(*, unavailable)
extension DelayState: Sendable {}
