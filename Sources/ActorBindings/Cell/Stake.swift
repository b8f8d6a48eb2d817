/// What a transaction has read of one cell, and what it makes of it.
// @unchecked: the transaction's own, and of one thread at a time.
@usableFromInline
package class AnyStake: @unchecked Sendable {
  @usableFromInline final let cell: AnyCell
  @usableFromInline final let version: UInt64
  @exclusivity(unchecked) @usableFromInline final var isWritten = false
  // Whom the publication took out of the cell's list.
  fileprivate final var woken = Woken(first: nil)

  @usableFromInline
  init(_ cell: AnyCell, version: UInt64) {
    self.cell = cell
    self.version = version
  }

  /// Whether somebody compares the instants of this cell's updates. Under the lock.
  fileprivate var isOrdered: Bool { false }

  /// Under the lock.
  fileprivate func publish(at instant: Instant?) {
    preconditionFailure("\(type(of: self)) does not say how it is published")
  }
}

/// What a transaction has read of one cell, and what it makes of it.
@usableFromInline
package final class Stake<Value: Sendable>: AnyStake, @unchecked Sendable {
  // What was read, or is to be written; after the publication what was there before.
  @exclusivity(unchecked) @usableFromInline var storedValue: Value
  private var outdated: LogNode<Value>?

  @inlinable
  init(_ cell: Cell<Value>) {
    let draft = cell.locked { $0.draft($1) }
    unsafe storedValue = draft.value
    super.init(cell, version: draft.version)
  }

  fileprivate override var isOrdered: Bool {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
    return unsafe cell.storedState.orderedReaders > 0
  }

  fileprivate override func publish(at instant: Instant?) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
    let outcome = unsafe cell.storedState.sent(
      &storedValue,
      by: .impatient,
      at: instant,
      &cell.storedRoster
    )
    guard case .published(let woken, let outdated) = outcome else { return }
    self.woken = woken
    self.outdated = outdated
    unsafe cell.publish(cell.storedRoster.horizon)
  }
}

/// What a transaction has read, and what it makes of it: it takes effect at one instant, or not at all.
@usableFromInline
package struct Stakes: ~Copyable {
  // In the order in which their cells are locked.
  @usableFromInline var stakes: [AnyStake] = []
  // Of the cells that others wrote meanwhile.
  private var contentions: [(cell: AnyCell, contention: Contention)] = []

  @usableFromInline
  init() {}

  /// What came of a run.
  @usableFromInline
  enum Outcome: Sendable {
    case published
    /// Another writer got in between: the body must be run again.
    case outrun
    /// Somebody's claim on the cell of this stake goes first.
    case deferred(Claim, stake: Int)
  }

  @inlinable
  mutating func stake<Value>(in cell: Cell<Value>) -> Stake<Value> {
    let index = index(of: cell)
    if index < stakes.count, stakes[index].cell === cell {
      return unsafe unsafeDowncast(stakes[index], to: Stake<Value>.self)
    }
    let stake = Stake(cell)
    stakes.insert(stake, at: index)
    return stake
  }

  // Where it stands, or is to be put in.
  @usableFromInline
  func index(of cell: AnyCell) -> Int {
    var (low, high) = (0, stakes.count)
    while low < high {
      let middle = (low + high) / 2
      if ObjectIdentifier(stakes[middle].cell) < ObjectIdentifier(cell) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Nothing of what was written is to take effect.
  @usableFromInline
  func discardWrites() {
    for stake in stakes { unsafe stake.isWritten = false }
  }

  /// Publishes what was written if everything that was read is still current. False if the body must be run again; then
  /// nothing is staked any more.
  @usableFromInline
  mutating func publish() -> Bool {
    while true {
      switch locked(from: 0) {
      case .published:
        end()
        for stake in stakes { stake.woken.wake() }
        return true
      case .deferred(let claim, let index):
        let cell = stakes[index].cell
        let contention = contention(in: cell)
        contentions[contention].contention.deferred(by: claim, in: cell)
      case .outrun:
        let former = stakes
        stakes = []
        for stake in former { contentions[contention(in: stake.cell)].contention.outrun(in: stake.cell) }
        return false
      }
    }
  }

  // The transaction is over, one way or another.
  private mutating func end() {
    for (cell, contention) in contentions { contention.end(in: cell) }
    contentions = []
  }

  // Where the contention in a cell is noted.
  private mutating func contention(in cell: AnyCell) -> Int {
    if let index = contentions.firstIndex(where: { $0.cell === cell }) { return index }
    contentions.append((cell, Contention()))
    return contentions.count - 1
  }

  private func locked(from index: Int) -> Outcome {
    guard index < stakes.count else { return decided() }
    return stakes[index].cell.lock.withLock { locked(from: index + 1) }
  }

  // Under all the locks.
  private func decided() -> Outcome {
    for stake in stakes where unsafe stake.cell.storedRoster.version != stake.version { return .outrun }
    var isOrdered = false
    for (index, stake) in stakes.enumerated() where unsafe stake.isWritten {
      // Not one of several: all or nothing.
      if unsafe stake.cell.storedRoster.isFinished { return .published }
      if let claim = unsafe stake.cell.storedRoster.claim, !claim.lets(writer(of: stake.cell)) {
        return .deferred(claim, stake: index)
      }
      isOrdered = isOrdered || stake.isOrdered
    }
    let instant = isOrdered ? Instant.next() : nil
    for stake in stakes where unsafe stake.isWritten { stake.publish(at: instant) }
    return .published
  }

  private func writer(of cell: AnyCell) -> Claim.Writer {
    contentions.first { $0.cell === cell }?.contention.writer ?? .passerBy
  }
}
