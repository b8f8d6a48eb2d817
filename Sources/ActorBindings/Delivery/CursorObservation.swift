/// An observation with its cursor and its recipient.
@usableFromInline
final class CursorObservation<Cursor: BindingCursor, Target: Recipient>: Observation, @unchecked Sendable
where Target.Element == Cursor.Element {
  @usableFromInline
  struct Work {
    @usableFromInline var cursor: Cursor
    @usableFromInline let target: Target

    @inlinable
    init(cursor: Cursor, target: Target) {
      self.cursor = cursor
      self.target = target
    }
  }

  // The drainer's while the lane runs, and nil during a visit; guarded by the cell's lock otherwise.
  @usableFromInline var work: Work?
  // What the window let go of as this observation left; released with the rest.
  private var spill: Window<Cursor.Origin>.Spill?

  @inlinable
  init(_ cursor: Cursor, _ target: Target, endsWithToken: Bool, isConfined: Bool) {
    work = Work(cursor: cursor, target: target)
    super.init(endsWithToken: endsWithToken, isConfined: isConfined) { observation, round in
      unsafe unsafeDowncast(observation, to: CursorObservation.self)
        .handOver(unsafeDowncast(round, to: Round<Cursor.Origin>.self))
    }
  }

  @inlinable
  func handOver(_ round: Round<Cursor.Origin>) -> Visit {
    // Moved out and back: the handler may do anything meanwhile, and no reference is counted.
    guard var work = work.take() else { return .caughtUp }
    defer { self.work = work }
    for _ in 0..<Visit.quantum {
      // The check that makes a cancellation hold: from here on this call counts as started.
      guard isActive else { return .caughtUp }
      switch work.cursor.next(in: round) {
      case .element(let element, _):
        // This calls the handler. No lock is held: it may do whatever it likes, to this cell too.
        guard work.target.receive(element) else { return ended(as: Status.cancelled) }
      case .rejected: continue
      case .idle: return .caughtUp
      case .finished: return ended(as: Status.finished)
      }
    }
    return .behind(work.cursor.root.place.seen)
  }

  // Somebody who cancelled it first sees to the burial.
  @inlinable
  func ended(as outcome: UInt8) -> Visit {
    end(as: outcome) ? .ended : .caughtUp
  }

  override func isGone() -> Bool { work?.target.isGone ?? false }

  override func take(_ depth: UInt32, _ roster: Roster) {
    guard let cell = work?.cursor.root.cell else { return }
    work?.cursor.root.place = cell.state.joined(depth: depth, roster)
  }

  override func leave(_ roster: Roster) {
    guard let cell = work?.cursor.root.cell else {
      preconditionFailure("an observation was buried during its visit")
    }
    spill = cell.state.left(&work!.cursor.root.place, roster)
  }

  override func release() {
    work = nil
    spill = nil
  }
}
