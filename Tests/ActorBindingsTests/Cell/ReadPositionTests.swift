import ActorBindings
import Testing

/// What a reader receives, by its position: `next(at:in:)`.
@Suite
struct ReadPositionTests {
  private let cell = Cell(0)

  private func join(_ depth: UInt32) -> ReadPosition<Int> {
    cell.locked { $0.joined(depth: depth, at: $1.version) }
  }

  private func values(_ position: inout ReadPosition<Int>) -> [Int] {
    var values: [Int] = []
    while case .element(let value, _) = cell.next(at: &position, in: nil) { values.append(value) }
    return values
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
}
