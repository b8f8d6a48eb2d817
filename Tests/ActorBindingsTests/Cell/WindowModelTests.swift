import ActorBindings
import Testing

/// Compares a window with a model that examines each reader.
@Suite
struct WindowModelTests {
  private struct Reader {
    let depth: UInt64
    var seen: UInt64

    func wanted(_ newest: UInt64) -> UInt64 { min(depth, newest &- seen) }
    // Returns the greatest number of updates that the window may keep for this reader. The deepest reader of the depth
    // class counts, and its depth is at most the next power of two.
    func wantedAtMost(_ newest: UInt64) -> UInt64 {
      let unseen = newest &- seen
      let rounded = UInt64(1) << UInt64(64 - (depth - 1).leadingZeroBitCount)
      return min(rounded, unseen)
    }
  }

  private struct Walk {
    var window = Window<Census.Citizen>()
    let census = Census()
    var newest: UInt64 = 0
    var current: Census.Citizen
    var readers: [Reader] = []
    var random: Numbers
    let depths: [UInt32]

    init(seed: UInt64, depths: [UInt32]) {
      random = Numbers(seed: seed)
      self.depths = depths
      current = census.citizen(0)
    }

    mutating func step() {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<45: publish()
      case 45..<55: if readers.count < 12 { join() }
      case 55..<60: leave()
      case 60..<85: advance(by: 1)
      case 85..<95: advance(by: .random(in: 1...40, using: &random))
      default: advance(by: .max)
      }
      check()
    }

    mutating func publish() {
      newest += 1
      current = census.citizen(Int(newest))
      if window.readers > 0 { _ = window.published(LogNode(current)) }
    }

    mutating func join() {
      let depth = depths.randomElement(using: &random) ?? 2
      window.readerJoined(depth: depth, at: newest) { [current] in LogNode(current) }
      readers.append(Reader(depth: UInt64(depth), seen: newest &- 1))
    }

    mutating func leave() {
      guard let index = readers.indices.randomElement(using: &random) else { return }
      let reader = readers.remove(at: index)
      _ = window.readerLeft(depth: UInt32(reader.depth), seen: reader.seen)
    }

    // Lets a reader read some updates, beginning with the oldest update that it may receive.
    mutating func advance(by count: UInt64) {
      guard let index = readers.indices.randomElement(using: &random) else { return }
      let reader = readers[index]
      let wanted = reader.wanted(newest)
      guard wanted > 0 else { return }
      let first = newest &- (wanted - 1)
      #expect(window.node(age: Int(wanted - 1)).value.number == Int(first))
      let version = first &+ min(count - 1, wanted - 1)
      _ = window.readerAdvanced(depth: UInt32(reader.depth), from: reader.seen, to: version)
      readers[index].seen = version
    }

    func check() {
      window.checkInvariants()
      #expect(window.readers == readers.count)
      let wanted = readers.map { $0.wanted(newest) }.max() ?? 0
      let mostWanted = readers.map { $0.wantedAtMost(newest) }.max() ?? 0
      #expect(window.count >= wanted)
      #expect(window.count <= mostWanted)
      for age in 0..<window.count { #expect(window.node(age: age).value.number == Int(newest) - age) }
      // Only the window holds updates, and it holds each update once.
      #expect(census.alive == max(1, window.count))
      #expect(window.capacity <= max(4, 4 * window.count))
    }
  }

  @Test(arguments: 1...UInt64(6))
  func `readers of every depth find what they need, and nothing more is kept`(seed: UInt64) {
    let depths: [[UInt32]] = [[2], [2, 3], [5, 8], [2, 5, 17], [64, 3, 100], [2, 1_000, .max - 1]]
    for depths in depths {
      var walk = Walk(seed: seed, depths: depths)
      for _ in 0..<400 { walk.step() }
      while !walk.readers.isEmpty {
        walk.leave()
        walk.check()
      }
      #expect(walk.window.count == 0)
    }
  }

  /// Returns the number of updates that were moved: each resize of the ring moves all its updates.
  private func moved(_ count: Int) -> Int {
    var window = Window<Int>()
    var (moved, capacity) = (0, 0)
    func note(_ window: Window<Int>) {
      if window.capacity != capacity { moved += window.count }
      capacity = window.capacity
    }
    // All readers except the last stall. Only the depth of the last reader is equal to another depth.
    for depth in 0..<count {
      window.readerJoined(depth: UInt32(2 + depth), at: 0) { LogNode(0) }
      note(window)
    }
    window.readerJoined(depth: UInt32(count), at: 0) { LogNode(0) }
    for version in 1...count {
      _ = window.published(LogNode(version))
      note(window)
      _ = window.readerAdvanced(depth: UInt32(count), from: UInt64(version) &- 2, to: UInt64(version) &- 1)
      note(window)
    }
    // The deepest reader leaves first, so that the window may shrink each time.
    for depth in (0..<count).reversed() {
      _ = window.readerLeft(depth: UInt32(2 + depth), seen: .max)
      window.checkInvariants()
      note(window)
    }
    return moved
  }

  @Test
  func `n readers of different depths that join, stall and leave move O(n) updates`() {
    let (once, fourTimes) = (moved(500), moved(2_000))
    #expect(once <= 8 * 500)
    #expect(fourTimes <= 8 * 2_000)
  }

  @Test
  func `with any number of depths, an event examines 32 classes at most`() {
    for count in [1_000, 4_000] as [UInt32] {
      var readers = WindowReaders()
      for depth in 2...count { readers.joined(depth: depth, at: 0) }
      #expect(readers.classCount <= 12)
      readers.joined(depth: .max - 1, at: 0)
      readers.published()
      readers.checkInvariants()
      for depth in 2...count { readers.left(depth: depth, seen: .max) }
      #expect(readers.classCount == 1)
      #expect(readers.count == 1)
    }
  }
}
