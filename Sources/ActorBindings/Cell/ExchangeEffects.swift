/// What a transaction still has to do after it has exchanged a cell's value.
///
/// A transaction stores this value in raw memory, and never deinitializes it. So the references in it are `Unmanaged`:
/// they are retained and released by hand.
@safe
@usableFromInline
package struct ExchangeEffects {
  /// The instant of the transaction's writes; nil if the transaction has not yet come to a cell whose readers compare
  /// instants.
  @usableFromInline var instant: LogicalInstant?
  /// The waiters that the update took out of the cell's list. The transaction wakes them after the lock.
  @usableFromInline var woken: Unmanaged<Waiter>?
  /// The update that the cell's window no longer holds. The transaction releases it after the lock.
  @usableFromInline var outdated: Unmanaged<AnyObject>?

  @inlinable
  init() {}
}

// A value of this type belongs to one thread at a time.
@available(*, unavailable)
extension ExchangeEffects: Sendable {}

extension Cell {
  /// Makes `value` the cell's value. Afterwards `value` holds the old value.
  ///
  /// All writes of a transaction have one instant. The transaction advances the logical clock when it comes to the
  /// first cell whose readers compare instants.
  @inlinable
  @inline(__always)
  func exchangeWhileLocked(_ value: inout Value, _ effects: inout ExchangeEffects) {
    if unsafe storedState.orderedReaders > 0, effects.instant == nil { effects.instant = .next() }
    let outcome = unsafe storedState.sent(&value, by: .insistent, at: effects.instant, &storedRoster)
    unsafe publishWhileLocked(storedRoster.watermark)
    guard case .published(let woken, let outdated) = outcome else { return }
    if let first = woken.first { unsafe effects.woken = .passRetained(first) }
    if let outdated { unsafe effects.outdated = .passRetained(outdated) }
  }
}
