import ActorBindings
import Foundation
import Testing

@Suite
struct PersistentArrayTests {
  @Test(arguments: 0..<100)
  func `a persistent array behaves like an array, and its copies do not change`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    var script = RandomEdits(length: [0, 5, 40, 400][Int(seed % 4)])
    for _ in 0..<300 {
      script.step(&numbers)
      #expect(script.list.elementsEqual(script.model))
      script.list.checkInvariants()
    }
    for (copy, model) in script.copies { #expect(Array(copy) == model) }
  }

  @Test(arguments: 0..<120)
  func `the steps between any two copies turn one into the other`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    var script = RandomEdits(length: [0, 5, 40, 400][Int(seed % 4)])
    for _ in 0..<60 { script.step(&numbers) }
    // Begins a second branch from one of the copies.
    var other = script
    (other.list, other.model) = script.copies.randomElement(using: &numbers) ?? ([], [])
    for _ in 0..<30 { other.step(&numbers) }
    let copies = script.copies + other.copies + [([], [])]
    for _ in 0..<40 {
      guard let old = copies.randomElement(using: &numbers), let new = copies.randomElement(using: &numbers)
      else { return }
      let edits = new.0.edits(from: old.0)
      var model = old.1
      for edit in edits {
        // The removed element is the one that the edit names.
        switch edit {
        case .remove(let offset, let element), .update(let offset, _, let element),
          .move(let offset, _, let element):
          #expect(model[offset] == element)
        case .insert: break
        }
        model.apply(edit)
      }
      #expect(model == new.1)
      var list = old.0
      list.apply(edits)
      #expect(Array(list) == new.1)
      list.checkInvariants()
    }
  }

  @Test
  func `unchanged nodes are not visited`() {
    let old = PersistentArray(0..<100_000)
    var new = old
    for index in 0..<10 { new.update(-index, at: index * 9_973) }
    new.append(-10)
    new.remove(at: 0)
    #expect(new.edits(from: old).count == 11)
    #expect(new.visits(from: old) < 250)
    #expect(old.visits(from: old) == 0)
  }

  @Test
  func `each step is the smallest one`() {
    let old: PersistentArray = ["a", "b", "c", "d", "e"]
    func edits(_ change: (inout PersistentArray<String>) -> Void) -> [ArrayEdit<String>] {
      var new = old
      change(&new)
      return new.edits(from: old)
    }
    #expect(edits { $0.append("f") } == [.insert(offset: 5, element: "f")])
    #expect(edits { $0.insert("f", at: 0) } == [.insert(offset: 0, element: "f")])
    #expect(edits { $0.remove(at: 1) } == [.remove(offset: 1, element: "b")])
    #expect(edits { $0[2] = "x" } == [.update(offset: 2, element: "x", old: "c")])
    #expect(edits { $0.move(from: 0, to: 4) } == [.move(from: 0, to: 4, element: "a")])
    #expect(edits { $0.move(from: 4, to: 1) } == [.move(from: 4, to: 1, element: "e")])
    #expect(
      edits {
        $0.append("f"); $0.removeLast()
      } == []
    )
    #expect(
      edits {
        $0[2] = "x"; $0.move(from: 2, to: 0)
      } == [.remove(offset: 2, element: "c"), .insert(offset: 0, element: "x")]
    )
    #expect(
      edits { $0.swapAt(0, 3) }
        == [.move(from: 3, to: 0, element: "d"), .move(from: 1, to: 3, element: "a")]
    )
  }

  @Test
  func `sorting moves the elements that are out of order`() {
    let old: PersistentArray = [1, 2, 9, 3, 4, 0, 5]
    var new = old
    new.sort()
    #expect(Array(new) == [0, 1, 2, 3, 4, 5, 9])
    #expect(new.edits(from: old) == [.move(from: 5, to: 0, element: 0), .move(from: 3, to: 6, element: 9)])
  }

  @Test(arguments: 0..<60)
  func `replacing all elements keeps as many as possible`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    for _ in 0..<20 {
      let kinds = [1, 3, 10, 1000][Int(seed % 4)]
      func some() -> [Int] {
        (0..<Int.random(in: 0..<40, using: &numbers)).map { _ in Int.random(in: 0..<kinds, using: &numbers) }
      }
      let (old, new) = (some(), some())
      let before = PersistentArray(old)
      var list = before
      list.replaceAll(with: new)
      #expect(Array(list) == new)
      list.checkInvariants()
      let difference = CollectionDifference(list.edits(from: before))
      #expect(difference.count == new.difference(from: old).count)
    }
  }

  @Test
  func `a sliding window is sent as insertions and removals`() {
    let old = PersistentArray(0..<10_000)
    var new = old
    new.replaceAll(with: 3..<10_003)
    #expect(Array(new) == Array(3..<10_003))
    #expect(new.edits(from: old).count == 6)
    #expect(new.visits(from: old) < 50)
  }

  @Test
  func `if very much differs, only elements at the same offset are kept`() {
    let old = PersistentArray(0..<3_500)
    var new = old
    new.replaceAll(with: (0..<3_000).map { $0 % 10 == 0 ? $0 : -$0 })
    #expect(new.elementsEqual((0..<3_000).map { $0 % 10 == 0 ? $0 : -$0 }))
    #expect(new.edits(from: old).count == 2_700 + 500)
  }

  @Test
  func `filtered elements keep their identity`() {
    let old = PersistentArray(0..<1000)
    let new: PersistentArray = old.filter { $0 % 100 != 7 }
    #expect(Array(new) == (0..<1000).filter { $0 % 100 != 7 })
    #expect(new.edits(from: old).count == 10)
    #expect(old.filter { _ in true }.visits(from: old) == 0)
    #expect(throws: CancellationError.self) { try old.filter { _ in throw CancellationError() } }
    #expect(old.count == 1000)
  }

  /// A value that shows whether it is written in place by its only owner.
  private final class Page: Sendable {}
  private struct Notes: Sendable {
    var page = Page()
    mutating func isAlone() -> Bool { isKnownUniquelyReferenced(&page) }
  }

  @Test
  func `elements are changed in place while no copy exists`() {
    var notes = PersistentArray((0..<1000).map { _ in Notes() })
    let inPlace = notes[700].isAlone()
    let copy = notes
    let shared = notes[7].isAlone()
    #expect([inPlace, shared] == [true, false])
    #expect(copy.count == 1000)
  }

  @Test
  func `a changed element has a new identity, and no other element has`() {
    for count in [3, 40, 2000] {
      let old = PersistentArray(0..<count)
      var new = old
      new[2] += 10
      #expect(new.edits(from: old) == [.update(offset: 2, element: 12, old: 2)])
      #expect(Array(old) == Array(0..<count))
      new.checkInvariants()
    }
  }

  @Test
  func `applying steps makes another array`() {
    let old: PersistentArray = ["a", "b"]
    let new = old.applying([.insert(offset: 2, element: "c"), .move(from: 0, to: 2, element: "a")])
    #expect(Array(new) == ["b", "c", "a"])
    #expect(Array(old) == ["a", "b"])
  }

  @Test
  func `a persistent array is encoded like an array`() throws {
    let list: PersistentArray = ["a", "b"]
    let data = try JSONEncoder().encode(list)
    #expect(String(decoding: data, as: UTF8.self) == #"["a","b"]"#)
    #expect(try JSONDecoder().decode(PersistentArray<String>.self, from: data) == list)
  }

  @Test
  func `steps describe themselves`() {
    let edits: [ArrayEdit<String>] = [
      .insert(offset: 1, element: "a"), .remove(offset: 0, element: "b"),
      .update(offset: 2, element: "c", old: "d"), .move(from: 0, to: 2, element: "e"),
    ]
    #expect(
      edits.map { "\($0)" }
        == ["insert(a, at: 1)", "remove(b, at: 0)", "update(c, at: 2, old: d)", "move(e, from: 0, to: 2)"]
    )
  }

  @Test
  func `an array made from another one or from some of its elements keeps their identity`() {
    let old = PersistentArray(0..<100)
    let odd = old.filter { $0 % 2 == 1 }
    #expect(odd.elementsEqual((0..<100).filter { $0 % 2 == 1 }))
    #expect(odd.edits(from: old).count == 50)
    #expect(odd.allSatisfy { $0 % 2 == 1 })
    #expect(PersistentArray(old).edits(from: old).isEmpty)
    #expect(BindableArray(old).value.edits(from: old).isEmpty)
    var (one, other) = (old, PersistentArray(old))
    one.append(1)
    other.append(1)
    #expect(one.edits(from: other) == [.update(offset: 100, element: 1, old: 1)])
  }

  @Test
  func `elements of two branches of one array are never confused`() {
    var left: PersistentArray = [1]
    var right = left
    left.append(2)
    right.append(3)
    #expect(right.edits(from: left) == [.update(offset: 1, element: 3, old: 2)])
    left.removeAll()
    left.append(1)
    #expect(left.edits(from: right).count == 2)
  }
}

/// Edits an array and a model of it, and keeps copies of both on the way.
struct RandomEdits {
  var list: PersistentArray<Int>
  var model: [Int]
  var copies: [(PersistentArray<Int>, [Int])] = []

  init(length: Int) {
    model = Array(0..<length)
    list = PersistentArray(model)
  }

  mutating func step(_ numbers: inout Numbers) {
    if Int.random(in: 0..<4, using: &numbers) == 0 { copies.append((list, model)) }
    let element = Int.random(in: 0..<1000, using: &numbers)
    let end = model.count
    let index = end == 0 ? 0 : Int.random(in: 0..<end, using: &numbers)
    let other = end == 0 ? 0 : Int.random(in: 0..<end, using: &numbers)
    switch end == 0 ? 0 : Int.random(in: 0..<16, using: &numbers) {
    case 0, 1, 2:
      list.append(element)
      model.append(element)
    case 3, 4:
      list.insert(element, at: index)
      model.insert(element, at: index)
    case 5, 6, 7:
      #expect(list.remove(at: index) == model.remove(at: index))
    case 8, 9:
      list[index] = element
      model[index] = element
    case 10, 11:
      list.move(from: index, to: other)
      model.insert(model.remove(at: index), at: other)
    case 12:
      list.swapAt(index, other)
      model.swapAt(index, other)
    case 13:
      let range = min(index, other)..<max(index, other)
      let new = Array(repeating: element, count: Int.random(in: 0..<50, using: &numbers))
      list.replaceSubrange(range, with: new)
      model.replaceSubrange(range, with: new)
    case 14 where Int.random(in: 0..<6, using: &numbers) == 0:
      list.sort()
      model.sort()
    case 15 where Int.random(in: 0..<10, using: &numbers) == 0:
      list.removeAll()
      model.removeAll()
    case 15 where !copies.isEmpty:
      // Goes back to an earlier copy.
      (list, model) = copies[element % copies.count]
    default:
      break
    }
  }
}
