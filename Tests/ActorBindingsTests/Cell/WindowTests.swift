import ActorBindings
import Testing

@Suite
struct WindowTests {
  private var window = Window<Int>()
  private var version: UInt64 = 0

  private var versions: [UInt64] {
    (0..<window.count).reversed().map { UInt64(window.node(age: $0).value) }
  }

  // Returns the versions that the window has released.
  private mutating func publish(_ count: Int = 1) -> [UInt64] {
    var outdated: [UInt64] = []
    for _ in 0..<count {
      version += 1
      let node = window.published(LogNode(Int(version)))
      if let node { outdated.append(UInt64(node.value)) }
      window.checkInvariants()
    }
    return outdated
  }

  /// A reader of the window: its depth, and the version that it has seen.
  private struct Reader {
    let depth: UInt32
    var seen: UInt64
  }

  private mutating func join(_ depth: UInt32) -> Reader {
    let version = version
    window.readerJoined(depth: depth, at: version) { LogNode(Int(version)) }
    window.checkInvariants()
    return Reader(depth: depth, seen: version &- 1)
  }

  private mutating func leave(_ reader: Reader) {
    _ = window.readerLeft(depth: reader.depth, seen: reader.seen)
    window.checkInvariants()
  }

  private mutating func advance(_ reader: inout Reader, to version: UInt64) {
    _ = window.readerAdvanced(depth: reader.depth, from: reader.seen, to: version)
    reader.seen = version
    window.checkInvariants()
  }

  private mutating func catchUp(_ reader: inout Reader) {
    advance(&reader, to: version)
  }

  @Test
  mutating func `reader joined: the window holds the newest update`() {
    _ = join(3)
    #expect(versions == [0])
    _ = join(5)
    #expect(versions == [0])
  }

  @Test(arguments: [2, 3, 4, 5, 7, 8, 9, 100] as [UInt32])
  mutating func `published: the window keeps as many updates as the deepest reader may have`(depth: UInt32) {
    _ = join(2)
    _ = join(depth)
    let sent = 3 * Int(depth)
    let outdated = publish(sent)
    #expect(versions == Array(UInt64(sent) - UInt64(depth) + 1...UInt64(sent)))
    #expect(outdated == Array(0...UInt64(sent) - UInt64(depth)))
  }

  @Test
  mutating func `caught up: kept while a reader is behind, and started again after that`() {
    var (first, second) = (join(3), join(3))
    let outdated = publish(2)
    #expect(outdated.isEmpty)
    catchUp(&first)
    #expect(versions == [0, 1, 2])
    catchUp(&second)
    #expect(versions.isEmpty)
    let later = publish()
    #expect(later.isEmpty)
    #expect(versions == [3])
  }

  @Test
  mutating func `a reader that reads the only update empties the window, which then fills again`() {
    var reader = join(3)
    catchUp(&reader)
    #expect(versions.isEmpty)
    _ = publish(3)
    #expect(versions == [1, 2, 3])
  }

  @Test
  mutating func `advanced: updates that every reader has passed are removed`() {
    var (slow, fast) = (join(9), join(9))
    _ = publish(6)
    advance(&fast, to: 4)
    #expect(versions == [0, 1, 2, 3, 4, 5, 6])
    advance(&slow, to: 2)
    #expect(versions == [3, 4, 5, 6])
    advance(&slow, to: 5)
    #expect(versions == [5, 6])
  }

  @Test
  mutating func `a deep reader that has caught up keeps nothing for a shallow reader that lags`() {
    let slow = join(2)
    var deep = join(1_000_000)
    for _ in 1...1_000 {
      _ = publish()
      catchUp(&deep)
      #expect(window.count <= 2)
    }
    #expect(versions == [999, 1_000])
    leave(slow)
    #expect(versions.isEmpty)
  }

  @Test
  mutating func `a deep reader that is always a little behind keeps little for a shallow reader that lags`() {
    let slow = join(2)
    var deep = join(1_000_000)
    _ = publish(3)
    for _ in 1...1_000 {
      _ = publish()
      advance(&deep, to: deep.seen &+ 1)
      #expect(window.count <= 5)
    }
    #expect(window.capacity <= 16)
    withExtendedLifetime(slow) {}
  }

  @Test
  mutating func `a deep reader that continues after an overflow keeps only what it needs`() {
    var reader = join(100)
    _ = publish(250)
    #expect(window.count == 100)
    advance(&reader, to: 248)
    #expect(versions == [249, 250])
    #expect(window.capacity <= 8)
  }

  @Test(arguments: [(17, 64), (16, 64), (15, 16), (4, 4), (3, 4), (1, 4)] as [(UInt64, Int)])
  mutating func `advanced: a ring that is used to less than a quarter shrinks`(kept: UInt64, capacity: Int) {
    var reader = join(1_000)
    _ = publish(63)
    #expect(window.capacity == 64)
    advance(&reader, to: version - kept)
    #expect(window.count == Int(kept))
    #expect(window.capacity == capacity)
  }

  @Test
  mutating func `a reader that keeps up keeps the ring, and a reader that catches up releases it`() {
    var reader = join(3)
    catchUp(&reader)
    #expect(window.capacity == 4)
    _ = publish()
    catchUp(&reader)
    #expect(window.capacity == 4)
    _ = publish(2)
    catchUp(&reader)
    #expect(window.capacity == 0)
  }

  @Test
  mutating func `when the deepest reader leaves, the window shrinks to the next depth`() {
    _ = join(2)
    let (first, second) = (join(6), join(6))
    _ = publish(9)
    leave(first)
    #expect(versions == [4, 5, 6, 7, 8, 9])
    leave(second)
    #expect(versions == [8, 9])
    let outdated = publish()
    #expect(outdated == [8])
    #expect(versions == [9, 10])
  }

  @Test
  mutating func `left by a reader that was not behind: the others keep what they need`() {
    let shallow = join(2)
    var deep = join(6)
    _ = publish(4)
    catchUp(&deep)
    #expect(versions == [3, 4])
    leave(deep)
    #expect(versions == [3, 4])
    leave(shallow)
    #expect(versions.isEmpty)
    #expect(window.readers == 0)
  }

  @Test
  mutating func
    `left by the only reader that was behind: the window is empty, though another reader remains`()
  {
    var (first, second) = (join(3), join(3))
    _ = publish()
    catchUp(&first)
    leave(second)
    second = first
    #expect(versions.isEmpty)
    #expect(window.readers == 1)
  }

  @Test
  mutating func `a deeper reader joined later: the window grows from then on`() {
    _ = join(2)
    _ = publish(4)
    _ = join(4)
    #expect(versions == [3, 4])
    // The shallow reader has overflowed, and needs only the newest two updates.
    let outdated = publish(2)
    #expect(outdated == [3])
    #expect(versions == [4, 5, 6])
    let later = publish(2)
    #expect(later == [4])
    #expect(versions == [5, 6, 7, 8])
  }

  @Test
  mutating func `a depth that no reader reaches costs nothing`() {
    _ = join(.max - 1)
    let outdated = publish(100)
    #expect(outdated.isEmpty)
    #expect(window.count == 101)
  }

  @Test
  func `reading an update that the window does not hold: a trap`() async {
    await #expect(processExitsWith: .failure) {
      var window = Window<Int>()
      window.readerJoined(depth: 2, at: 0) { LogNode(0) }
      _ = window.node(age: 1)
    }
    // The ring is full, so the slot exists, but it holds the newest update.
    await #expect(processExitsWith: .failure) {
      var window = Window<Int>()
      window.readerJoined(depth: 4, at: 0) { LogNode(0) }
      for version in 1...3 { _ = window.published(LogNode(version)) }
      precondition(window.node(age: 3).value == 0)
      guard window.count == 4 else { return }
      _ = window.node(age: 4)
    }
  }
}
