/// What a transaction has read of one cell, and what it makes of it.
// @unchecked: the transaction's own, and of one thread at a time. So its variables need not be checked for overlapping
// accesses.
@usableFromInline
package class AnyStake: @unchecked Sendable {
  @usableFromInline final let cell: AnyCell
  @usableFromInline final let version: UInt64
  @exclusivity(unchecked) @usableFromInline final var isWritten = false

  // The one whose cell is locked next.
  @exclusivity(unchecked) @usableFromInline final var next: StakeLink?
  // Whom the publication took out of the cell's list.
  @exclusivity(unchecked) @usableFromInline final var woken: Waiter?

  /// Makes what was written the cell's value, under the lock. The instant is taken when the first of several cells asks
  /// for it. A stored function, because a method that is found through a generic class's table is not specialized.
  @usableFromInline final let publish: (AnyStake, inout Instant?) -> Void

  @inlinable
  init(_ cell: AnyCell, version: UInt64, publish: @escaping (AnyStake, inout Instant?) -> Void) {
    self.cell = cell
    self.version = version
    self.publish = publish
  }
}

/// What a transaction has read of one cell, and what it makes of it.
@usableFromInline
package final class Stake<Value: Sendable>: AnyStake, @unchecked Sendable {
  // What was read, or is to be written; after the publication what was there before.
  @exclusivity(unchecked) @usableFromInline var value: Value
  @exclusivity(unchecked) @usableFromInline var outdated: LogNode<Value>?

  @inlinable
  init(_ cell: Cell<Value>) {
    let draft = cell.locked { $0.draft($1) }
    unsafe value = draft.value
    super.init(cell, version: draft.version) { stake, instant in
      let stake = unsafe unsafeDowncast(stake, to: Stake<Value>.self)
      let cell = unsafe unsafeDowncast(stake.cell, to: Cell<Value>.self)
      if unsafe cell.storedState.orderedReaders > 0, instant == nil { instant = .next() }
      let outcome = unsafe cell.storedState.sent(
        &stake.value,
        by: .impatient,
        at: instant,
        &cell.storedRoster
      )
      guard case .published(let woken, let outdated) = outcome else { return }
      unsafe stake.woken = woken.first
      unsafe stake.outdated = outdated
      unsafe cell.publish(cell.storedRoster.horizon)
    }
  }
}

/// A reference to a stake that is counted once, by the transaction, and not when it is followed.
@safe
@usableFromInline
package struct StakeLink: @unchecked Sendable {
  @usableFromInline let stake: Unmanaged<AnyStake>

  @inlinable
  init(retaining stake: AnyStake) {
    unsafe self.stake = .passRetained(stake)
  }

  @inlinable
  @inline(__always)
  func withStake<Result>(_ body: (AnyStake) -> Result) -> Result {
    unsafe stake._withUnsafeGuaranteedRef(body)
  }
}
