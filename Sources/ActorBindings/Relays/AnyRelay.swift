internal import Synchronization

/// The part of a `Relay` that does not depend on the type of the value: it lets a lane run the turn of the driver's
/// reader.
///
/// The problem: a turn of the reader runs operators, so a writer that wakes the reader must leave the turn to a job.
/// But if a lane of the relay's cell runs on the writer's thread, because its context runs each piece of work at once,
/// a job is a detour. The library cannot ask a context whether it does so. So the writer's thread *offers* the turn to
/// the first reader that is parked in the relay's cell, if that is a lane whose context may run it at once: it wakes the
/// lane. If the context does run the lane at once, the lane first brings the relay's cell up to date: it takes the
/// offer, which only code on the same thread can take, and runs the turn. If the lane has not taken the offer when its
/// wake-up returns, a job runs the turn, and the relay offers no further turn to this lane.
// @unchecked: each variable says what guards it.
@usableFromInline
@safe
class AnyRelay: Upstream, @unchecked Sendable {
  // The thread that has offered a turn; 0 if no offer is open.
  private let offeringThread = Atomic<UInt>(0)
  // The reader whose turn is offered. Only the offering thread accesses this. Uncounted, because that thread holds the
  // reader until the offer is over.
  private final var offered: Unmanaged<RelayReader>?

  // The problem: a driver must have its positions in the sources before the first reader of the relay takes a position.
  // Otherwise that reader could miss an update. But starting a driver runs user code, which must not run under the
  // lock, and readers join and leave meanwhile. A second reader could wait for the driver that the first reader starts.
  // But then it would wait for user code of another thread, and it would deadlock if that code reads the relay. So each
  // thread that finds no driver starts a driver. The first driver that is ready gets the right to write, and the other
  // drivers end. The last reader that leaves takes this right away in the step that empties the cell, whatever the
  // driver is doing.
  final override func read(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    switch purpose {
    case .joining: willBeFollowed(cell)
    case .reading: takeOffer()
    case .leaving, .refreshing: break
    }
    let hasReaders = cell.locked { stepTakenWhileLocked(step, &$0) }
    switch purpose {
    case .joining, .leaving: followersChanged(cell)
    // The step may have ended the last turn of a lane. The last turn takes the lane's last observation out of the
    // count.
    case .reading: if !hasReaders { followersChanged(cell) }
    case .refreshing: break
    }
  }

  // Returns whether the cell has readers after the step.
  private final func stepTakenWhileLocked(_ step: (inout Roster) -> Void, _ roster: inout Roster) -> Bool {
    step(&roster)
    return roster.readers > 0
  }

  /// Offers the turn of `reader` to a lane. Returns false if no lane has run the turn. Never called under a lock.
  final func lane(in cell: AnyCell, takesTurnOf reader: RelayReader) -> Bool {
    let thread = Claim.currentThread()
    guard let lane = cell.locked({ takeLaneWhileLocked(&$0) }) else { return false }
    let isOffered = offerOpened(to: thread)
    if isOffered { unsafe offered = .passUnretained(reader) }
    lane.wake()
    guard isOffered else { return false }
    // If the lane has taken the offer, then perhaps another thread has opened another offer meanwhile.
    if offeringThread.load(ordering: .relaxed) != thread { return true }
    unsafe offered = nil
    offeringThread.store(0, ordering: .releasing)
    cell.locked { _ in lane.offerWasRefusedWhileLocked() }
    return false
  }

  // Only one offer is open at a time.
  private final func offerOpened(to thread: UInt) -> Bool {
    offeringThread.compareExchange(expected: 0, desired: thread, ordering: .acquiringAndReleasing).exchanged
  }

  // Runs the turn that this thread has offered, if it has.
  private final func takeOffer() {
    let thread = offeringThread.load(ordering: .relaxed)
    guard thread != 0, thread == Claim.currentThread(), let reader = unsafe offered.take() else { return }
    offeringThread.store(0, ordering: .releasing)
    unsafe reader._withUnsafeGuaranteedRef { $0.takeTurn() }
  }

  private final func takeLaneWhileLocked(_ roster: inout Roster) -> Lane? {
    // A lane that has parked early may be running. Its turn would not take the offer.
    guard let lane = roster.firstParked as? Lane, lane.takesOffersWhileLocked, !lane.isRunningWhileLocked()
    else { return nil }
    _ = roster.unparked(lane)
    return lane
  }
}
