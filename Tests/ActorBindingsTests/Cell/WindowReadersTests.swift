import ActorBindings
import Testing

@Suite
struct WindowReadersTests {
  private var readers = WindowReaders()
  // The newest version.
  private var version: UInt64 = 0

  /// A reader: its depth, and the version that it has seen.
  private struct Reader {
    let depth: UInt32
    var seen: UInt64
  }

  private mutating func join(_ depth: UInt32) -> Reader {
    readers.joined(depth: depth, at: version)
    readers.checkInvariants()
    return Reader(depth: depth, seen: version &- 1)
  }

  private mutating func publish(_ count: Int = 1) {
    for _ in 0..<count {
      version += 1
      readers.published()
    }
    readers.checkInvariants()
  }

  private mutating func advance(_ reader: inout Reader, to version: UInt64) {
    readers.advanced(depth: reader.depth, from: reader.seen, to: version)
    reader.seen = version
    readers.checkInvariants()
  }

  private mutating func leave(_ reader: Reader) {
    readers.left(depth: reader.depth, seen: reader.seen)
    readers.checkInvariants()
  }

  // MARK: - Classes

  @Test(arguments: [(2, 3, 2), (3, 4, 1), (4, 5, 2), (5, 8, 1), (8, 9, 2)] as [(UInt32, UInt32, Int)])
  mutating func `joined: depths that round up to the same power of two share a class`(
    first: UInt32,
    second: UInt32,
    count: Int
  ) {
    _ = join(first)
    _ = join(second)
    #expect(readers.classCount == count)
  }

  @Test
  mutating func `joined: the largest depth of a class counts`() {
    _ = join(5)
    _ = join(8)
    publish(10)
    #expect(readers.updates == 8)
  }

  @Test
  mutating func `a reader that has not overflowed wants only its updates, whatever the depth of its class`() {
    let deepest = join(100)
    publish(5)
    _ = join(5)
    publish(4)
    _ = join(8)
    #expect(readers.updates == 10)
    leave(deepest)
    #expect(readers.updates == 5)
  }

  // MARK: - Passes

  // A reader may receive the update of its pass, though the window no longer holds that update.

  @Test
  mutating func `advanced by a pass to an update before the window: the reader has still overflowed`() {
    var reader = join(2)
    publish(5)
    advance(&reader, to: 2)
    #expect(readers.updates == 2)
    advance(&reader, to: 4)
    #expect(readers.updates == 1)
  }

  @Test
  mutating func `advanced by a pass to the oldest update of the window, which another reader awaits`() {
    var late = join(2)
    publish()
    var other = join(2)
    publish()
    advance(&late, to: 0)
    #expect(readers.updates == 2)
    advance(&other, to: 2)
    #expect(readers.updates == 2)
    advance(&late, to: 2)
    #expect(readers.updates == 0)
  }

  @Test
  mutating func `advanced by a pass to where another reader overflowed before a deeper reader joined`() {
    var late = join(5)
    publish()
    let other = join(5)
    publish(5)
    let deep = join(8)
    advance(&late, to: 0)
    #expect(readers.updates == 8)
    leave(late)
    #expect(readers.updates == 8)
    leave(other)
    #expect(readers.updates == 1)
    leave(deep)
    #expect(readers.updates == 0)
  }

  // MARK: - The ring

  @Test
  mutating func `left: the next position counts, though it may be at the beginning of the ring`() {
    version = 6
    let first = join(3)
    publish()
    let second = join(3)
    publish()
    let third = join(3)
    #expect(readers.updates == 3)
    leave(first)
    #expect(readers.updates == 2)
    leave(second)
    #expect(readers.updates == 1)
    leave(third)
    #expect(readers.updates == 0)
  }

  @Test(arguments: [2, 3, 4, 5, 8, 17, 32] as [UInt32])
  mutating func `joined with a small depth: the ring has all of its room at once`(depth: UInt32) {
    _ = join(depth)
    let capacity = readers.capacity
    #expect(capacity <= 4 * Int(depth))
    for _ in 0..<3 * depth {
      publish()
      _ = join(depth)
      #expect(readers.capacity == capacity)
    }
  }

  @Test(arguments: [(0, 64), (62, 64), (63, 128), (126, 128), (127, 256), (998, 1_024)])
  mutating func `published: the ring has room for the positions up to the end`(count: Int, capacity: Int) {
    _ = join(1_000)
    publish(count)
    #expect(readers.capacity == capacity)
  }

  @Test(arguments: [(128, 1_024), (127, 128), (65, 128), (64, 64), (2, 64), (1, 64)] as [(UInt64, Int)])
  mutating func `advanced: a ring that is used to less than an eighth shrinks`(needed: UInt64, capacity: Int)
  {
    var reader = join(1_000)
    publish(998)
    // The ring needs room for the positions of this reader and of a reader that has seen everything.
    advance(&reader, to: version + 1 - needed)
    #expect(readers.updates == Int(needed) - 1)
    #expect(readers.capacity == capacity)
  }

  @Test
  mutating func `advanced after an overflow: the ring grows again for a position far behind`() {
    var reader = join(100)
    publish(250)
    #expect(readers.capacity == 64)
    advance(&reader, to: 151)
    #expect(readers.updates == 99)
    #expect(readers.capacity == 128)
  }

  @Test
  mutating func `joined far ahead of another reader: the ring keeps room for both`() {
    let slow = join(1_000)
    publish(64)
    let other = join(1_000)
    publish(536)
    let last = join(1_000)
    #expect(readers.updates == 601)
    leave(slow)
    #expect(readers.updates == 537)
    leave(other)
    #expect(readers.updates == 1)
    leave(last)
    #expect(readers.updates == 0)
  }

  @Test(arguments: [Array(40...103), [40, 50, 63, 64, 70, 103]] as [[UInt64]])
  mutating func `a ring that grows keeps the readers of each position`(positions: [UInt64]) {
    version = 40
    var all: [Reader] = []
    while version < 102 {
      if positions.contains(version) { all.append(join(1_000)) }
      publish()
    }
    if positions.contains(102) { all.append(join(1_000)) }
    var last = join(1_000)
    // The last position of the ring: this reader has seen everything.
    advance(&last, to: 102)
    all.append(last)
    #expect(readers.capacity == 64)
    publish()
    #expect(readers.capacity == 128)
    for (reader, position) in zip(all, positions) {
      #expect(readers.updates == Int(104 - position))
      leave(reader)
    }
    #expect(readers.count == 0)
  }
}
