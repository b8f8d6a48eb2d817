/// What a transaction has read of one cell, and what it makes of it: that of it which does not depend on the type of
/// the value.
@safe
@usableFromInline
package struct AnyStake: ~Copyable {
  // Counted once, by who placed this stake, and not when it is looked at.
  @usableFromInline let cell: Unmanaged<AnyCell>
  @usableFromInline let version: UInt64
  @usableFromInline var isWritten = false
  // On the heap, because there was no room.
  @usableFromInline let isAllocated: Bool

  // The one whose cell is locked next.
  @usableFromInline var next: StakeLink?
  // When this is published, if any of these cells has readers who compare.
  @usableFromInline var instant: Instant?

  // What the publication leaves to be done, counted by hand too. Whom it took out of the cell's list:
  @usableFromInline var woken: Unmanaged<Waiter>?
  // The update that it took out of the cell's window:
  @usableFromInline var outdated: Unmanaged<AnyObject>?

  @inlinable
  init(retaining cell: AnyCell, version: UInt64, isAllocated: Bool) {
    unsafe self.cell = .passRetained(cell)
    self.version = version
    self.isAllocated = isAllocated
  }
}

/// What a transaction has read of one cell, and what it makes of it.
@usableFromInline
package struct Stake<Value: Sendable>: ~Copyable {
  // First of all, so that a link to it is one to the stake.
  @usableFromInline var base: AnyStake
  // What was read, or is to be written; after the publication what was there before.
  @usableFromInline var value: Value

  @inlinable
  @inline(__always)
  init(in cell: Cell<Value>, isAllocated: Bool) {
    let draft = cell.locked { $0.draft($1) }
    value = draft.value
    base = AnyStake(retaining: cell, version: draft.version, isAllocated: isAllocated)
  }

  /// Makes what was written the cell's value, under the lock. The instant is taken when the first of several cells asks
  /// for it.
  @inlinable
  @inline(__always)
  mutating func publish(in cell: Cell<Value>) {
    if unsafe cell.storedState.orderedReaders > 0, base.instant == nil { base.instant = .next() }
    let outcome = unsafe cell.storedState.sent(&value, by: .impatient, at: base.instant, &cell.storedRoster)
    unsafe cell.publish(cell.storedRoster.horizon)
    guard case .published(let woken, let outdated) = outcome else { return }
    if let first = woken.first { unsafe base.woken = .passRetained(first) }
    if let outdated { unsafe base.outdated = .passRetained(outdated) }
  }
}

/// Where a stake is. Its address is that of its cell.
@safe
@usableFromInline
package struct StakeLink: AddressedLink {
  @usableFromInline let place: UnsafeMutablePointer<AnyStake>

  @inlinable
  init<Value>(_ place: UnsafeMutablePointer<Stake<Value>>) {
    unsafe self.place = UnsafeMutableRawPointer(place).assumingMemoryBound(to: AnyStake.self)
  }

  @inlinable
  @inline(__always)
  var stake: AnyStake {
    _read { yield unsafe place.pointee }
    nonmutating _modify { yield unsafe &place.pointee }
  }

  @inlinable package var address: ObjectIdentifier {
    @inline(__always) get { withCell { ObjectIdentifier($0) } }
  }

  @inlinable package var next: StakeLink? {
    @inline(__always) get { stake.next }
    @inline(__always) nonmutating set { stake.next = newValue }
  }

  @inlinable
  @inline(__always)
  func stake<Value>(of type: Value.Type) -> UnsafeMutablePointer<Stake<Value>> {
    unsafe UnsafeMutableRawPointer(place).assumingMemoryBound(to: Stake<Value>.self)
  }

  /// Without counting references: the stake holds its cell.
  @inlinable
  @inline(__always)
  func withCell<Result>(_ body: (AnyCell) -> Result) -> Result {
    unsafe stake.cell._withUnsafeGuaranteedRef(body)
  }

  /// Gives the stake up, and what it holds. Never under a lock.
  func release() {
    let (cell, outdated, isAllocated) = unsafe (stake.cell, stake.outdated, stake.isAllocated)
    withCell { $0.release(self) }
    if isAllocated { unsafe place.deallocate() }
    unsafe outdated?.release()
    unsafe cell.release()
  }
}

// Of one transaction, and so of one thread at a time.
@available(*, unavailable)
extension AnyStake: Sendable {}

@available(*, unavailable)
extension Stake: Sendable {}

@available(*, unavailable)
extension StakeLink: Sendable {}
