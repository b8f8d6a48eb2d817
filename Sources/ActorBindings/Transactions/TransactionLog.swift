/// What a transaction has read, and what it will write. The writes take effect at one instant, or not at all.
///
/// The entries of a small transaction are in the *buffer*: memory on the stack of the caller. So they need no
/// allocation.
@safe
@usableFromInline
package struct TransactionLog: ~Copyable {
  /// The size of the buffer in bytes: enough for half a dozen cells of small values.
  @inlinable static var bufferSize: Int { 512 }

  // The entries, which are found by the addresses of their cells. The transaction locks the cells in the order of these
  // addresses.
  @usableFromInline var links = AddressedList<TransactionEntryLink>()

  // The buffer exists until `publish` has returned. `publish` leaves no entry in it.
  @usableFromInline let buffer: UnsafeMutableRawPointer
  // The beginning of the free part of the buffer.
  @usableFromInline var free: UnsafeMutableRawPointer

  // The contention in each cell. A lost race counts for every cell that the run has named. A claim counts only for the
  // cell that has the claim.
  @usableFromInline var contentions: [ObjectIdentifier: (cell: AnyCell, contention: Contention)] = [:]

  @inlinable
  init(in buffer: UnsafeMutableRawPointer) {
    unsafe self.buffer = buffer
    unsafe free = buffer
  }

  /// The outcome of a run.
  private enum Outcome {
    case published
    /// Another writer got in between: run the body again.
    case outrun
    /// Another writer's claim on this cell goes first.
    case deferred(Claim, TransactionEntryLink)
  }

  /// Returns the entry of a cell. Makes the entry when the body names the cell for the first time.
  @inlinable
  mutating func entry<Value>(in cell: Cell<Value>) -> UnsafeMutablePointer<TransactionEntry<Value>> {
    switch links.position(of: ObjectIdentifier(cell)) {
    case .found(let link): return unsafe link.entry(of: Value.self)
    case .missing(let predecessor):
      let entry = unsafe allocateEntry(in: cell)
      unsafe links.insert(TransactionEntryLink(entry), after: predecessor)
      return unsafe entry
    }
  }

  // Makes an entry: in the buffer, or on the heap if it does not fit there.
  @inlinable
  @inline(__always)
  mutating func allocateEntry<Value>(in cell: Cell<Value>) -> UnsafeMutablePointer<TransactionEntry<Value>> {
    typealias Layout = MemoryLayout<TransactionEntry<Value>>
    let begin = unsafe free.alignedUp(for: TransactionEntry<Value>.self)
    let end = unsafe begin + Layout.size
    let fits = unsafe end <= buffer + Self.bufferSize
    if fits { unsafe free = end }
    return unsafe (fits ? begin : .allocate(byteCount: Layout.size, alignment: Layout.alignment))
      .initializeMemory(as: TransactionEntry<Value>.self, to: TransactionEntry(in: cell, isAllocated: !fits))
  }

  /// Discards all writes: none of them will take effect.
  @usableFromInline
  func discardWrites() {
    forEach { $0.entry.isWritten = false }
  }

  /// Publishes the writes if everything that the body has read is still current, and releases all entries.
  ///
  /// - Parameter buffer: The buffer of the caller that runs the transaction.
  /// - Returns: False if the caller must run the body again.
  @usableFromInline
  mutating func publish(from buffer: UnsafeMutableRawPointer) -> Bool {
    // Not a precondition, because release builds drop the message of a precondition.
    guard unsafe buffer == self.buffer else {
      fatalError("The body of a transaction exchanged it for another one.")
    }
    links.sort()
    while true {
      switch commit() {
      case .published:
        endContentions()
        forEach { link in
          guard let woken = unsafe link.entry.effects.woken else { return }
          unsafe Woken(first: woken.takeRetainedValue()).wake()
        }
        releaseAll()
        return true
      case .deferred(let claim, let link):
        let cell = unsafe link.entry.cell.takeUnretainedValue()
        noteContention(in: cell) { cell.wait(for: claim, &$0) }
      case .outrun:
        var link = links.first
        while let current = link {
          let cell = unsafe current.entry.cell.takeUnretainedValue()
          noteContention(in: cell) { cell.noteOutrun(&$0) }
          link = current.entry.next
        }
        releaseAll()
        return false
      }
    }
  }

  private func commit() -> Outcome {
    forEach { $0.withCell { $0.lockInOrder() } }
    defer { forEach { $0.withCell { $0.unlockInOrder() } } }
    return decidedWhileLocked()
  }

  private func decidedWhileLocked() -> Outcome {
    var outcome = Outcome.published
    var isFinished = false
    forEach { link in
      link.withCell { cell in
        if cell.rosterWhileLocked.version != link.entry.version {
          outcome = .outrun
        } else if link.entry.isWritten {
          isFinished = isFinished || cell.rosterWhileLocked.isFinished
          if let claim = cell.rosterWhileLocked.claim, case .published = outcome,
            !claim.lets(writer(of: cell))
          {
            outcome = .deferred(claim, link)
          }
        }
      }
    }
    // All or nothing.
    guard case .published = outcome, !isFinished else { return outcome }
    var instant: LogicalInstant?
    forEach { link in
      guard link.entry.isWritten else { return }
      link.entry.effects.instant = instant
      link.publishWhileLocked()
      instant = link.entry.effects.instant
    }
    return .published
  }

  // While `body` uses an entry, no other code changes the links after that entry.
  @inline(__always)
  private func forEach(_ body: (TransactionEntryLink) -> Void) {
    var link = links.first
    while let current = link {
      body(current)
      link = current.entry.next
    }
  }

  private mutating func releaseAll() {
    var link = links.removeAll()
    while let current = link {
      link = current.entry.next
      current.release()
    }
    unsafe free = buffer
  }
}

// The entries belong to one thread at a time.
@available(*, unavailable)
extension TransactionLog: Sendable {}

// MARK: - Contention

extension TransactionLog {
  private mutating func noteContention(in cell: AnyCell, _ note: (inout Contention) -> Void) {
    note(&contentions[ObjectIdentifier(cell), default: (cell, Contention())].contention)
  }

  private func writer(of cell: AnyCell) -> Claim.Writer {
    contentions[ObjectIdentifier(cell)]?.contention.writer ?? .ordinary
  }

  // The transaction is over, whatever its outcome: withdraws its claims.
  private func endContentions() {
    for (cell, contention) in contentions.values { cell.endContention(contention) }
  }
}
