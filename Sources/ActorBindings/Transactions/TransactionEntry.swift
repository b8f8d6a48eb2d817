/// The part of an entry that does not depend on the type of the value.
@safe
@usableFromInline
package struct AnyTransactionEntry: ~Copyable {
  // The initializer retains the cell once. Later uses do not retain it again.
  @usableFromInline let cell: Unmanaged<AnyCell>
  @usableFromInline let version: UInt64
  @usableFromInline var isWritten = false
  // Whether the entry is on the heap, because the buffer on the stack had no room for it.
  @usableFromInline let isAllocated: Bool

  // The entry whose cell is locked next.
  @usableFromInline var next: TransactionEntryLink?
  // The address of the value, once the entry has its place in memory.
  @usableFromInline var value: UnsafeMutableRawPointer?
  // What the transaction still has to do after the publication.
  @usableFromInline var effects = ExchangeEffects()

  @inlinable
  init(retaining cell: AnyCell, version: UInt64, isAllocated: Bool) {
    unsafe self.cell = .passRetained(cell)
    self.version = version
    self.isAllocated = isAllocated
  }
}

/// What a transaction has read of one cell, and what it will write there.
@usableFromInline
package struct TransactionEntry<Value: Sendable>: ~Copyable {
  // The first stored property, so a pointer to the entry is also a pointer to this property.
  @usableFromInline var base: AnyTransactionEntry
  // The value that the transaction has read, or will write. After the publication: the cell's old value.
  @usableFromInline var value: Value

  @inlinable
  @inline(__always)
  init(in cell: Cell<Value>, isAllocated: Bool) {
    let draft = cell.draft
    value = draft.value
    base = AnyTransactionEntry(retaining: cell, version: draft.version, isAllocated: isAllocated)
  }
}

/// A pointer to an entry, as a link of an `AddressedList`. The address of the link is the address of the cell.
@safe
@usableFromInline
package struct TransactionEntryLink: AddressedLink {
  @usableFromInline let pointer: UnsafeMutablePointer<AnyTransactionEntry>

  @inlinable
  init<Value>(_ pointer: UnsafeMutablePointer<TransactionEntry<Value>>) {
    unsafe self.pointer = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: AnyTransactionEntry.self)
    // The value does not move until the entry is released.
    unsafe entry.value = withUnsafeMutablePointer(to: &pointer.pointee.value) { UnsafeMutableRawPointer($0) }
  }

  @inlinable
  @inline(__always)
  var entry: AnyTransactionEntry {
    _read { yield unsafe pointer.pointee }
    nonmutating _modify { yield unsafe &pointer.pointee }
  }

  @inlinable package var address: ObjectIdentifier {
    @inline(__always) get { withCell { ObjectIdentifier($0) } }
  }

  @inlinable package var next: TransactionEntryLink? {
    @inline(__always) get { entry.next }
    @inline(__always) nonmutating set { entry.next = newValue }
  }

  @inlinable
  @inline(__always)
  func entry<Value>(of type: Value.Type) -> UnsafeMutablePointer<TransactionEntry<Value>> {
    unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: TransactionEntry<Value>.self)
  }

  /// Calls `body` with the cell, without counting a reference: the entry holds its cell.
  @inlinable
  @inline(__always)
  func withCell<Result>(_ body: (AnyCell) -> Result) -> Result {
    unsafe entry.cell._withUnsafeGuaranteedRef(body)
  }

  /// Makes the written value the value of the cell. Called while the transaction holds the locks of all its cells.
  func publishWhileLocked() {
    guard let value = unsafe entry.value else { return }
    withCell { unsafe $0.exchangeValueWhileLocked(at: value, &entry.effects) }
  }

  /// Ends the entry, and releases what it holds. Never called under a lock.
  func release() {
    let (cell, outdated, isAllocated) = unsafe (entry.cell, entry.effects.outdated, entry.isAllocated)
    if let value = unsafe entry.value { withCell { unsafe $0.destroyValue(at: value) } }
    if isAllocated { unsafe pointer.deallocate() }
    unsafe outdated?.release()
    unsafe cell.release()
  }
}

// An entry belongs to one transaction, and so to one thread at a time.
@available(*, unavailable)
extension AnyTransactionEntry: Sendable {}

@available(*, unavailable)
extension TransactionEntry: Sendable {}

@available(*, unavailable)
extension TransactionEntryLink: Sendable {}
