public import Synchronization

/// The part of a chunk of the log that does not depend on the type of the values.
///
/// Each chunk holds the next chunk, and a reader holds the chunk that it read last. So a chunk lives as long as a
/// reader holds that chunk or an earlier chunk. A slot is known by its version. When the last chunk is small and full, and
/// all its slots are empty, it restarts: the writer gives its slots the next versions instead of adding a chunk.
///
/// A writer changes slots, `firstVersion` and `next` under the cell's lock. A reader may use them under that lock. Without
/// the lock, a reader may use only slots that it has still to pass or to clear, and `next` on the way to them, up to the
/// version that it has loaded from the cell's watermark.
// @unchecked: the rules above say which thread may access what. The count of a slot is atomic.
@usableFromInline
@safe
package class AnyLogChunk: @unchecked Sendable {
  /// What the log stores with each value.
  @usableFromInline
  struct SlotHeader: ~Copyable, Sendable {
    @usableFromInline let count = Atomic<UInt64>(0)
    /// The instant of the update; `unordered` if no reader compared instants at the time of the update.
    @usableFromInline var instant = LogicalInstant.unordered

    @inlinable
    init() {}
  }

  /// The version of the first slot. A writer changes it only while all slots are empty. A slot that a reader has still to
  /// pass or to clear is not empty, so the version does not change while a reader uses the chunk.
  @exclusivity(unchecked) @usableFromInline final var storedFirstVersion: UInt64
  @usableFromInline package final let capacity: Int
  @usableFromInline final let headers: UnsafeMutablePointer<SlotHeader>
  // A writer sets it once, under the cell's lock, before any reader learns of the next chunk. So accesses do not
  // overlap.
  @exclusivity(unchecked) @usableFromInline final var storedNext: AnyLogChunk?
  /// Whether this chunk holds only the value with which some readers began. The next chunk was there before.
  @usableFromInline final let isStart: Bool

  @inlinable
  init(
    from firstVersion: UInt64,
    capacity: Int,
    headers: UnsafeMutablePointer<SlotHeader>,
    before next: AnyLogChunk?
  ) {
    unsafe storedFirstVersion = firstVersion
    self.capacity = capacity
    unsafe self.headers = unsafe headers
    unsafe storedNext = next
    isStart = next != nil
    for index in 0..<capacity { unsafe (headers + index).initialize(to: SlotHeader()) }
  }

  @inlinable
  @inline(__always)
  package final var firstVersion: UInt64 { unsafe storedFirstVersion }

  // Frees a long backlog in a loop, not by nested releases.
  deinit {
    var rest = unsafe storedNext.take()
    while rest != nil, isKnownUniquelyReferenced(&rest) {
      // Another reader may have released this chunk just now, and may have seen a `next` that this thread has not seen
      // yet. On ARM the check for a unique reference is a relaxed load. The fence orders the following reads after that
      // load.
      atomicMemoryFence(ordering: .acquiring)
      let following = unsafe rest?.storedNext.take()
      rest = following
    }
  }

  /// Releases the value of a slot that is finished. Never called under a lock.
  package func clear(_ version: UInt64) {
    preconditionFailure("\(type(of: self)) does not know its values")
  }
}

// MARK: - Restarting

extension AnyLogChunk {
  /// Gives the slots of this chunk the versions from `version` on, if the chunk is small and all its slots are empty.
  /// Returns whether it did. The chunk is the last of the log, and full.
  ///
  /// The problem: if the readers keep up, allocating a chunk for every few updates costs more than the rest of the log's
  /// work. All readers of an empty slot have passed it, and its value is gone. So if all slots are empty, no thread uses
  /// the chunk until it loads a later version from the watermark, which the caller publishes after this change. It is not
  /// enough to look at the last slot: another thread may still be about to clear an earlier one. A large chunk never
  /// restarts: it would hold its memory after the readers have caught up.
  @usableFromInline
  package final func restartedWhileLocked(at version: UInt64) -> Bool {
    if capacity > Self.smallestCapacity { return false }
    SchedulePoint.pass()
    for index in 0..<capacity where unsafe headers[index].count.load(ordering: .acquiring) != 0 {
      return false
    }
    unsafe storedFirstVersion = version
    return true
  }

  /// The number of slots of a small chunk. The first chunk of a log, and chunks of large values, may have fewer.
  @inlinable static var smallestCapacity: Int { 4 }
}

// MARK: - The readers of a slot

extension AnyLogChunk {
  @inlinable
  @inline(__always)
  final func index(of version: UInt64) -> Int {
    Int(truncatingIfNeeded: version &- firstVersion)
  }

  /// Whether the slot of `version` is in this chunk, and not in a later chunk.
  @inlinable
  @inline(__always)
  package final func holds(_ version: UInt64) -> Bool { index(of: version) < capacity }

  /// Returns the chunk that has the slot of `version`: this chunk, or a later one.
  @usableFromInline
  final func chunk(with version: UInt64) -> AnyLogChunk {
    var chunk = self
    while !chunk.holds(version) {
      guard let next = unsafe chunk.storedNext else {
        preconditionFailure("the log ends before version \(version)")
      }
      chunk = next
    }
    return chunk
  }

  /// The readers that have still to pass the slot.
  @inlinable
  @inline(__always)
  package final func count(of version: UInt64) -> SlotCount {
    SchedulePoint.pass()
    return unsafe SlotCount(rawValue: headers[index(of: version)].count.load(ordering: .acquiring))
  }

  /// The instant of the update in the slot.
  @inlinable
  package final func instant(of version: UInt64) -> LogicalInstant {
    unsafe headers[index(of: version)].instant
  }

  /// The instant of an update in this chunk, or in a later one.
  @inlinable
  package final func instantInLog(of version: UInt64) -> LogicalInstant {
    holds(version) ? instant(of: version) : chunk(with: version).instant(of: version)
  }

  /// The only reader of the newest slot passes it, unless another reader has joined just now. If so, returns false. The
  /// slot is finished, and the caller takes its value out.
  @inlinable
  package final func claimed(_ version: UInt64, _ weight: UInt32) -> Bool {
    SchedulePoint.pass()
    return unsafe headers[index(of: version)].count.compareExchange(
      expected: SlotCount(pending: weight).rawValue,
      desired: SlotCount.claimed.rawValue,
      ordering: .acquiring
    ).exchanged
  }

  /// A reader has passed the slot. Returns whether the slot is finished. If so, adds the departed readers to `weight`,
  /// and the caller must clear the slot.
  ///
  /// - Parameter isNewest: Whether this may be the newest slot, which another reader may join.
  @inlinable
  package final func passed(_ version: UInt64, _ weight: inout UInt32, isNewest: Bool) -> Bool {
    if !isNewest, count(of: version) == SlotCount(pending: weight) { return true }
    SchedulePoint.pass()
    let (_, new) = unsafe headers[index(of: version)].count
      .wrappingSubtract(SlotCount.passed(weight), ordering: .acquiringAndReleasing)
    let count = SlotCount(rawValue: new)
    if !count.isFinished { return false }
    weight &+= count.departed
    return true
  }

  /// A reader that has not passed the slot has left. Returns nil if other readers have still to pass the slot.
  /// Otherwise the slot is finished: returns the weight of all departed readers, and the caller must clear the slot.
  @usableFromInline
  package final func departed(_ version: UInt64, _ weight: UInt32) -> UInt32? {
    SchedulePoint.pass()
    let (_, new) = unsafe headers[index(of: version)].count
      .wrappingAdd(SlotCount.departed(weight), ordering: .acquiringAndReleasing)
    let count = SlotCount(rawValue: new)
    return count.isFinished ? count.departed : nil
  }

  /// A reader joins at the slot, which is the newest. Returns false if the slot is finished: then its value is gone.
  @usableFromInline
  package final func joinedWhileLocked(_ version: UInt64) -> Bool {
    var count = count(of: version)
    while !count.isFinished {
      let (isJoined, found) = unsafe headers[index(of: version)].count.compareExchange(
        expected: count.rawValue,
        desired: count.rawValue &+ 1,
        ordering: .relaxed
      )
      if isJoined { return true }
      count = SlotCount(rawValue: found)
    }
    return false
  }
}
