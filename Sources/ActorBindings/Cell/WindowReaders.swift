/// The positions of the `.bounded` readers of a cell. They determine how many of the newest updates the readers want.
///
/// The *position* of a reader is the first version that it has not seen. The reader wants all updates from its position
/// on. If the number of these updates is larger than the reader's depth, the reader has *overflowed*: it wants only the
/// newest of these updates, as many as its depth says. Readers whose depths round up to the same power of two are in
/// one `DepthClass`. So there are at most 32 classes, whatever the number of depths.
///
/// ### Events
/// A reader has `joined`, `advanced` or `left`. A writer has `published` an update: then each reader is one version
/// further behind, but the event does not visit each reader.
///
/// ### Behavior
/// `updates` is the largest number of updates that a reader wants. If that reader has overflowed, `updates` may be up
/// to twice that number. The reason is that a class does not know the depth of each reader, only the largest depth
/// since the class was last empty.
@usableFromInline
package struct WindowReaders: Sendable {
  private var classes: ContiguousArray<DepthClass> = []
  /// The number of readers.
  package private(set) var count = 0
  // The position of a reader that has seen everything.
  private var end: UInt64 = 0

  /// The number of newest updates that the readers want.
  package var updates: Int {
    var most = 0
    for group in classes { most = max(most, group.wanted(end)) }
    return most
  }

  /// The number of classes that have readers. For tests.
  package var classCount: Int { classes.count }

  /// The number of positions that the rings have room for. For tests.
  package var capacity: Int { classes.reduce(0) { $0 + $1.capacity } }

  @usableFromInline
  package init() {}

  package mutating func joined(depth: UInt32, at version: UInt64) {
    if count == 0 { end = version &+ 1 }
    count += 1
    let index = index(of: depth) ?? append(DepthClass(of: depth, end))
    classes[index].joined(depth: depth, at: version, end)
  }

  package mutating func advanced(depth: UInt32, from seen: UInt64, to version: UInt64) {
    guard seen != version, let index = index(of: depth) else { return }
    classes[index].moved(from: seen &+ 1, to: version &+ 1, end)
  }

  package mutating func left(depth: UInt32, seen: UInt64) {
    guard let index = index(of: depth) else {
      preconditionFailure("a reader left a window without its depth")
    }
    count -= 1
    classes[index].left(at: seen &+ 1, end)
    if classes[index].readers == 0 { classes.remove(at: index) }
  }

  package mutating func published() {
    end &+= 1
    for index in classes.indices { classes[index].published(end) }
  }

  private func index(of depth: UInt32) -> Int? {
    let power = DepthClass.power(of: depth)
    for index in classes.indices where classes[index].power == power { return index }
    return nil
  }

  private mutating func append(_ group: DepthClass) -> Int {
    classes.append(group)
    return classes.count - 1
  }

  package func checkInvariants() {
    precondition(classes.count <= 32, "there are \(classes.count) classes")
    precondition(classes.reduce(0) { $0 + $1.readers } == count, "a reader was lost")
    classes.forEach { $0.checkInvariants(end) }
  }
}

/// The readers of one window whose depths round up to the same power of two.
///
/// A ring holds the number of readers at each position. `lowest` is the lowest position with readers, and `occupied`
/// finds the next position with readers. So each event takes a few steps, whatever the number of empty positions in
/// between.
struct DepthClass: Sendable {
  let power: Int
  /// The largest depth since the class was last empty.
  private var deepest: UInt32
  private(set) var readers = 0
  // The number of readers that count as overflowed: the readers whose positions come before `border`.
  private var overflowed = 0
  private var border: UInt64
  // The number of readers at each position of the ring.
  private var counts: ContiguousArray<UInt32> = []
  private var occupied = BitSet(count: 0)
  // The lowest position of a reader that has not overflowed.
  private var lowest: UInt64?

  var capacity: Int { counts.count }

  static func power(of depth: UInt32) -> Int { UInt32.bitWidth - (depth - 1).leadingZeroBitCount }

  init(of depth: UInt32, _ end: UInt64) {
    power = Self.power(of: depth)
    deepest = depth
    border = end &- 1
  }

  /// Returns the number of newest updates that the readers want. The position `end` comes after the newest update.
  func wanted(_ end: UInt64) -> Int {
    if overflowed > 0 { return Int(deepest) }
    return lowest.map { Int(end - $0) } ?? 0
  }

  mutating func joined(depth: UInt32, at position: UInt64, _ end: UInt64) {
    readers += 1
    deepest = max(deepest, depth)
    enter(position, end)
  }

  mutating func left(at position: UInt64, _ end: UInt64) {
    readers -= 1
    leave(position)
  }

  mutating func moved(from position: UInt64, to other: UInt64, _ end: UInt64) {
    leave(position)
    enter(other, end)
  }

  /// A writer has published an update, so each reader is one version further behind. The readers at the lowest position
  /// may have overflowed now.
  mutating func published(_ end: UInt64) {
    guard let first = lowest else { return }
    if end - first > UInt64(deepest) {
      overflowed += Int(counts[slot(first)])
      border = first + 1
      vacate(first)
    }
    reserve(from: lowest ?? end, end)
  }

  private mutating func enter(_ position: UInt64, _ end: UInt64) {
    if position < border || end - position > UInt64(deepest) {
      // After a move, an overflowed reader may still stand before the window: it may have received the update of its
      // pass, which the window no longer holds.
      overflowed += 1
      border = max(border, position + 1)
      return
    }
    reserve(from: min(lowest ?? end, position), end)
    let slot = slot(position)
    if counts[slot] == 0 { occupied.insert(slot) }
    counts[slot] += 1
    lowest = min(lowest ?? position, position)
  }

  private mutating func leave(_ position: UInt64) {
    if position < border { return overflowed -= 1 }
    counts[slot(position)] -= 1
    if counts[slot(position)] == 0 { vacate(position) }
  }

  private mutating func vacate(_ position: UInt64) {
    let slot = slot(position)
    counts[slot] = 0
    occupied.remove(slot)
    guard position == lowest else { return }
    // The slot of the next position may come before this slot, because the positions wrap around in the ring.
    let next = occupied.first(from: slot) ?? occupied.first(from: 0)
    lowest = next.map { position + UInt64(($0 - slot) & (counts.count - 1)) }
  }

  private func slot(_ position: UInt64) -> Int {
    Int(truncatingIfNeeded: position) & (counts.count - 1)
  }

  // Makes room for the positions from `first` to `end`. Shrinks a ring that is much larger than needed.
  private mutating func reserve(from first: UInt64, _ end: UInt64) {
    let needed = Int(end - first) + 1
    if needed <= counts.count, counts.count <= max(64, 8 * needed) { return }
    // A class of small depths gets all of its room at once.
    let least = min(64, 2 << power)
    let size = max(least, 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount))
    var (others, slots) = (ContiguousArray<UInt32>(repeating: 0, count: size), BitSet(count: size))
    if let lowest {
      // A reader stands at the lowest position, so the walk around the ring comes back to its slot, and ends there.
      var next: Int? = slot(lowest)
      while let slot = next {
        let position = lowest + UInt64((slot - self.slot(lowest)) & (counts.count - 1))
        others[Int(truncatingIfNeeded: position) & (size - 1)] = counts[slot]
        slots.insert(Int(truncatingIfNeeded: position) & (size - 1))
        let following = occupied.first(from: slot + 1) ?? occupied.first(from: 0)
        next = following == self.slot(lowest) ? nil : following
      }
    }
    (counts, occupied) = (others, slots)
  }

  func checkInvariants(_ end: UInt64) {
    let positioned = counts.reduce(0) { $0 + Int($1) }
    precondition(readers > 0, "a class is kept without readers")
    precondition(
      positioned + overflowed == readers,
      "\(positioned) have positions and \(overflowed) overflowed of \(readers)"
    )
    for slot in counts.indices {
      precondition(
        occupied.contains(slot) == (counts[slot] > 0),
        "the occupied slots are not those with readers"
      )
    }
    precondition(
      UInt64(counts.count) <= max(64, 2 * UInt64(deepest)),
      "the ring has more room than a reader of the class can need"
    )
    guard let lowest else {
      return precondition(positioned == 0, "readers have positions, and the lowest is not known")
    }
    precondition(lowest >= border && lowest <= end, "a reader stands where none can")
    precondition(counts[slot(lowest)] > 0, "no reader stands at the lowest position")
    precondition(end - lowest <= UInt64(deepest), "a reader has overflowed and is not counted so")
    precondition(end - lowest < UInt64(counts.count), "the ring has no room for the positions up to the end")
    for slot in counts.indices where counts[slot] > 0 {
      let position = lowest + UInt64((slot - self.slot(lowest)) & (counts.count - 1))
      precondition(position <= end, "a reader stands before the lowest position, or after the end")
    }
  }
}
