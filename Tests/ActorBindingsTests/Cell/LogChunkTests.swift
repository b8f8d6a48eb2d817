import ActorBindings
import Testing

@Suite
struct LogChunkTests {
  private let census = Census()

  private func chunk(_ capacity: Int, from version: UInt64 = 0) -> LogChunk<Census.Citizen> {
    let chunk = LogChunk<Census.Citizen>(from: version, capacity: capacity)
    for index in 0..<capacity {
      chunk.writtenWhileLocked(census.citizen(index), version &+ UInt64(index), pending: 1)
    }
    return chunk
  }

  @Test
  func `a chunk holds the versions of its slots, though they wrap around`() {
    let chunk = LogChunk<Int>(from: .max, capacity: 2)
    #expect(chunk.holds(.max))
    #expect(chunk.holds(0))
    #expect(!chunk.holds(1))
  }

  @Test
  func `the only reader moves the value out`() {
    let chunk = chunk(2)
    var weight: UInt32 = 1
    for version in 0...1 as ClosedRange<UInt64> {
      #expect(chunk.take(version, &weight, isNewest: version == 1).number == Int(version))
      #expect(census.alive == 1 - Int(version))
    }
    #expect(weight == 1)
  }

  @Test
  func `of two readers, the last releases the value`() {
    let chunk = LogChunk<Census.Citizen>(from: 0, capacity: 1)
    chunk.writtenWhileLocked(census.citizen(9), 0, pending: 2)
    var weight: UInt32 = 1
    for alive in [1, 0] {
      #expect(chunk.take(0, &weight, isNewest: false).number == 9)
      #expect(census.alive == alive)
    }
  }

  @Test
  func `the value of a slot can be read before the slot is passed`() {
    let chunk = chunk(2)
    #expect(chunk.value(of: 1).number == 1)
    #expect(census.alive == 2)
  }

  @Test
  func `a chunk that dies releases the values that nothing has passed`() {
    do {
      let chunk = chunk(4)
      var weight: UInt32 = 1
      _ = chunk.take(0, &weight, isNewest: false)
      // Nothing clears this slot, because the reader that finished it died with the chunk.
      _ = chunk.departed(1, 1)
      #expect(census.alive == 3)
    }
    #expect(census.alive == 0)
  }

  @Test
  func `a long chain is freed without recursion, up to the first chunk that another reader holds`() {
    var kept: LogChunk<Census.Citizen>?
    do {
      let first = chunk(1)
      var last = first
      for version in 1...200_000 as ClosedRange<UInt64> {
        let next = chunk(1, from: version)
        last.next = next
        last = next
        if version == 150_000 { kept = next }
      }
      #expect(census.alive == 200_001)
    }
    #expect(census.alive == 50_001)
    #expect(kept?.holding(200_000).next == nil)
    kept = nil
    #expect(census.alive == 0)
  }

  // MARK: The capacity of the next chunk

  // Passes the first `count` slots of a chunk.
  private func pass(_ count: Int, of chunk: LogChunk<Int>) {
    var weight: UInt32 = 1
    for version in 0..<UInt64(count) { _ = chunk.take(version, &weight, isNewest: false) }
  }

  private func full(_ capacity: Int) -> LogChunk<Int> {
    let chunk = LogChunk<Int>(from: 0, capacity: capacity)
    for index in 0..<capacity { chunk.writtenWhileLocked(index, UInt64(index), pending: 1) }
    return chunk
  }

  @Test(arguments: [(1, 4), (4, 8), (32, 64), (64, 64)])
  func `no reader has passed a slot: the next chunk has twice as many`(capacity: Int, next: Int) {
    #expect(full(capacity).extendWhileLocked(to: UInt64(capacity)).capacity == next)
  }

  @Test(arguments: [(1, 4), (4, 4), (8, 4), (64, 32)])
  func `all readers have passed all slots: the next chunk has half as many`(capacity: Int, next: Int) {
    let chunk = full(capacity)
    pass(capacity, of: chunk)
    #expect(chunk.extendWhileLocked(to: UInt64(capacity)).capacity == next)
  }

  @Test
  func `the readers have passed some slots: the next chunk has as many`() {
    let chunk = full(16)
    pass(1, of: chunk)
    #expect(chunk.extendWhileLocked(to: 16).capacity == 16)
    #expect(chunk.next?.firstVersion == 16)
  }

  // MARK: Restarting

  @Test(arguments: [1, 4])
  func `a small chunk whose slots are empty restarts`(capacity: Int) {
    let chunk = full(capacity)
    pass(capacity, of: chunk)
    let version = UInt64(capacity)
    #expect(chunk.restartedWhileLocked(at: version))
    #expect(chunk.firstVersion == version)
    #expect(chunk.holds(version) && !chunk.holds(2 * version))
    chunk.writtenWhileLocked(7, version, pending: 1)
    var weight: UInt32 = 1
    #expect(chunk.take(version, &weight, isNewest: true) == 7)
  }

  @Test(arguments: 0..<4)
  func `a chunk does not restart while a slot holds a value`(slot: UInt64) {
    let chunk = full(4)
    var weight: UInt32 = 1
    for version in 0..<4 as Range<UInt64> where version != slot {
      _ = chunk.take(version, &weight, isNewest: false)
    }
    #expect(!chunk.restartedWhileLocked(at: 4))
    // Finished, but not cleared yet. Other tests pass the slot as the newest one, and as the last of two readers.
    #expect(chunk.passed(slot, &weight, isNewest: false))
    #expect(!chunk.restartedWhileLocked(at: 4))
    #expect(chunk.firstVersion == 0)
    chunk.clear(slot)
    #expect(chunk.restartedWhileLocked(at: 4))
  }

  @Test
  func `a chunk does not restart while its only reader takes the newest value out`() {
    let chunk = full(1)
    #expect(chunk.claimed(0, 1))
    #expect(chunk.count(of: 0).isFinished)
    #expect(!chunk.restartedWhileLocked(at: 1))
    chunk.clear(0)
    #expect(chunk.restartedWhileLocked(at: 1))
  }

  @Test(arguments: [true, false])
  func `a chunk does not restart between the last of two readers and its clearing`(isNewest: Bool) {
    let chunk = LogChunk(start: 5, at: 0)
    #expect(chunk.joinedWhileLocked(0))
    var weight: UInt32 = 1
    #expect(!chunk.passed(0, &weight, isNewest: isNewest))
    #expect(chunk.passed(0, &weight, isNewest: isNewest))
    #expect(!chunk.restartedWhileLocked(at: 1))
    chunk.clear(0)
    #expect(chunk.restartedWhileLocked(at: 1))
  }

  @Test
  func `a large chunk does not restart`() {
    let chunk = full(8)
    pass(8, of: chunk)
    #expect(!chunk.restartedWhileLocked(at: 8))
  }

  private struct Page: Sendable {
    typealias Words = (Int, Int, Int, Int, Int, Int, Int, Int, Int, Int)
    let first: (Words, Words, Words, Words, Words)
    let second: (Words, Words, Words, Words, Words)

    init() {
      let words: Words = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      first = (words, words, words, words, words)
      second = (words, words, words, words, words)
    }
  }

  @Test
  func `a chunk of large values has few slots`() {
    #expect(LogChunk<Page>.largestCapacity == 2)
    let chunk = LogChunk<Page>(start: Page(), at: 0)
    #expect(chunk.extendWhileLocked(to: 1).capacity == 2)
  }
}
