import ActorBindings
import Testing

/// Compares the log of a cell with a model that knows the position of each unbounded reader.
@Suite
struct LogModelTests {
  private typealias Citizen = Census.Citizen

  private struct Walk {
    let census = Census()
    let cell: Cell<Citizen>
    var newest: UInt64 = 0
    var readers: [ReadPosition<Citizen>] = []
    var random: Numbers

    init(seed: UInt64) {
      random = Numbers(seed: seed)
      cell = Cell(census.citizen(0))
    }

    mutating func step() {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<40: publish()
      case 40..<48: if readers.count < 8 { join() }
      case 48..<55: leave()
      case 55..<90: advance(by: 1)
      case 90..<97: advance(by: .random(in: 1...70, using: &random))
      default: advance(by: .max)
      }
      check()
    }

    mutating func publish() {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        newest += 1
        cell.send(census.citizen(Int(newest)))
      }
    }

    mutating func join() {
      readers.append(cell.locked { $0.joined(depth: .max, at: $1.version) })
    }

    mutating func leave() {
      guard let index = readers.indices.randomElement(using: &random) else { return }
      var position = readers.remove(at: index)
      let evicted = cell.locked { [cell] in $0.left(&position, at: $1.version, of: cell) }
      position.chunk = nil
      _ = consume evicted
    }

    mutating func advance(by count: UInt64) {
      guard let index = readers.indices.randomElement(using: &random) else { return }
      let unseen = newest &- readers[index].seen
      for _ in 0..<min(unseen, count) {
        let expected = readers[index].seen &+ 1
        guard case .element(let citizen, let stamp) = cell.next(at: &readers[index], in: nil) else {
          return #expect(Bool(false), "version \(expected) was lost")
        }
        #expect(citizen.number == Int(expected))
        #expect(stamp.version == expected)
      }
    }

    func check() {
      // A value lives while it is current, or while a reader has still to pass it.
      let behind = readers.map { newest &- $0.seen }.max() ?? 0
      #expect(census.alive == max(1, Int(behind)))
      cell.locked { state, roster in
        state.checkInvariants(roster)
        // Departed readers stand at slots that have not been passed, or belong to the weight of another reader.
        let carried = readers.reduce(0) { $0 + $1.weight }
        precondition(state.logWeight >= carried, "the log counts fewer readers than there are")
        if behind == 0 { precondition(state.logWeight == carried, "readers that have left still count") }
      }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the log holds what its slowest reader has not passed, and nothing else`(seed: UInt64) {
    var walk = Walk(seed: seed)
    for _ in 0..<2_000 { walk.step() }
    while !walk.readers.isEmpty {
      walk.leave()
      walk.check()
    }
    #expect(walk.census.alive == 1)
  }
}
