/// The newest updates of a cell, as far back as one of its `.bounded` readers still wants them.
///
/// The updates are in a ring, so each reader finds the version that it wants in one step. `WindowReaders` knows how
/// many updates the readers want.
///
/// ### States
/// - *empty*: no reader is behind.
/// - *filled*: some readers are behind. The window holds the newest updates, at most as many as these readers want.
///
/// ### Transitions
/// | event | effect |
/// |---|---|
/// | `readerJoined` | filled: the reader wants the newest update |
/// | `published` | one update more, if a reader is there; the oldest goes if no reader wants it |
/// | `readerAdvanced`, `readerLeft` | the updates that no reader wants go; empty if no reader is behind |
///
/// ### Actions
/// Each event returns the updates that the window no longer holds. The caller releases them after the lock.
///
/// ### Behavior
/// Each reader's depth limits what the window keeps for that reader. So if a reader with a large depth has caught up,
/// and a reader with a small depth lags, only the small depth counts. (For the exact limit, see `WindowReaders`.) Each
/// update leaves the window only once, so an event takes constant amortized time to remove updates. An event may also
/// have to find the next position that has readers. If the positions of the readers span `n` versions, this takes
/// `log n` steps.
@usableFromInline
package struct Window<Value: Sendable>: Sendable {
  // Only code in this file changes these variables. They are not private, because the inlinable initializer sets them.
  @usableFromInline var wants: WindowReaders
  @usableFromInline var ring: ContiguousArray<LogNode<Value>?>
  @usableFromInline var head: Int
  @usableFromInline package internal(set) var count: Int

  // Inlinable: each new cell has a window, and the compiler does not specialize an initializer that it cannot see.
  @inlinable
  package init() {
    wants = WindowReaders()
    ring = []
    head = 0
    count = 0
  }

  /// The number of `.bounded` readers.
  @usableFromInline package var readers: Int { wants.count }

  /// The number of updates that the ring has room for. For tests.
  package var capacity: Int { ring.count }

  /// A reader takes a position before the current update. `newest` returns that update, and `version` is its version.
  @usableFromInline
  package mutating func readerJoined(depth: UInt32, at version: UInt64, newest: () -> LogNode<Value>) {
    wants.joined(depth: depth, at: version)
    if count == 0 { push(newest()) }
  }

  /// A reader that had seen version `seen` has now seen `version`.
  package mutating func readerAdvanced(depth: UInt32, from seen: UInt64, to version: UInt64) -> Evicted<Value>
  {
    wants.advanced(depth: depth, from: seen, to: version)
    return trim()
  }

  /// A reader that had seen version `seen` leaves.
  @usableFromInline
  package mutating func readerLeft(depth: UInt32, seen: UInt64) -> Evicted<Value> {
    wants.left(depth: depth, seen: seen)
    return trim()
  }

  /// A writer has published an update. Returns the update that no reader wants any more, if there is one.
  @usableFromInline
  package mutating func published(_ node: LogNode<Value>) -> LogNode<Value>? {
    wants.published()
    push(node)
    return count > wants.updates ? pop() : nil
  }

  /// Returns the update that is `age` versions older than the newest update.
  package func node(age: Int) -> LogNode<Value> {
    guard age < count, let node = ring[slot(count - 1 - age)] else {
      preconditionFailure("a reader asked for version newest - \(age) of a window of \(count)")
    }
    return node
  }

  private func slot(_ index: Int) -> Int {
    (head + index) & (ring.count - 1)
  }

  private mutating func push(_ node: LogNode<Value>) {
    if count == ring.count { _ = resize(to: max(4, 2 * count)) }
    ring[slot(count)] = node
    count += 1
  }

  private mutating func pop() -> LogNode<Value>? {
    let node = ring[head].take()
    head = slot(1)
    count -= 1
    return node
  }

  // Replaces the ring by a ring of another size, which is a power of two. Returns the old ring, which still holds the
  // updates.
  private mutating func resize(to size: Int) -> ContiguousArray<LogNode<Value>?> {
    var other = ContiguousArray<LogNode<Value>?>()
    other.reserveCapacity(size)
    for index in 0..<count { other.append(ring[slot(index)]) }
    while other.count < size { other.append(nil) }
    swap(&ring, &other)
    head = 0
    return other
  }

  // Takes out the updates that no reader wants. The ring shrinks when more than three quarters of it are free. By then
  // many updates have left since the last resize, so moving the rest costs constant amortized time.
  private mutating func trim() -> Evicted<Value> {
    let kept = wants.updates
    guard count > kept else { return .nothing }
    if kept == 0, count > 1 {
      defer { (ring, count) = ([], 0) }
      return .ring(ring)
    }
    if kept < ring.count / 4, ring.count > 4 {
      head = slot(count - kept)
      count = kept
      return .ring(resize(to: max(4, 1 << (Int.bitWidth - (kept - 1).leadingZeroBitCount))))
    }
    if count == kept + 1, let node = pop() { return .node(node) }
    var gone = ContiguousArray<LogNode<Value>?>()
    while count > kept { gone.append(pop()) }
    return .ring(gone)
  }
}

extension Window {
  /// Checks the conditions that hold after every event. For tests.
  package func checkInvariants() {
    precondition(count <= wants.updates, "the window holds more than its readers want")
    precondition((count == 0) == (wants.updates == 0), "a window is kept just while a reader is behind")
    precondition(ring.count == 0 || ring.count.nonzeroBitCount == 1, "the ring's size is no power of two")
    precondition(ring.compactMap(\.self).count == count, "the ring holds what is not in the window")
    wants.checkInvariants()
  }
}
