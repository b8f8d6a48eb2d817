internal import Synchronization

/// The readers that have still to pass one slot of the log, as a number in one atomic word.
///
/// The problem: the last reader that passes a slot must release its value, and leaving must take constant time, however
/// many slots the reader that leaves has not read. If each slot counted its readers, a reader that leaves would have to
/// visit all these slots. With a reference count of the readers that *stand* at a slot, leaving takes constant time, but
/// then each step to the next slot changes two words. So the readers that stay count for a reader that has left: the
/// reader that has left stays behind as *departed* in the slot where it stood. The last reader that passes this slot
/// takes it along: from here on that reader has a larger *weight*, and each later slot counts it by its weight.
///
/// ### States
/// - *empty*: no update is stored here yet, or its value is gone. Only then may a writer store another update.
/// - *pending*: readers have still to pass the slot. The count is the sum of their weights.
/// - *finished*: only departed readers are left. The thread that has finished the slot is about to take its value out.
///
/// ### Transitions
/// | event | empty | pending | finished |
/// |---|---|---|---|
/// | `written` | pending, by the sum of the weights of all readers | – | – |
/// | `joined` | – | one more; only in the newest slot, under the cell's lock | – |
/// | `passed` | – | less by the weight of the reader; finished if only departed readers are left | – |
/// | `claimed` | – | finished, if the reader is the only one; only for the newest slot | – |
/// | `departed` | – | the reader's weight counts as departed; finished if no other reader is left | – |
/// | `cleared` | – | – | empty |
///
/// ### Actions
/// The thread whose event has finished a slot releases the value, and takes the departed readers along: a reader adds
/// them to its weight, and a `LogDeparture` moves them to the next slot.
@usableFromInline
package struct SlotCount: RawRepresentable, Equatable, Sendable {
  /// The weight of all pending readers in the lower half, and of the departed readers among them in the upper half. The
  /// highest bit says that the slot is not empty: a finished slot has a value too, though no reader may be left.
  @usableFromInline package let rawValue: UInt64

  @inlinable
  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The count of a slot that readers with this weight have still to pass.
  @inlinable
  package init(pending weight: UInt32) {
    rawValue = Self.occupied | UInt64(weight)
  }

  @inlinable static var occupied: UInt64 { 1 &<< 63 }

  @inlinable
  package static var empty: SlotCount { SlotCount(rawValue: 0) }

  /// The count of a slot that its only reader has claimed.
  @inlinable static var claimed: SlotCount { SlotCount(pending: 0) }

  /// The weight of the readers that have not passed the slot, including the departed ones.
  @inlinable
  package var pending: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

  /// The weight of the readers that have left at this slot.
  @inlinable
  package var departed: UInt32 { UInt32(truncatingIfNeeded: (rawValue & ~Self.occupied) &>> 32) }

  /// Whether no reader will pass the slot any more.
  @inlinable
  package var isFinished: Bool { pending == departed }

  /// The number to subtract when a reader has passed the slot.
  @inlinable
  static func passed(_ weight: UInt32) -> UInt64 { UInt64(weight) }

  /// The number to add when a reader has left at the slot.
  @inlinable
  static func departed(_ weight: UInt32) -> UInt64 { UInt64(weight) &<< 32 }
}
