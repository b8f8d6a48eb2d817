public import Synchronization

/// Some consecutive updates in the log that unbounded readers share: up to 64 slots, each with a value.
///
/// The problem: an object for each update costs an allocation, and each reader that steps from one object to the next
/// changes two reference counts. So one allocation holds the slots of many updates, and a reader steps from slot to
/// slot by its version. A chunk is freed when all readers have left it. But one value may be large, so it must not wait
/// for that: each slot counts the readers that have still to pass it (see `SlotCount`), and the last of them moves the
/// value out. A reader that finds itself the only one needs no atomic change for this: it loads the count, and stores
/// that the slot is empty.
@usableFromInline
@safe
package final class LogChunk<Value: Sendable>: AnyLogChunk, @unchecked Sendable {
  @usableFromInline let values: UnsafeMutablePointer<Value>

  /// Creates a chunk without updates.
  ///
  /// - Parameter next: The chunk that continues the log, if this chunk holds only the value with which a reader begins.
  @inlinable
  package init(from firstVersion: UInt64, capacity: Int, before next: LogChunk? = nil) {
    let room = UnsafeMutableRawPointer.allocate(
      byteCount: Self.offset(capacity) + capacity * MemoryLayout<Value>.stride,
      alignment: max(MemoryLayout<SlotHeader>.alignment, MemoryLayout<Value>.alignment)
    )
    unsafe values = unsafe (room + Self.offset(capacity)).bindMemory(to: Value.self, capacity: capacity)
    unsafe super.init(
      from: firstVersion,
      capacity: capacity,
      headers: room.bindMemory(to: SlotHeader.self, capacity: capacity),
      before: next
    )
  }

  /// Creates a chunk with one slot, which holds the value with which one reader begins.
  @inlinable
  package convenience init(start value: Value, at version: UInt64, before next: LogChunk? = nil) {
    self.init(from: version, capacity: 1, before: next)
    writtenWhileLocked(value, version, pending: 1)
  }

  @inlinable
  deinit {
    for index in 0..<capacity where unsafe headers[index].count.load(ordering: .acquiring) != 0 {
      unsafe (values + index).deinitialize(count: 1)
    }
    unsafe UnsafeMutableRawPointer(headers).deallocate()
  }

  // The distance of the values from the headers.
  @inlinable
  static func offset(_ capacity: Int) -> Int {
    let alignment = MemoryLayout<Value>.alignment
    return (capacity * MemoryLayout<SlotHeader>.stride + alignment - 1) & ~(alignment - 1)
  }

  @inlinable
  package var next: LogChunk? {
    get { unsafe storedNext.map { unsafe unsafeDowncast($0, to: LogChunk.self) } }
    set { unsafe storedNext = newValue }
  }

  /// Returns the chunk that has the slot of `version`: this chunk, or a later one.
  @inlinable
  package func holding(_ version: UInt64) -> LogChunk {
    unsafe unsafeDowncast(chunk(with: version), to: LogChunk.self)
  }

  package override func clear(_ version: UInt64) { cleared(version) }
}

// MARK: - Writing

extension LogChunk {
  /// Stores an update in an empty slot.
  ///
  /// - Parameter weight: The sum of the weights of all readers of the log.
  @inlinable
  @inline(__always)
  package func writtenWhileLocked(
    _ value: Value,
    at instant: LogicalInstant = .unordered,
    _ version: UInt64,
    pending weight: UInt32
  ) {
    let index = index(of: version)
    unsafe (values + index).initialize(to: value)
    unsafe headers[index].instant = instant
    // Readers learn of the slot by the watermark, which orders these writes.
    unsafe headers[index].count.store(SlotCount(pending: weight).rawValue, ordering: .relaxed)
  }

  /// Adds the chunk that begins with `version`, after this chunk, which is full. Returns the new chunk.
  @inlinable
  package func extendWhileLocked(to version: UInt64) -> LogChunk {
    let chunk = LogChunk(from: version, capacity: nextCapacity)
    next = chunk
    return chunk
  }

  /// The largest number of slots of a chunk: 64, or fewer slots of about two kilobytes.
  @inlinable package static var largestCapacity: Int {
    max(1, min(64, 2048 / (MemoryLayout<SlotHeader>.stride + MemoryLayout<Value>.stride)))
  }

  // Twice as many slots as in this chunk if the readers are so far behind that none has passed its first slot. Half as
  // many if the readers have passed all of its slots: readers that keep up need not hold much memory.
  @inlinable var nextCapacity: Int {
    let isBehind = !count(of: firstVersion).isFinished
    let hasCaughtUp = count(of: firstVersion &+ UInt64(capacity) &- 1).isFinished
    let wanted = isBehind ? 2 * capacity : hasCaughtUp ? capacity / 2 : capacity
    return min(max(Self.smallestCapacity, wanted), Self.largestCapacity)
  }
}

// MARK: - Reading

extension LogChunk {
  /// Returns a copy of the value in a slot that the caller has not passed.
  @inlinable
  package func value(of version: UInt64) -> Value {
    unsafe values[index(of: version)]
  }

  /// A reader passes the slot, and receives its value. If it is the last reader, it moves the value out. Adds the
  /// readers that have departed at this slot to `weight`.
  ///
  /// - Parameter isNewest: Whether this may be the newest slot, which another reader may join.
  @inlinable
  @inline(__always)
  package func take(_ version: UInt64, _ weight: inout UInt32, isNewest: Bool) -> Value {
    let index = index(of: version)
    if count(of: version) == SlotCount(pending: weight), !isNewest || claimed(version, weight) {
      SchedulePoint.pass()
      let value = unsafe (values + index).move()
      unsafe headers[index].count.store(SlotCount.empty.rawValue, ordering: .releasing)
      return value
    }
    return share(version, &weight, isNewest: isNewest)
  }

  // Other readers may be about to pass the slot too, or to join at it.
  @inlinable
  func share(_ version: UInt64, _ weight: inout UInt32, isNewest: Bool) -> Value {
    let value = unsafe values[index(of: version)]
    // The caller holds a copy, so this runs no deinit of the value.
    if passed(version, &weight, isNewest: isNewest) { cleared(version) }
    return value
  }

  /// Releases the value of a slot that is finished.
  @inlinable
  func cleared(_ version: UInt64) {
    SchedulePoint.pass()
    assert(
      holds(version) && version &- firstVersion < UInt64(capacity),
      "a chunk restarted before a slot was cleared"
    )
    let index = index(of: version)
    unsafe (values + index).deinitialize(count: 1)
    unsafe headers[index].count.store(SlotCount.empty.rawValue, ordering: .releasing)
  }
}
