import ActorBindings

extension Town {
  private struct Refusal: Error {}

  /// Changes cells in every way, ends some cells, and replaces these by new cells.
  func write(_ steps: Int) async {
    for step in 0..<steps {
      if step % 10 == 9 { await Task.yield() }
      if step % 5 == 4 { townHall.send(parcel()) }
      figures.writes.add()
      let house = someHouse()
      switch Int.random(in: 0..<20) {
      case 0..<6: house.send(parcel())
      case 6..<9: house.modify { $0 = parcel() }
      case 9: house.sendIfChanged(parcel())
      case 10: house.compareAndSet(house.value, parcel())
      case 11..<14: await house.update(parcel())
      case 14..<16: await house.update { $0 = parcel() }
      case 16: try? house.modify { _ throws(Refusal) in throw Refusal() }
      case 17: for _ in 0..<40 { house.send(parcel()) }
      case 18: rebuild().finish()
      // Deallocation of the cell is a finish too.
      default: _ = rebuild()
      }
    }
  }
}
