/// What is left to be done when a cell's value was exchanged. It stands in memory that holds no references, so those that it
/// has are counted by hand.
@safe
@usableFromInline
package struct Exchange {
  /// The instant of the update, if one of the cells that are written at once has readers that compare instants.
  @usableFromInline var instant: Instant?
  /// The waiters that were taken out of the cell's list: to be woken after the lock.
  @usableFromInline var woken: Unmanaged<Waiter>?
  /// The update that was taken out of the cell's window: to be released after the lock.
  @usableFromInline var outdated: Unmanaged<AnyObject>?

  @inlinable
  init() {}
}

// It belongs to one thread at a time.
@available(*, unavailable)
extension Exchange: Sendable {}

extension Cell {
  /// Makes `value` the cell's value, and leaves the old one in its place. The first of several cells whose readers compare
  /// instants takes the instant.
  @inlinable
  @inline(__always)
  func exchangeWhileLocked(_ value: inout Value, _ exchange: inout Exchange) {
    if unsafe storedState.orderedReaders > 0, exchange.instant == nil { exchange.instant = .next() }
    let outcome = unsafe storedState.sent(&value, by: .impatient, at: exchange.instant, &storedRoster)
    unsafe publish(storedRoster.horizon)
    guard case .published(let woken, let outdated) = outcome else { return }
    if let first = woken.first { unsafe exchange.woken = .passRetained(first) }
    if let outdated { unsafe exchange.outdated = .passRetained(outdated) }
  }
}
