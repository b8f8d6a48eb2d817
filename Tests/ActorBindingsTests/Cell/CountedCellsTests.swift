import ActorBindings
import Testing

@Suite
struct CountedCellsTests {
  @Test(arguments: 1...5)
  func `each cell is counted once, however many there are`(_ count: Int) {
    let cells = (1...count).map { Cell($0) }
    var counted = CountedCells()
    for (index, cell) in cells.enumerated() {
      let isFirst = counted.insert(cell)
      #expect(isFirst)
      let repeats = cells[...index].filter { counted.insert($0) }
      #expect(repeats.isEmpty)
    }
  }
}
