/// What a transaction has read, and what it makes of it: it takes effect at one instant, or not at all.
@usableFromInline
package struct Stakes: ~Copyable {
  // In the order in which their cells are locked: that of their addresses.
  @usableFromInline var first: StakeLink?
  // Of the cells that others wrote meanwhile.
  private var contentions: [(cell: AnyCell, contention: Contention)] = []

  @usableFromInline
  init() {}

  deinit {
    Self.release(from: first)
  }

  /// What came of a run.
  private enum Outcome: Sendable {
    case published
    /// Another writer got in between: the body must be run again.
    case outrun
    /// Somebody's claim on this cell goes first.
    case deferred(Claim, AnyCell)
  }

  /// The stake in a cell: there is one for each that the body names.
  @inlinable
  mutating func stake<Value>(in cell: Cell<Value>) -> Stake<Value> {
    var before: StakeLink?
    var link = first
    while let current = link, current.withStake({ ObjectIdentifier($0.cell) < ObjectIdentifier(cell) }) {
      before = current
      link = current.withStake { unsafe $0.next }
    }
    if let link, link.withStake({ $0.cell === cell }) {
      return unsafe unsafeDowncast(link.withStake { $0 }, to: Stake<Value>.self)
    }
    let stake = Stake(cell)
    unsafe stake.next = link
    let new = StakeLink(retaining: stake)
    if let before { before.withStake { unsafe $0.next = new } } else { first = new }
    return stake
  }

  /// Nothing of what was written is to take effect.
  @usableFromInline
  func discardWrites() {
    forEach { unsafe $0.isWritten = false }
  }

  /// Publishes what was written if everything that was read is still current. False if the body must be run again; then
  /// nothing is staked any more.
  @usableFromInline
  mutating func publish() -> Bool {
    while true {
      switch decided() {
      case .published:
        end()
        forEach { stake in
          if let woken = unsafe stake.woken { Woken(first: woken).wake() }
        }
        return true
      case .deferred(let claim, let cell):
        noteContention(in: cell) { $0.deferred(by: claim, in: cell) }
      case .outrun:
        var cells: [AnyCell] = []
        forEach { cells.append($0.cell) }
        for cell in cells { noteContention(in: cell) { $0.outrun(in: cell) } }
        Self.release(from: first.take())
        return false
      }
    }
  }

  private func decided() -> Outcome {
    forEach { $0.cell.lock.lock() }
    defer { forEach { $0.cell.lock.unlock() } }
    return decidedUnderLocks()
  }

  private func decidedUnderLocks() -> Outcome {
    var outcome = Outcome.published
    var isFinished = false
    forEach { stake in
      if unsafe stake.cell.storedRoster.version != stake.version {
        outcome = .outrun
      } else if unsafe stake.isWritten {
        unsafe isFinished = isFinished || stake.cell.storedRoster.isFinished
        if let claim = unsafe stake.cell.storedRoster.claim, case .published = outcome,
          !claim.lets(writer(of: stake.cell))
        {
          outcome = .deferred(claim, stake.cell)
        }
      }
    }
    // All or nothing.
    guard case .published = outcome, !isFinished else { return outcome }
    var instant: Instant?
    forEach { stake in
      if unsafe stake.isWritten { stake.publish(stake, &instant) }
    }
    return .published
  }

  // Without counting references. While a stake is looked at, nobody else changes what comes after it.
  @inline(__always)
  private func forEach(_ body: (AnyStake) -> Void) {
    var link = first
    while let current = link {
      current.withStake { stake in
        body(stake)
        unsafe link = stake.next
      }
    }
  }

  private static func release(from first: StakeLink?) {
    var link = first
    while let current = link {
      link = current.withStake { unsafe $0.next }
      unsafe current.stake.release()
    }
  }
}

// One thread at a time.
@available(*, unavailable)
extension Stakes: Sendable {}

// MARK: - Others write too

extension Stakes {
  private mutating func noteContention(in cell: AnyCell, _ note: (inout Contention) -> Void) {
    if let index = contentions.firstIndex(where: { $0.cell === cell }) {
      note(&contentions[index].contention)
    } else {
      var contention = Contention()
      note(&contention)
      contentions.append((cell, contention))
    }
  }

  private func writer(of cell: AnyCell) -> Claim.Writer {
    contentions.first { $0.cell === cell }?.contention.writer ?? .passerBy
  }

  // The transaction is over, one way or another.
  private mutating func end() {
    for (cell, contention) in contentions { contention.end(in: cell) }
    contentions = []
  }
}
