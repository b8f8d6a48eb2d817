internal import Synchronization

/// What tells one write of an entry from all others, in this process: the identity of an entry.
///
/// Two entries with the same mark are copies of one: they have the same key and the same value.
@usableFromInline
package struct EntryMark: Hashable, Sendable {
  @usableFromInline let number: UInt64

  @inlinable
  init(_ number: UInt64) {
    self.number = number
  }
}

/// Where the marks of one storage come from.
///
/// They are taken from a counter that all share, so many at a time that writers seldom meet there. Whoever copies a
/// storage leaves its marks behind and begins with none: so no two ever hand out the same mark, whatever becomes of
/// the copies.
@usableFromInline
struct EntryMarks: Sendable {
  @usableFromInline var next: UInt64 = 0
  @usableFromInline var end: UInt64 = 0

  @inlinable
  init() {}

  @inlinable
  mutating func take() -> EntryMark {
    if next == end { refill() }
    defer { next &+= 1 }
    return EntryMark(next)
  }

  // Ten million batches a second would last for two centuries.
  @usableFromInline
  mutating func refill() {
    let batch: UInt64 = 256
    next = Self.counter.add(batch, ordering: .relaxed).oldValue
    end = next + batch
  }

  private static let counter = Atomic<UInt64>(0)
}
