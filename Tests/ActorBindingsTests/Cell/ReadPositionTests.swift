import ActorBindings
import Testing

/// What a reader receives, by its position: `next(at:in:)`.
@Suite
struct ReadPositionTests {
  private let cell = Cell(0)

  private func join(_ depth: UInt32) -> ReadPosition<Int> {
    cell.locked { $0.joined(depth: depth, at: $1.version) }
  }

  private func values(_ position: inout ReadPosition<Int>, in pass: PassSnapshot<Int>? = nil) -> [Int] {
    var values: [Int] = []
    while case .element(let value, _) = cell.next(at: &position, in: pass) { values.append(value) }
    return values
  }

  // A snapshot of what the cell holds now.
  private func pass() throws -> PassSnapshot<Int> {
    let pass = try #require(cell.makePassSnapshot() as? PassSnapshot<Int>)
    cell.locked { roster in cell.fillWhileLocked(pass, roster) }
    return pass
  }

  @Test(arguments: [(1, [3]), (2, [2, 3]), (3, [1, 2, 3]), (9, [0, 1, 2, 3])] as [(UInt32, [Int])])
  func `behind: at most depth values, the newest last, then idle`(depth: UInt32, expected: [Int]) {
    var position = join(depth)
    (1...3).forEach(cell.send)
    #expect(values(&position) == expected)
    guard case .idle = cell.next(at: &position, in: nil) else { return #expect(Bool(false), "not idle") }
  }

  @Test(arguments: [1, 2, UInt32.max])
  func `behind in the finished state: the remaining values, then always finished`(depth: UInt32) {
    var position = join(depth)
    cell.send(1)
    cell.finish()
    #expect(values(&position).last == 1)
    for _ in 0..<2 {
      guard case .finished = cell.next(at: &position, in: nil) else {
        return #expect(Bool(false), "not over")
      }
    }
  }

  @Test
  func `a cursor without a position has no position`() {
    #expect(!CellCursor(cell: cell).position.isTaken)
  }

  @Test
  func `an unbounded reader needs no lock`() {
    var position = join(.max)
    (1...1_000).forEach(cell.send)
    // The closure holds the lock: taking the lock again would end the process.
    cell.locked { _ in
      for expected in 0...1_000 {
        guard case .element(expected, _) = cell.next(at: &position, in: nil) else {
          return #expect(Bool(false), "not \(expected)")
        }
      }
    }
    cell.send(1_001)
    #expect(values(&position) == [1_001])
  }

  @Test(
    arguments: [
      (1, [1], [5]), (2, [1], [4, 5]), (.max, [0, 1], [2, 3, 4, 5]),
    ] as [(UInt32, [Int], [Int])]
  )
  func `in a pass: nothing that is newer than the pass`(depth: UInt32, inPass: [Int], later: [Int]) throws {
    var position = join(depth)
    cell.send(1)
    let pass = try pass()
    (2...5).forEach(cell.send)
    #expect(values(&position, in: pass) == inPass)
    #expect(values(&position) == later)
  }

  @Test(arguments: [1, 2, UInt32.max])
  func `a position outside the cell: what the snapshot shows, and not what the cell holds`(depth: UInt32) {
    (1...5).forEach(cell.send)
    var position = ReadPosition<Int>(shown: 5, depth: depth)
    let pass = PassSnapshot<Int>()
    pass.setVersion(5)
    pass.value = 7
    guard case .element(let value, let stamp) = cell.next(at: &position, in: pass) else {
      return #expect(Bool(false), "no element")
    }
    #expect(value == 7)
    #expect(stamp.version == 5)
    #expect(stamp.isInitial)
    #expect(values(&position, in: pass) == [])
  }

  @Test
  func `a snapshot holds its value until it is cleared`() throws {
    cell.send(1)
    let pass = try pass()
    cell.send(2)
    #expect(pass.value == 1)
    #expect(pass.version == 1)
    cell.clear(pass)
    #expect(pass.value == nil)
  }
}
