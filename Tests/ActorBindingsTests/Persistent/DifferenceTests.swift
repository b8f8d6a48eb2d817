import ActorBindings
import Testing

/// Conversions between edits and a `CollectionDifference` of the standard library.
@Suite
struct DifferenceTests {
  @Test(arguments: 0..<40)
  func `a difference made from edits turns one array into the other`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    var script = RandomEdits(length: [0, 5, 40, 400][Int(seed % 4)])
    for _ in 0..<60 { script.step(&numbers) }
    for _ in 0..<20 {
      guard let old = script.copies.randomElement(using: &numbers),
        let new = script.copies.randomElement(using: &numbers)
      else { return }
      let difference = CollectionDifference(new.0.edits(from: old.0))
      #expect(old.1.applying(difference) == new.1)
      for case .remove(let offset, let element, _) in difference { #expect(old.1[offset] == element) }
      for case .insert(let offset, let element, _) in difference { #expect(new.1[offset] == element) }
      let list = old.0.applying(difference)
      list?.checkInvariants()
      #expect(list.map(Array.init) == new.1)
    }
  }

  @Test
  func `more than 64 moved elements become updates, insertions and removals`() {
    let old = PersistentArray(1...100)
    var new = old
    new.sort { $0 * 37 % 101 < $1 * 37 % 101 }
    let edits = new.edits(from: old)
    #expect(edits.allSatisfy { if case .move = $0 { false } else { true } })
    #expect(edits.contains { if case .update = $0 { true } else { false } })
    var list = Array(old)
    list.apply(edits)
    #expect(list == Array(new))
    // One element stays, and 64 elements move.
    let before = PersistentArray(0..<65)
    var fewer = before
    fewer.sort(by: >)
    #expect(fewer.edits(from: before).allSatisfy { if case .move = $0 { true } else { false } })
  }

  @Test(arguments: 0..<40)
  func `steps may come in any order`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    let old = Array(0..<[1, 5, 40, 400][Int(seed % 4)])
    var new = old
    var edits: [ArrayEdit<Int>] = []
    for _ in 0..<100 {
      let edit = randomEdit(of: new, &numbers)
      edits.append(edit)
      new.apply(edit)
    }
    let difference = CollectionDifference(edits)
    #expect(old.applying(difference) == new)
    for case .remove(let offset, let element, let target?) in difference {
      #expect(old[offset] == element)
      #expect(new[target] == element)
    }
    var list = PersistentArray(old)
    list.apply(difference)
    #expect(Array(list) == new)
  }

  private func randomEdit(of list: [Int], _ numbers: inout Numbers) -> ArrayEdit<Int> {
    let element = Int.random(in: 1000..<2000, using: &numbers)
    guard let source = list.indices.randomElement(using: &numbers),
      let other = list.indices.randomElement(using: &numbers)
    else { return .insert(offset: 0, element: element) }
    return switch Int.random(in: 0..<4, using: &numbers) {
    case 0: .insert(offset: Int.random(in: 0...list.count, using: &numbers), element: element)
    case 1: .remove(offset: source, element: list[source])
    case 2: .update(offset: source, element: element, old: list[source])
    default: .move(from: source, to: other, element: list[source])
    }
  }

  @Test
  func `a move is a removal and an insertion that name each other, an update is one of each`() {
    let edits: [ArrayEdit<String>] = [
      .remove(offset: 3, element: "d"),
      .move(from: 0, to: 2, element: "a"),
      .insert(offset: 0, element: "x"),
      .update(offset: 1, element: "B", old: "b"),
      .insert(offset: 0, element: "gone"),
      .remove(offset: 0, element: "gone"),
    ]
    #expect(
      Array(CollectionDifference(edits)) == [
        .remove(offset: 3, element: "d", associatedWith: nil),
        .remove(offset: 1, element: "b", associatedWith: nil),
        .remove(offset: 0, element: "a", associatedWith: 3),
        .insert(offset: 0, element: "x", associatedWith: nil),
        .insert(offset: 1, element: "B", associatedWith: nil),
        .insert(offset: 3, element: "a", associatedWith: 0),
      ]
    )
    #expect(CollectionDifference([ArrayEdit<Int>]()).isEmpty)
  }

  @Test
  func `elements that a difference moves or does not name keep their identity`() {
    let board = BindableArray(["a", "b", "c", "d"])
    let before = board.value
    let wanted = ["d", "a", "x", "c"]
    board.modify { $0.apply(wanted.difference(from: $0).inferringMoves()) }
    #expect(Array(board.value) == wanted)
    #expect(
      board.value.edits(from: before)
        == [.move(from: 3, to: 0, element: "d"), .update(offset: 2, element: "x", old: "b")]
    )
  }

  @Test
  func `an element that is moved and changed is not a move`() {
    let difference = CollectionDifference<String>([
      .remove(offset: 0, element: "a", associatedWith: 1),
      .insert(offset: 1, element: "A", associatedWith: 0),
      .remove(offset: 2, element: "c", associatedWith: 0),
      .insert(offset: 0, element: "c", associatedWith: 2),
    ])
    let list: PersistentArray = ["a", "b", "c"]
    let expected = difference.flatMap { Array(list).applying($0) }
    #expect(expected == ["c", "A", "b"])
    let result = difference.flatMap { list.applying($0) }
    #expect(result.map(Array.init) == expected)
    #expect(
      result?.edits(from: list)
        == [.move(from: 2, to: 0, element: "c"), .update(offset: 1, element: "A", old: "a")]
    )
  }

  @Test
  func `a difference of very many steps is correct`() {
    let old = PersistentArray(0..<4_000)
    var new = old
    new.removeAll { $0 % 2 == 0 }
    for place in 0..<1_000 { new.insert(-place, at: 3 * place) }
    let difference = CollectionDifference(new.edits(from: old))
    #expect(difference.removals.count == 2_000)
    #expect(difference.insertions.count == 1_000)
    #expect(Array(old).applying(difference) == Array(new))
  }

  @Test
  func `a difference that does not fit is not applied`() async {
    let list: PersistentArray = [1]
    let (longer, none) = (CollectionDifference([1, 2].difference(from: [])), [Int]())
    #expect(list.applying([1, 2].difference(from: [1, 2, 3])) == nil)
    #expect(list.applying([0, 0, 0, 0].difference(from: [0, 0])) == nil)
    #expect(list.applying([1, 2].difference(from: [1])) == [1, 2])
    #expect(longer.map { list.applying($0) } == [1, 2, 1])
    #expect(PersistentArray(none).applying(none.difference(from: [1])) == nil)
    await #expect(processExitsWith: .failure) {
      var list: PersistentArray = [1]
      list.apply([Int]().difference(from: [1, 2]))
    }
  }

  @Test
  func `a difference does not visit all of a long array`() {
    let edits: [ArrayEdit<Int>] = [
      .remove(offset: 1 << 40, element: 1), .insert(offset: 1 << 20, element: 2),
    ]
    #expect(
      Array(CollectionDifference(edits)) == [
        .remove(offset: 1 << 40, element: 1, associatedWith: nil),
        .insert(offset: 1 << 20, element: 2, associatedWith: nil),
      ]
    )
  }
}
