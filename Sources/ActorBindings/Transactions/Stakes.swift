/// What a transaction has read, and what it will write. The writes take effect at one instant, or not at all.
///
/// The stakes of a small transaction are in memory on the stack of its caller, the *room*, so they need no allocation.
@safe
@usableFromInline
package struct Stakes: ~Copyable {
  /// The size of the room in bytes: enough for half a dozen cells of small values.
  @inlinable static var roomSize: Int { 512 }

  // The stakes, by the addresses of their cells. The transaction locks the cells in this order.
  @usableFromInline var links = AddressedList<StakeLink>()

  // The room exists until `publish` has returned. `publish` leaves no stake in it.
  @usableFromInline let room: UnsafeMutableRawPointer
  // The beginning of the free part of the room.
  @usableFromInline var free: UnsafeMutableRawPointer

  // The contention in each cell. A lost race counts for every cell that the run has named, a claim only for the cell that
  // has it.
  @usableFromInline var contentions: [ObjectIdentifier: (cell: AnyCell, contention: Contention)] = [:]

  @inlinable
  init(in room: UnsafeMutableRawPointer) {
    unsafe self.room = room
    unsafe free = room
  }

  /// The outcome of a run.
  private enum Outcome {
    case published
    /// Another writer got in between: run the body again.
    case outrun
    /// Another writer's claim on this cell goes first.
    case deferred(Claim, StakeLink)
  }

  /// Returns the stake in a cell. There is one stake for each cell that the body names.
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

  // Makes a stake: in the room, or on the heap if it does not fit there.
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

  /// Discards all writes: none of them will take effect.
  @usableFromInline
  func discardWrites() {
    forEach { $0.stake.isWritten = false }
  }

  /// Publishes the writes if everything that the body has read is still current, and releases all stakes.
  ///
  /// - Parameter room: The room of the caller that runs the transaction.
  /// - Returns: False if the caller must run the body again.
  @usableFromInline
  mutating func publish(from room: UnsafeMutableRawPointer) -> Bool {
    // Not a precondition: release builds drop its message.
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

  // While `body` uses a stake, no other code changes the links after it.
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

// The stakes belong to one thread at a time.
@available(*, unavailable)
extension Stakes: Sendable {}

// MARK: - Others write too

extension Stakes {
  private mutating func noteContention(in cell: AnyCell, _ note: (inout Contention) -> Void) {
    note(&contentions[ObjectIdentifier(cell), default: (cell, Contention())].contention)
  }

  private func writer(of cell: AnyCell) -> Claim.Writer {
    contentions[ObjectIdentifier(cell)]?.contention.writer ?? .ordinary
  }

  // The transaction is over, whatever its outcome: withdraws its claims.
  private func endContentions() {
    for (cell, contention) in contentions.values { contention.end(in: cell) }
  }
}
