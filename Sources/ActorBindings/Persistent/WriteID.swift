internal import Synchronization

/// The identity of a dictionary entry or a list slot: the number of one write, which no other write in this process
/// has.
///
/// Two entries with the same write ID are copies of one entry: they have the same key and the same value. Two slots
/// with the same write ID are copies of one slot.
@usableFromInline
package struct WriteID: Hashable, Sendable {
  @usableFromInline let number: UInt64

  @inlinable
  package init(_ number: UInt64) {
    self.number = number
  }
}

/// The supply of write IDs of one storage.
///
/// A storage takes write IDs in batches from a counter that all storages share, so writers seldom contend for the
/// counter. A copy of a storage begins without write IDs: it does not take over the unused write IDs of the original.
/// So no two storages ever hand out the same write ID.
@usableFromInline
struct WriteIDSupply: Sendable {
  @usableFromInline var next: UInt64 = 0
  @usableFromInline var end: UInt64 = 0

  @inlinable
  init() {}

  @inlinable
  mutating func take() -> WriteID {
    if next == end { refill() }
    defer { next &+= 1 }
    return WriteID(next)
  }

  // At ten million batches a second the counter lasts for two centuries.
  @usableFromInline
  mutating func refill() {
    let batch: UInt64 = 256
    next = Self.counter.add(batch, ordering: .relaxed).oldValue
    end = next + batch
  }

  private static let counter = Atomic<UInt64>(0)
}
