/// The newest updates, as many as the deepest `.bounded` reader may have waiting.
///
/// It is kept only while one of these readers is behind, in a ring, so that each of them finds the version it
/// wants in one step, and a writer pays one step however many of them there are and however far they lag.
@usableFromInline
package struct Window<Value: Sendable>: Sendable {
  /// How many `.bounded` readers there are, by depth.
  private var readersByDepth: [UInt32: Int] = [:]
  /// The largest of these depths.
  private var depth = 0
  /// How many of them have not seen the newest version.
  private var behind = 0

  private var ring: ContiguousArray<LogNode<Value>?> = []
  private var head = 0
  package private(set) var count = 0

  @usableFromInline package private(set) var readers = 0

  package init() {}

  /// What a window let go of. It is released after the lock.
  @usableFromInline
  package enum Spill: Sendable {
    case nothing
    case node(LogNode<Value>)
    case ring(ContiguousArray<LogNode<Value>?>)
  }

  /// A reader begins before `newest`, which is the current update.
  @usableFromInline
  package mutating func readerJoined(depth: UInt32, newest: () -> LogNode<Value>) {
    readersByDepth[depth, default: 0] += 1
    self.depth = max(self.depth, Int(depth))
    readers += 1
    behind += 1
    if count == 0 { push(newest()) }
  }

  /// A reader has seen the newest version.
  package mutating func readerCaughtUp() -> Spill {
    behind -= 1
    return behind == 0 ? clear() : .nothing
  }

  @usableFromInline
  package mutating func readerLeft(depth: UInt32, isBehind: Bool) -> Spill {
    readers -= 1
    if let others = readersByDepth[depth], others > 1 {
      readersByDepth[depth] = others - 1
    } else {
      readersByDepth[depth] = nil
      self.depth = Int(readersByDepth.keys.max() ?? 0)
    }
    if isBehind { behind -= 1 }
    return behind == 0 ? clear() : trim()
  }

  /// There is an update, which nobody has seen. Returns the one that is too old now.
  @usableFromInline
  package mutating func published(_ node: LogNode<Value>) -> LogNode<Value>? {
    behind = readers
    let outdated = count == depth ? pop() : nil
    push(node)
    return outdated
  }

  /// The update that is `age` versions older than the newest.
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
    if count == ring.count { grow() }
    ring[slot(count)] = node
    count += 1
  }

  private mutating func pop() -> LogNode<Value>? {
    let node = ring[head].take()
    head = slot(1)
    count -= 1
    return node
  }

  // The ring's size is a power of two. It begins at 0 again, also after it was given away.
  private mutating func grow() {
    let size = max(4, 2 * count)
    var larger = ContiguousArray<LogNode<Value>?>()
    larger.reserveCapacity(size)
    for index in 0..<count { larger.append(ring[slot(index)]) }
    while larger.count < size { larger.append(nil) }
    ring = larger
    head = 0
  }

  // Nothing may be released here: the caller holds the lock.
  private mutating func clear() -> Spill {
    if count == 1, let node = pop() { return .node(node) }
    return giveAway()
  }

  private mutating func trim() -> Spill {
    guard count > depth else { return .nothing }
    var kept = ContiguousArray<LogNode<Value>?>()
    for index in (count - depth)..<count { kept.append(ring[slot(index)]) }
    let old = giveAway()
    for node in kept { if let node { push(node) } }
    return old
  }

  private mutating func giveAway() -> Spill {
    guard count > 0 else { return .nothing }
    defer {
      ring = []
      count = 0
    }
    return .ring(ring)
  }
}

extension Window {
  /// Holds after every event; tests call it.
  package func checkInvariants() {
    precondition(behind <= readers, "more readers are behind than there are")
    precondition(count <= depth, "the window holds more than its deepest reader may have waiting")
    precondition((count == 0) == (behind == 0), "a window is kept just while a reader is behind")
    precondition(readersByDepth.values.reduce(0, +) == readers, "a reader's depth was lost")
    precondition(ring.compactMap(\.self).count == count, "the ring holds what is not in the window")
  }
}
