import ActorBindings
import Testing

/// Tests `page(offset:count:)` and `reversed`.
@Suite
struct PageTests {
  @Test(arguments: 0..<80)
  func `pages and reversed arrays follow each change`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    var script = RandomEdits(length: [0, 5, 40, 300][Int(seed % 4)])
    let (cell, context) = (BindableActor(script.list), ManualContext())
    let pages = [(0, 10), (3, 4), (1, 1), (20, 1000), (2, 0), (5, .max)].map { offset, count in
      (offset, count, ArrayMirror(cell.page(offset: offset, count: count), context))
    }
    let reversed = ArrayMirror(cell.reversed(), context, .unbounded)
    let last = ArrayMirror(cell.reversed().page(count: 5), context, .bounded(2))
    let top = ArrayMirror(cell.sorted(by: >).page(offset: 2, count: 5).reversed(), context)
    for _ in 0..<80 {
      for _ in 0..<Int.random(in: 0..<4, using: &numbers) {
        script.step(&numbers)
        cell.send(script.list)
      }
      context.run()
      let model = script.model
      for (offset, count, mirror) in pages {
        #expect(mirror.rows == Array(model.dropFirst(offset).prefix(count)))
      }
      #expect(reversed.rows == model.reversed())
      #expect(last.rows == Array(model.reversed().prefix(5)))
      #expect(top.rows == model.sorted(by: >).dropFirst(2).prefix(5).reversed())
    }
  }

  @Test
  func `each move makes the fewest edits of a page`() {
    for source in 0..<8 {
      for destination in 0..<8 {
        let (cell, context) = (BindableArray(0..<8), ManualContext())
        let mirror = ArrayMirror(cell.page(offset: 2, count: 3), context)
        context.run()
        cell.move(from: source, to: destination)
        context.run()
        #expect(mirror.rows == Array(cell.value[2..<5]))
        let (isInside, willBeInside) = (2..<5 ~= source, 2..<5 ~= destination)
        let crosses = (source < 2 && destination >= 5) || (source >= 5 && destination < 2)
        switch (isInside, willBeInside) {
        case (true, true): #expect(mirror.changeCount == (source == destination ? 1 : 2))
        case (false, false) where !crosses: #expect(mirror.changeCount == 1)
        default: #expect((mirror.lastEdits?.count ?? .max) <= 2)
        }
      }
    }
  }

  @Test
  func `a change behind the page is no update, and a change before it is two edits`() {
    let (cell, context) = (BindableArray(0..<100), ManualContext())
    let mirror = ArrayMirror(cell.page(offset: 10, count: 20), context)
    context.run()
    cell.append(100)
    cell.remove(at: 30)
    context.run()
    #expect(mirror.changeCount == 1)
    cell.insert(-1, at: 0)
    context.run()
    #expect(mirror.lastEdits == [.remove(offset: 19, element: 29), .insert(offset: 0, element: 9)])
    cell.remove(at: 3)
    context.run()
    #expect(mirror.lastEdits == [.remove(offset: 0, element: 9), .insert(offset: 19, element: 29)])
  }

  @Test
  func `a move is a move in the reversed array`() {
    let (cell, context) = (BindableArray(0..<5), ManualContext())
    let mirror = ArrayMirror(cell.reversed(), context)
    context.run()
    cell.move(from: 0, to: 3)
    context.run()
    #expect(mirror.lastEdits == [.move(from: 4, to: 1, element: 0)])
  }

  @Test
  func `pages of a state are states`() {
    let cell = BindableArray([3, 1, 2])
    #expect(Array(cell.page(count: 2).value) == [3, 1])
    #expect(Array(cell.reversed().value) == [2, 1, 3])
  }
}
