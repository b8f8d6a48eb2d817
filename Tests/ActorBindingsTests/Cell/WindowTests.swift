import ActorBindings
import Testing

@Suite
struct WindowTests {
  private var window = Window<Int>()
  private var version: UInt64 = 0

  private var versions: [UInt64] {
    (0..<window.count).reversed().map { UInt64(window.node(age: $0).value) }
  }

  // Returns the versions that the window let go of.
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

  private mutating func join(_ depth: UInt32) {
    let version = version
    window.readerJoined(depth: depth) { LogNode(Int(version)) }
    window.checkInvariants()
  }

  private mutating func leave(_ depth: UInt32, isBehind: Bool) {
    _ = window.readerLeft(depth: depth, isBehind: isBehind)
    window.checkInvariants()
  }

  private mutating func catchUp() {
    _ = window.readerCaughtUp()
    window.checkInvariants()
  }

  @Test
  mutating func `reader joined: it holds the newest`() {
    join(3)
    #expect(versions == [0])
    join(5)
    #expect(versions == [0])
  }

  @Test(arguments: [2, 3, 4, 5, 7, 8, 9, 100] as [UInt32])
  mutating func `published: as many as the deepest may have waiting, and the oldest goes`(depth: UInt32) {
    join(2)
    join(depth)
    let sent = 3 * Int(depth)
    let outdated = publish(sent)
    #expect(versions == Array(UInt64(sent) - UInt64(depth) + 1...UInt64(sent)))
    #expect(outdated == Array(0...UInt64(sent) - UInt64(depth)))
  }

  @Test
  mutating func `caught up: kept while anybody is behind, and begun anew after that`() {
    join(3)
    join(3)
    let outdated = publish(2)
    #expect(outdated.isEmpty)
    catchUp()
    #expect(versions == [0, 1, 2])
    catchUp()
    #expect(versions.isEmpty)
    let later = publish()
    #expect(later.isEmpty)
    #expect(versions == [3])
  }

  @Test
  mutating func `caught up with the one update there is: empty, and filled again`() {
    join(3)
    catchUp()
    #expect(versions.isEmpty)
    _ = publish(3)
    #expect(versions == [1, 2, 3])
  }

  @Test
  mutating func `the deepest left: the window shrinks to the next`() {
    join(2)
    join(6)
    join(6)
    _ = publish(9)
    leave(6, isBehind: true)
    #expect(versions == [4, 5, 6, 7, 8, 9])
    leave(6, isBehind: true)
    #expect(versions == [8, 9])
    let outdated = publish()
    #expect(outdated == [8])
    #expect(versions == [9, 10])
  }

  @Test
  mutating func `a reader left who was not behind: the others keep what they need`() {
    join(2)
    join(6)
    _ = publish(4)
    catchUp()
    leave(6, isBehind: false)
    #expect(versions == [3, 4])
    leave(2, isBehind: true)
    #expect(versions.isEmpty)
    #expect(window.readers == 0)
  }

  @Test
  mutating func `the only one who was behind left: the window is empty, though a reader is there`() {
    join(3)
    join(3)
    _ = publish()
    catchUp()
    leave(3, isBehind: true)
    #expect(versions.isEmpty)
    #expect(window.readers == 1)
  }

  @Test
  mutating func `a deeper reader joined later: the window grows from then on`() {
    join(2)
    _ = publish(4)
    join(4)
    #expect(versions == [3, 4])
    let outdated = publish(2)
    #expect(outdated.isEmpty)
    #expect(versions == [3, 4, 5, 6])
    let later = publish()
    #expect(later == [3])
  }

  @Test
  mutating func `a depth that nobody reaches costs nothing`() {
    join(.max - 1)
    let outdated = publish(100)
    #expect(outdated.isEmpty)
    #expect(window.count == 101)
  }

  @Test
  func `asked for what it does not hold: a trap`() async {
    await #expect(processExitsWith: .failure) {
      var window = Window<Int>()
      window.readerJoined(depth: 2) { LogNode(0) }
      _ = window.node(age: 1)
    }
    // A full ring: what is asked for would be found, but is the newest.
    await #expect(processExitsWith: .failure) {
      var window = Window<Int>()
      window.readerJoined(depth: 4) { LogNode(0) }
      for version in 1...3 { _ = window.published(LogNode(version)) }
      precondition(window.node(age: 3).value == 0)
      guard window.count == 4 else { return }
      _ = window.node(age: 4)
    }
  }
}
