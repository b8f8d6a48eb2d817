import ActorBindings
import Testing

/// What a list of sources costs: the number of locks that a junction takes.
@Suite
struct ListJunctionTests {
  private static let length = 250

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `a write takes as many locks in a long list as in a short one`(backlog: Backlog) {
    let counts = [1, 4].map { factor in
      let list = Combined(length: factor * Self.length, backlog)
      list.context.run()
      let before = list.lockCount
      for number in 0..<100 {
        list.cells[number % list.cells.count].send(-number)
        list.context.run()
      }
      list.token.cancel()
      return list.lockCount - before
    }
    #expect(counts[0] > 0)
    // Leaving takes all locks.
    #expect(counts[1] - counts[0] <= 2 * 3 * Self.length)
    #expect(counts[0] <= 100 * 4 + 2 * Self.length)
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `to begin, to end and to leave takes a number of locks in proportion to the length`(backlog: Backlog) {
    for ends in [false, true] {
      let counts = [1, 4].map { factor in
        let list = Combined(length: factor * Self.length, backlog)
        list.context.run()
        if ends {
          for cell in list.cells {
            cell.finish()
            list.context.run()
          }
        }
        list.token.cancel()
        list.context.run()
        return list.lockCount
      }
      #expect(counts[1] <= 4 * counts[0])
      #expect(counts[0] <= 8 * Self.length)
    }
  }

  @Test
  func `a writer of a busy list adds one mark for each cell, unless a reader wants all values`() {
    // The first write wakes the reader, and so takes its mark.
    for (backlog, count) in [(Backlog.latest, 2), (.unbounded, 1000)] {
      let list = Combined(length: 2, backlog)
      list.context.run()
      let before = list.junction.markCount
      for number in 0..<1000 { list.cells[0].send(number) }
      #expect(list.junction.markCount - before == count)
      list.token.cancel()
      list.context.run()
    }
  }

  @Test
  func `tens of thousands of sources can be combined`() async {
    let cells = (0..<20_000).map { BindableActor($0) }
    let source = combineLatest(cells)
    var iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next()?.count == 20_000)
    for number in stride(from: 0, to: 20_000, by: 100) {
      cells[number].send(-1)
      #expect(await iterator.next()?[number] == -1)
    }
  }
}

private struct Combined {
  let cells: [BindableActor<Int>]
  let context = ManualContext()
  let junction: ListJunction<Int>
  let token: BindingToken

  init(length: Int, _ backlog: Backlog) {
    cells = (0..<length).map { BindableActor($0) }
    let source = combineLatest(cells)
    guard let junction = source.cursor.root.cell.upstream as? ListJunction<Int> else {
      preconditionFailure("a list has no list junction")
    }
    self.junction = junction
    token = source.observe(on: context.delivery, backlog: backlog) { _ in }
  }

  var lockCount: Int { junction.lockCount }
}
