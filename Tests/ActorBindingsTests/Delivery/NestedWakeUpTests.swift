import ActorBindings
import Testing

/// Contexts that run their work at once.
@Suite
struct NestedWakeUpTests {
  private let inline = DeliveryContext(id: "at once") { $0() }

  // Makes a chain of cells, each of which sends each value to the next cell.
  private func chain(_ count: Int, _ body: (_ cells: [BindableActor<Int>], _ seen: Counter) -> Void) {
    let cells = (0..<count).map { _ in BindableActor(0) }
    let seen = Counter()
    let tokens = cells.indices.map { index in
      let next = index + 1 < count ? cells[index + 1] : nil
      return cells[index].observe(on: inline) { value in
        if value == 0 { return }
        seen.add()
        next?.send(value)
      }
    }
    body(cells, seen)
    tokens.forEach { $0.cancel() }
  }

  @Test(arguments: [1, 63, 64, 65, 129, 20_000])
  func `a chain of cells is written to its end when send returns`(count: Int) {
    chain(count) { cells, seen in
      for value in 1...2 {
        cells[0].send(value)
        #expect(seen.value == value * count)
        #expect(cells.last?.value == value)
      }
    }
  }

  @Test
  func `wake-ups beyond the depth limit are served once, also when they branch`() {
    let depth = 200
    chain(depth) { cells, seen in
      let values = Recorder<Int>()
      let branches = cells.indices.map { index in
        cells[index].observe(on: DeliveryContext(id: "branch \(index)") { $0() }) { value in
          if value > 0 { values.record(index) }
        }
      }
      cells[0].send(1)
      #expect(seen.value == depth)
      #expect(values.elements.sorted() == Array(0..<depth))
      branches.forEach { $0.cancel() }
    }
  }
}
