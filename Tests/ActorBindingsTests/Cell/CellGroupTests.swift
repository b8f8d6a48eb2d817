import ActorBindings
import Testing

@Suite
struct CellGroupTests {
  @Test
  func `a group has each cell once, in the order of the addresses`() {
    let cells: [AnyCell] = (0..<9).map { _ in Cell(0) }
    let ordered = cells.map(ObjectIdentifier.init).sorted()
    let orders: [[AnyCell]] = [cells, cells.reversed(), cells.shuffled(), cells + cells.reversed()]
    for order in orders { #expect(CellGroup(order).cells.map(ObjectIdentifier.init) == ordered) }
  }

  @Test
  func `the group of two cells has the cells that these show, in the order of the addresses`() {
    let cells: [Cell<Int>] = (0..<9).map { _ in Cell(0) }
    for (left, right) in Swift.zip(cells, cells.dropFirst()) {
      let ordered = [left, right].map { ObjectIdentifier($0) }.sorted()
      #expect(CellGroup(joining: left, right).cells.map { ObjectIdentifier($0) } == ordered)
      #expect(CellGroup(joining: right, left).cells.map { ObjectIdentifier($0) } == ordered)
      #expect(CellGroup(joining: left, left).cells.count == 1)
      let joint = Cell(joining: CellCursor(cell: left), CellCursor(cell: right), for: "test")
      #expect(CellGroup(joining: joint, right).cells.map { ObjectIdentifier($0) } == ordered)
      #expect(CellGroup(joining: left, joint).cells.map { ObjectIdentifier($0) } == ordered)
    }
  }

  @Test(arguments: 0...9)
  func `each cell is found at its place, and no other cell is found`(count: Int) {
    let cells: [AnyCell] = (0..<count).map { Cell($0) }
    let group = CellGroup(cells)
    for cell in cells { #expect(group.index(of: cell).map { group.cells[$0] } === cell) }
    #expect(group.index(of: Cell(0)) == nil)
  }
}
