/// What the reader of a relay does next. A pure state machine.
///
/// ### States
/// - *waiting*: the reader is parked in the wait list of its source, or a job for the reader is under way. There is a
///   job if a writer took the reader out of that list, or if the reader has more to read.
/// - *reading*: the reader's turn runs. Only that turn touches the cursor.
/// - *resting*: the driver needs no value for now. The reader is in no wait list, so a write does not wake it. It reads
///   again when its driver asks for that, or when a cell of its source ends.
/// - *ended*: the reader was cancelled, its driver needs nothing more, or its source has ended.
///
/// ### Transitions
/// | event | waiting | reading | resting | ended |
/// |---|---|---|---|---|
/// | `turnBegan` | reading; refused while the reader is parked | refused | reading | refused |
/// | `readEnded` | – | waiting, resting, ended, or another read | – | – |
/// | `cancelled` | ended, by the canceller | ended when the read ends | ended, by the canceller | nothing |
/// | `settledCallJoined` | the task waits, unless the reader is parked | the task waits | the task waits only if the source has ended | the task has nothing to wait for |
///
/// ### Actions
/// The thread that ends the reader (a canceller, or the job) gives up the position in the same hold of the lock. After
/// the lock, that thread releases what the reader holds. If a job reads, the canceller leaves the end to that job, and
/// only takes the reader out of the count. The caller resumes `Resumption`s after the lock.
///
/// ### Behavior
/// One job reads at a time. The source counts the reader from the time at which the reader takes its position until the
/// reader ends or is cancelled, even while the reader rests.
package struct RelayReaderState {
  package enum Phase: Sendable {
    case waiting
    case reading
    case resting
    case ended
  }

  package private(set) var phase = Phase.waiting
  private var isCancelled = false
  private var settledCalls = SettledCallQueue()

  package init() {}

  /// What the job does after a read.
  package enum Step: Equatable, Sendable {
    case again
    /// There is more to read, but other jobs come first.
    case yield
    case park
    case rest
    /// Gives up the position. `isCounted` is false if a canceller has taken the reader out of the count.
    case leave(isCounted: Bool)
  }

  /// Whether a job reads.
  package enum RunStart: Sendable {
    /// The job has nothing to do: the reader is parked or has ended, or another job reads.
    case refused
    case begun
    /// The job begins after a rest: the reader no longer needs its waiters for the end.
    case begunAfterRest
  }

  /// What the job does after a read, and which tasks it resumes after the lock.
  package struct TurnOutcome: Sendable {
    package let step: Step
    package var resumed: [Resumption] = []
  }

  /// What a canceller does, and which tasks it resumes after the lock.
  package struct CancelOutcome: Sendable {
    package let cancellation: Cancellation
    package var resumed: [Resumption] = []
  }

  /// What a canceller does.
  package enum Cancellation: Sendable {
    /// The canceller ends the reader.
    case leave
    /// The canceller takes the reader out of the count. The job that reads ends the reader.
    case uncount
    case nothing
  }
}

/// The outcome of one read of a relay's reader.
@usableFromInline
package enum RelayReadOutcome: Sendable {
  /// The reader has seen everything up to this version.
  case caughtUp(UInt64)
  /// There may be more to read. The driver has finished with all elements up to this version; nil if it has finished
  /// nothing.
  case behind(UInt64?)
  /// The driver needs no value for now. The reader has seen this version.
  case rests(UInt64)
  /// The source has ended, or the driver needs nothing more.
  case ended
}

extension RelayReaderState {
  /// The number of tasks that wait, including tasks that have given up but were not removed yet.
  package var settledCallCount: Int { settledCalls.count }

  /// The reader begins with its position taken. Returns whether it parks, because it has seen everything and no task
  /// waits for a turn.
  ///
  /// - Parameter version: The version at which the cursor has found nothing more; nil if it may find more.
  package func beginsParked(idleAt version: UInt64?, _ roster: Roster) -> Bool {
    guard let version, phase == .waiting, settledCallCount == 0 else { return false }
    return roster.isIdle(at: version)
  }

  /// A turn of the reader has begun.
  package mutating func turnBegan(isParked: Bool) -> RunStart {
    switch phase {
    case .waiting where !isParked:
      phase = .reading
      return .begun
    case .resting:
      phase = .reading
      return .begunAfterRest
    case .waiting, .reading, .ended: return .refused
    }
  }

  /// The job has read all that it wanted. Or it has read as much as one turn may: then `mayGoOn` is false.
  package mutating func readEnded(
    _ outcome: RelayReadOutcome,
    mayGoOn: Bool,
    _ roster: Roster
  ) -> TurnOutcome {
    precondition(phase == .reading, "a reader that is \(phase) ended a read")
    if isCancelled { return ended() }
    switch outcome {
    case .caughtUp(let version) where roster.isIdle(at: version):
      phase = .waiting
      return TurnOutcome(step: .park, resumed: settledCalls.removeAll())
    case .caughtUp where mayGoOn: return TurnOutcome(step: .again)
    case .caughtUp(let version), .behind(let version?):
      phase = .waiting
      return TurnOutcome(step: .yield, resumed: settledCalls.handled(through: version))
    case .behind(nil):
      phase = .waiting
      return TurnOutcome(step: .yield)
    case .rests:
      phase = .resting
      return TurnOutcome(step: .rest, resumed: settledCalls.handled(through: .max))
    case .ended: return ended()
    }
  }

  private mutating func ended() -> TurnOutcome {
    phase = .ended
    return TurnOutcome(step: .leave(isCounted: !isCancelled), resumed: settledCalls.removeAll())
  }

  /// The reader was cancelled: it must read nothing more.
  package mutating func cancelled() -> CancelOutcome {
    defer { isCancelled = true }
    switch phase {
    case .waiting, .resting:
      phase = .ended
      return CancelOutcome(cancellation: .leave, resumed: settledCalls.removeAll())
    case .reading where !isCancelled: return CancelOutcome(cancellation: .uncount)
    case .reading, .ended: return CancelOutcome(cancellation: .nothing)
    }
  }

  /// A task waits until the reader has seen everything that was published so far. Returns false if there is nothing to
  /// wait for.
  package mutating func settledCallJoined(
    _ call: SettledCall,
    isParked: Bool,
    _ roster: Roster
  ) -> Bool {
    switch phase {
    case .ended: return false
    case .waiting where isParked: return false
    // Nothing to wait for: only the end of the source, or the driver, wakes the reader.
    case .resting where !roster.isFinished: return false
    case .waiting, .reading, .resting:
      settledCalls.append(call, roster)
      return true
    }
  }
}
