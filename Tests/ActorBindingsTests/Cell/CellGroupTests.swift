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
}
