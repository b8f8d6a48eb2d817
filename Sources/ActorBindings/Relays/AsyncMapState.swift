/// Decides which values of its source `asyncMap` transforms now, and which outputs it delivers. A pure state machine.
///
/// Each value has a number, in the order in which the values came. The oldest value without a delivered output, and the
/// values after it, have the *places*: `limit` of them.
///
/// ### States of a value
/// - *waiting*: it has no place yet.
/// - *running*: its body runs.
/// - *done*: its body has ended, but the body of an older value has not.
///
/// ### Transitions
/// | event | effect |
/// |---|---|
/// | `valueCame` | the value is running if there is a free place, else waiting |
/// | `bodyEnded` | the value is done; done values are delivered up to the oldest value that is running; each delivery frees a place, and starts the oldest waiting value |
/// | `sourceEnded` | the readers end after the last delivery |
///
/// ### Actions
/// The caller delivers `Decision.delivered`, then starts `Decision.started`, and then ends the readers if `isOver`.
///
/// ### Behavior
/// At most `limit` bodies run, and at most `limit` outputs wait. Values wait only if the caller reads on while
/// `isFull`. Each event takes constant time for each value that it delivers or starts.
package struct AsyncMapState<Value: Sendable, Output: Sendable>: Sendable {
  private let limit: Int
  // The number of the oldest value whose output is not delivered, and the number of the next value.
  private var oldest = 0
  private var next = 0
  private var waiting: [Int: Value] = [:]
  private var done: [Int: Output] = [:]
  private var hasSourceEnded = false

  package init(limit: Int) {
    self.limit = min(limit, Int(UInt32.max))
  }

  /// What an event obliges the caller to do.
  package struct Decision: Sendable {
    /// The outputs to deliver, in order.
    package var delivered: [Output] = []
    /// The values whose bodies must start, with their numbers.
    package var started: [(number: Int, value: Value)] = []
    /// Whether the source has ended and all outputs are delivered.
    package var isOver = false
  }

  /// Whether the next value would have to wait.
  package var isFull: Bool { next - oldest >= limit }

  /// The source has a new value.
  package mutating func valueCame(_ value: Value) -> Decision {
    defer { next += 1 }
    if !isFull { return Decision(started: [(next, value)]) }
    waiting[next] = value
    return Decision()
  }

  /// The body for the value with this number has ended.
  package mutating func bodyEnded(_ number: Int, _ output: Output) -> Decision {
    precondition((oldest..<next).contains(number), "a body ended for a value that has no place")
    var decision = Decision()
    done[number] = output
    while let output = done.removeValue(forKey: oldest) {
      decision.delivered.append(output)
      let freed = oldest + limit
      oldest += 1
      if let value = waiting.removeValue(forKey: freed) { decision.started.append((freed, value)) }
    }
    decision.isOver = isOver
    return decision
  }

  /// The source has ended.
  package mutating func sourceEnded() -> Decision {
    hasSourceEnded = true
    return Decision(isOver: isOver)
  }

  private var isOver: Bool { hasSourceEnded && oldest == next }
}
