/// What a transaction has read, and what it makes of it: it takes effect at one instant, or not at all.
///
/// The stakes of a small transaction are placed in a room on the stack of who runs it, so nothing is allocated for them.
@safe
@usableFromInline
package struct Stakes: ~Copyable {
  /// Enough for half a dozen cells of small values.
  @inlinable static var roomSize: Int { 512 }

  // By the addresses of their cells, which are locked in this order.
  @usableFromInline var links = AddressedList<StakeLink>()

  // It is there until `publish` has returned, which leaves nothing staked.
  @usableFromInline let room: UnsafeMutableRawPointer
  // Where what is left of it begins.
  @usableFromInline var free: UnsafeMutableRawPointer

  // Of the cells that others wrote meanwhile.
  @usableFromInline var contentions: [ObjectIdentifier: (cell: AnyCell, contention: Contention)] = [:]

  @inlinable
  init(in room: UnsafeMutableRawPointer) {
    unsafe self.room = room
    unsafe free = room
  }

  /// What came of a run.
  private enum Outcome {
    case published
    /// Another writer got in between: the body must be run again.
    case outrun
    /// Somebody's claim on this cell goes first.
    case deferred(Claim, StakeLink)
  }

  /// The stake in a cell: there is one for each that the body names.
  @inlinable
  mutating func stake<Value>(in cell: Cell<Value>) -> UnsafeMutablePointer<Stake<Value>> {
    switch links.position(of: ObjectIdentifier(cell)) {
    case .found(let link): return unsafe link.stake(of: Value.self)
    case .missing(let predecessor):
      let stake = unsafe place(in: cell)
      unsafe links.insert(StakeLink(stake), after: predecessor)
      return unsafe stake
    }
  }

  // In the room, or on the heap if it does not fit.
  @inlinable
  @inline(__always)
  mutating func place<Value>(in cell: Cell<Value>) -> UnsafeMutablePointer<Stake<Value>> {
    typealias Layout = MemoryLayout<Stake<Value>>
    let begin = unsafe free.alignedUp(for: Stake<Value>.self)
    let end = unsafe begin + Layout.size
    let fits = unsafe end <= room + Self.roomSize
    if fits { unsafe free = end }
    return unsafe (fits ? begin : .allocate(byteCount: Layout.size, alignment: Layout.alignment))
      .initializeMemory(as: Stake<Value>.self, to: Stake(in: cell, isAllocated: !fits))
  }

  /// Nothing of what was written is to take effect.
  @usableFromInline
  func discardWrites() {
    forEach { $0.stake.isWritten = false }
  }

  /// Publishes what was written if everything that was read is still current. False if the body must be run again.
  /// Either way nothing is staked any more.
  ///
  /// - Parameter room: Of who runs the transaction, and will leave it.
  @usableFromInline
  mutating func publish(from room: UnsafeMutableRawPointer) -> Bool {
    // Not a precondition: its message is lost in release builds.
    guard unsafe room == self.room else {
      fatalError("The body of a transaction exchanged it for another one.")
    }
    links.sort()
    while true {
      switch decided() {
      case .published:
        endContentions()
        forEach { link in
          guard let woken = unsafe link.stake.exchange.woken else { return }
          unsafe Woken(first: woken.takeRetainedValue()).wake()
        }
        releaseAll()
        return true
      case .deferred(let claim, let link):
        let cell = unsafe link.stake.cell.takeUnretainedValue()
        noteContention(in: cell) { $0.deferred(by: claim, in: cell) }
      case .outrun:
        var link = links.first
        while let current = link {
          let cell = unsafe current.stake.cell.takeUnretainedValue()
          noteContention(in: cell) { $0.outrun(in: cell) }
          link = current.stake.next
        }
        releaseAll()
        return false
      }
    }
  }

  private func decided() -> Outcome {
    forEach { $0.withCell { $0.lock.lock() } }
    defer { forEach { $0.withCell { $0.lock.unlock() } } }
    return decidedUnderLocks()
  }

  private func decidedUnderLocks() -> Outcome {
    var outcome = Outcome.published
    var isFinished = false
    forEach { link in
      link.withCell { cell in
        if unsafe cell.storedRoster.version != link.stake.version {
          outcome = .outrun
        } else if link.stake.isWritten {
          unsafe isFinished = isFinished || cell.storedRoster.isFinished
          if let claim = unsafe cell.storedRoster.claim, case .published = outcome,
            !claim.lets(writer(of: cell))
          {
            outcome = .deferred(claim, link)
          }
        }
      }
    }
    // All or nothing.
    guard case .published = outcome, !isFinished else { return outcome }
    var instant: Instant?
    forEach { link in
      guard link.stake.isWritten else { return }
      link.stake.exchange.instant = instant
      link.publish()
      instant = link.stake.exchange.instant
    }
    return .published
  }

  // While a stake is looked at, nobody else changes what comes after it.
  @inline(__always)
  private func forEach(_ body: (StakeLink) -> Void) {
    var link = links.first
    while let current = link {
      body(current)
      link = current.stake.next
    }
  }

  private mutating func releaseAll() {
    var link = links.removeAll()
    while let current = link {
      link = current.stake.next
      current.release()
    }
    unsafe free = room
  }
}

// One thread at a time.
@available(*, unavailable)
extension Stakes: Sendable {}

// MARK: - Others write too

extension Stakes {
  private mutating func noteContention(in cell: AnyCell, _ note: (inout Contention) -> Void) {
    note(&contentions[ObjectIdentifier(cell), default: (cell, Contention())].contention)
  }

  private func writer(of cell: AnyCell) -> Claim.Writer {
    contentions[ObjectIdentifier(cell)]?.contention.writer ?? .passerBy
  }

  // The transaction is over, one way or another.
  private func endContentions() {
    for (cell, contention) in contentions.values { contention.end(in: cell) }
  }
}
