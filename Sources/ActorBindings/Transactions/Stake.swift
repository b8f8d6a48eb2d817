/// The part of a stake that does not depend on the type of the value.
@safe
@usableFromInline
package struct AnyStake: ~Copyable {
  // The initializer retains the cell once. Later uses of this reference do not count it.
  @usableFromInline let cell: Unmanaged<AnyCell>
  @usableFromInline let version: UInt64
  @usableFromInline var isWritten = false
  // Whether the stake is on the heap, because the stack had no room for it.
  @usableFromInline let isAllocated: Bool

  // The stake whose cell is locked next.
  @usableFromInline var next: StakeLink?
  // The address of the value, once the stake has its place in memory.
  @usableFromInline var value: UnsafeMutableRawPointer?
  // What the transaction still has to do after the publication.
  @usableFromInline var exchange = Exchange()

  @inlinable
  init(retaining cell: AnyCell, version: UInt64, isAllocated: Bool) {
    unsafe self.cell = .passRetained(cell)
    self.version = version
    self.isAllocated = isAllocated
  }
}

/// What a transaction has read of one cell, and what it will write there.
@usableFromInline
package struct Stake<Value: Sendable>: ~Copyable {
  // The first stored property, so a pointer to the stake is also a pointer to this.
  @usableFromInline var base: AnyStake
  // The value that the transaction has read, or will write. After the publication: the cell's old value.
  @usableFromInline var value: Value

  @inlinable
  @inline(__always)
  init(in cell: Cell<Value>, isAllocated: Bool) {
    let draft = cell.locked { $0.draft($1) }
    value = draft.value
    base = AnyStake(retaining: cell, version: draft.version, isAllocated: isAllocated)
  }
}

/// A pointer to a stake, as a link of an `AddressedList`. Its address is the address of the cell.
@safe
@usableFromInline
package struct StakeLink: AddressedLink {
  @usableFromInline let place: UnsafeMutablePointer<AnyStake>

  @inlinable
  init<Value>(_ place: UnsafeMutablePointer<Stake<Value>>) {
    unsafe self.place = UnsafeMutableRawPointer(place).assumingMemoryBound(to: AnyStake.self)
    // The value does not move until the stake is released.
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

  /// Calls `body` with the cell, without counting a reference: the stake holds its cell.
  @inlinable
  @inline(__always)
  func withCell<Result>(_ body: (AnyCell) -> Result) -> Result {
    unsafe stake.cell._withUnsafeGuaranteedRef(body)
  }

  /// Makes the written value the value of the cell. Under the locks of all cells of the transaction.
  func publish() {
    guard let value = unsafe stake.value else { return }
    withCell { unsafe $0.exchangeValueWhileLocked(at: value, &stake.exchange) }
  }

  /// Ends the stake, and releases what it holds. Never under a lock.
  func release() {
    let (cell, outdated, isAllocated) = unsafe (stake.cell, stake.exchange.outdated, stake.isAllocated)
    if let value = unsafe stake.value { withCell { unsafe $0.destroyValue(at: value) } }
    if isAllocated { unsafe place.deallocate() }
    unsafe outdated?.release()
    unsafe cell.release()
  }
}

// A stake belongs to one transaction, and so to one thread at a time.
@available(*, unavailable)
extension AnyStake: Sendable {}

@available(*, unavailable)
extension Stake: Sendable {}

@available(*, unavailable)
extension StakeLink: Sendable {}
