/// An observation with its cursor and its recipient.
@usableFromInline
final class CursorObservation<Cursor: BindingCursor, Receiver: Recipient>: Observation, @unchecked Sendable
where Receiver.Element == Cursor.Element {
  // Noncopyable, so a delivery moves it without counting references.
  @usableFromInline
  struct Work: ~Copyable {
    @usableFromInline var cursor: Cursor
    @usableFromInline let recipient: Receiver

    @inlinable
    init(cursor: Cursor, recipient: Receiver) {
      self.cursor = cursor
      self.recipient = recipient
    }
  }

  // While the lane runs, only the turn accesses this variable. During a delivery it is nil. While the lane does not
  // run, the cell's lock guards it. So Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedWork: Work?

  @inlinable
  init(_ cursor: Cursor, _ recipient: Receiver, endsWithToken: Bool, isConfined: Bool, site: CallSite) {
    var cursor = cursor
    cursor.root.detach()
    // Known already if the cursor has a position.
    let depth = cursor.root.depth
    unsafe storedWork = Work(cursor: cursor, recipient: recipient)
    super.init(endsWithToken: endsWithToken, isConfined: isConfined, site: site) { observation, operation in
      let observation = unsafe unsafeDowncast(observation, to: CursorObservation.self)
      switch operation {
      case .deliver(let pass, let limit):
        return observation.deliver(pass, limit: limit)
      case .checkOwner:
        return unsafe observation.storedWork?.recipient.isGone == true
          ? observation.ended(as: Status.ownerDied) : .caughtUp(calls: 0)
      case .beginWhileLocked(let depth, let version):
        observation.withRoot { root in root.beginWhileLocked(depth: depth, at: version) }
      case .tellSeenWhileLocked:
        return .behind(observation.seenWhileLocked)
      case .leaveWhileLocked:
        observation.withRoot { root in observation.keepWhileLocked(root.leaveWhileLocked()) }
      case .release:
        unsafe observation.storedWork = nil
      }
      return .caughtUp(calls: 0)
    }
    self.depth = depth
  }

  @inlinable
  func deliver(_ pass: AnyPassSnapshot, limit: UInt8) -> DeliveryOutcome {
    // Moves the work out, and back at the end, because the handler may do anything in between.
    guard var work = unsafe storedWork.take() else { return .caughtUp(calls: 0) }
    let outcome = deliver(work.cursor.root.pass(showing: pass), &work, limit: limit)
    unsafe storedWork = consume work
    return outcome
  }

  @inlinable
  @inline(__always)
  func deliver(_ pass: PassSnapshot<Cursor.Origin>, _ work: inout Work, limit: UInt8) -> DeliveryOutcome {
    var wasRejected = false
    for calls in 0..<limit {
      guard isActive else { return .caughtUp(calls: calls) }
      switch work.cursor.next(in: pass) {
      case .element(let element, _):
        // After `cancel()` no call of the handler may start. The check above is not enough for this: meanwhile an
        // operator's closure, or another thread, may have called `cancel()`. From here on the call of the handler
        // counts as started.
        guard isActive else { return .caughtUp(calls: calls) }
        SchedulePoint.pass()
        // This calls the handler. The lane holds no lock, so the handler may do anything, even to this cell.
        guard work.recipient.deliver(element) else { return ended(as: Status.ownerDied) }
      case .rejected: wasRejected = true
      case .idle:
        return isGone(work, afterRejection: wasRejected)
          ? ended(as: Status.ownerDied) : .caughtUp(calls: calls)
      // The owner may have died unnoticed before the cell ended. Then the observation counts as cancelled, not as
      // finished.
      case .finished:
        if work.recipient.isGone { return ended(as: Status.ownerDied) }
        // The exchange of the status decides between the end and a `cancel()`: if `cancel()` comes first, the recipient
        // does not learn of the end. From here on the call below counts as started.
        guard end(as: Status.finished) else { return .caughtUp(calls: 1) }
        SchedulePoint.pass()
        work.recipient.sourceEnded()
        return .ended
      }
    }
    if isGone(work, afterRejection: wasRejected) { return ended(as: Status.ownerDied) }
    return .behind(work.cursor.completed)
  }

  // If an operator rejects every element, the delivery never calls the recipient, so the recipient cannot report that
  // its owner has died.
  @inlinable
  func isGone(_ work: borrowing Work, afterRejection wasRejected: Bool) -> Bool {
    wasRejected && work.recipient.isGone
  }

  // If another thread has cancelled the observation first, that thread takes care of the removal.
  @inlinable
  func ended(as outcome: UInt8) -> DeliveryOutcome {
    end(as: outcome) ? .ended : .caughtUp(calls: 1)
  }

  @inlinable
  var seenWhileLocked: UInt64 {
    var seen: UInt64 = 0
    withRoot { seen = $0.seen }
    return seen
  }

  @inlinable
  func withRoot(_ body: (inout Cursor.Root) -> Void) {
    guard unsafe storedWork != nil else {
      preconditionFailure("an observation came or went during its own delivery")
    }
    unsafe body(&storedWork!.cursor.root)
  }
}

// The handler and its captures may belong to only one isolation.
@available(*, unavailable)
extension CursorObservation.Work: Sendable {}
