import ActorBindings
import Testing

/// The events of a slot of the log, in each of its states.
@Suite
struct SlotCountTests {
  private let chunk = LogChunk<Int>(from: 7, capacity: 2)

  // A chunk whose first slot is pending, for readers with this weight.
  private func pending(_ weight: UInt32) -> LogChunk<Int> {
    let chunk = LogChunk(start: 5, at: 7)
    for _ in 1..<weight { #expect(chunk.joinedWhileLocked(7)) }
    return chunk
  }

  @Test
  func `a slot that is not written is empty`() {
    #expect(chunk.count(of: 7) == .empty)
    #expect(chunk.count(of: 8) == .empty)
  }

  @Test
  func `joined, pending: one reader more`() {
    #expect(pending(3).count(of: 7) == SlotCount(pending: 3))
  }

  @Test
  func `joined, empty: the value is gone`() {
    let chunk = pending(1)
    var weight: UInt32 = 1
    #expect(chunk.take(7, &weight, isNewest: true) == 5)
    #expect(!chunk.joinedWhileLocked(7))
    #expect(chunk.count(of: 7) == .empty)
  }

  @Test
  func `joined, finished: the value is about to go`() {
    let chunk = pending(1)
    #expect(chunk.departed(7, 1) == 1)
    #expect(!chunk.joinedWhileLocked(7))
  }

  @Test(arguments: [true, false])
  func `passed by the last reader: finished`(isNewest: Bool) {
    let chunk = pending(1)
    var weight: UInt32 = 1
    #expect(chunk.passed(7, &weight, isNewest: isNewest))
    #expect(weight == 1)
    chunk.clear(7)
    #expect(chunk.count(of: 7) == .empty)
  }

  @Test(arguments: [true, false])
  func `passed by another reader: pending for the rest`(isNewest: Bool) {
    let chunk = pending(3)
    var weight: UInt32 = 2
    #expect(!chunk.passed(7, &weight, isNewest: isNewest))
    #expect(weight == 2)
    #expect(chunk.count(of: 7) == SlotCount(pending: 1))
  }

  @Test(arguments: [true, false])
  func `passed by the last reader of a slot with departed readers: it takes them along`(isNewest: Bool) {
    let chunk = pending(4)
    var (weight, other): (UInt32, UInt32) = (1, 1)
    #expect(chunk.departed(7, 2) == nil)
    #expect(!chunk.passed(7, &other, isNewest: isNewest))
    #expect(chunk.passed(7, &weight, isNewest: isNewest))
    #expect(weight == 3)
    #expect(other == 1)
    chunk.clear(7)
  }

  @Test
  func `departed, and another reader has still to pass: pending`() {
    let chunk = pending(3)
    #expect(chunk.departed(7, 1) == nil)
    let count = chunk.count(of: 7)
    #expect(count.pending == 3)
    #expect(count.departed == 1)
    #expect(!count.isFinished)
  }

  @Test
  func `departed as the last: finished, with the weight of all that have departed`() {
    let chunk = pending(3)
    var weight: UInt32 = 1
    #expect(chunk.departed(7, 1) == nil)
    #expect(!chunk.passed(7, &weight, isNewest: true))
    #expect(chunk.departed(7, 1) == 2)
    #expect(chunk.count(of: 7).isFinished)
  }
}
