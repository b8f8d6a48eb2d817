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
  // Where the value stands, once the stake has its place.
  @usableFromInline var value: UnsafeMutableRawPointer?
  // What the publication leaves to be done.
  @usableFromInline var exchange = Exchange()

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
}

/// Where a stake is. Its address is that of its cell.
@safe
@usableFromInline
package struct StakeLink: AddressedLink {
  @usableFromInline let place: UnsafeMutablePointer<AnyStake>

  @inlinable
  init<Value>(_ place: UnsafeMutablePointer<Stake<Value>>) {
    unsafe self.place = UnsafeMutableRawPointer(place).assumingMemoryBound(to: AnyStake.self)
    // It stays where it is until the stake is released.
    unsafe stake.value = withUnsafeMutablePointer(to: &place.pointee.value) { UnsafeMutableRawPointer($0) }
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

  /// Makes what was written the value of the cell. Under the locks of all cells of the transaction.
  func publish() {
    guard let value = unsafe stake.value else { return }
    withCell { unsafe $0.exchangeValueWhileLocked(at: value, &stake.exchange) }
  }

  /// Gives the stake up, and what it holds. Never under a lock.
  func release() {
    let (cell, outdated, isAllocated) = unsafe (stake.cell, stake.exchange.outdated, stake.isAllocated)
    if let value = unsafe stake.value { withCell { unsafe $0.destroyValue(at: value) } }
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
