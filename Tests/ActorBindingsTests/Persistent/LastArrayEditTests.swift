import ActorBindings
import Testing

/// What an array knows of its last step.
@Suite
struct LastArrayEditTests {
  @Test
  func `an array knows the step that made it, unless there were several`() {
    let old: PersistentArray = ["a", "b", "c", "d"]
    func known(_ change: (inout PersistentArray<String>) -> Void) -> [ArrayEdit<String>]? {
      var new = old
      change(&new)
      return new.knownEdits(from: old)
    }
    #expect(known { _ in } == [])
    #expect(known { $0.append("e") } == [.insert(offset: 4, element: "e")])
    #expect(known { $0.insert("e", at: 1) } == [.insert(offset: 1, element: "e")])
    #expect(known { $0.remove(at: 1) } == [.remove(offset: 1, element: "b")])
    #expect(known { $0.update("e", at: 2) } == [.update(offset: 2, element: "e", old: "c")])
    #expect(known { $0[3] += "!" } == [.update(offset: 3, element: "d!", old: "d")])
    #expect(known { $0.move(from: 0, to: 2) } == [.move(from: 0, to: 2, element: "a")])
    #expect(known { $0.move(from: 2, to: 2) } == [])
    let several: [(inout PersistentArray<String>) -> Void] = [
      {
        $0.append("e"); $0.append("f")
      },
      {
        $0.append("e"); $0.removeLast()
      },
      { $0.sort() },
      { $0.swapAt(0, 1) },
      { $0.replaceSubrange(1..<2, with: ["e"]) },
      { $0.removeAll { $0 == "b" } },
      { $0.removeAll() },
      { $0.apply(["a", "b", "d"].difference(from: $0)) },
    ]
    for change in several { #expect(known(change) == nil) }
    // The elements of another array may be equal, but they are other elements.
    #expect(PersistentArray(Array(old)).knownEdits(from: old) == nil)
    #expect(PersistentArray<String>().knownEdits(from: PersistentArray()) == [])
  }

  @Test
  func `an array does not take one branch for another`() {
    let old: PersistentArray = [1]
    var (left, right) = (old, old)
    left.append(2)
    right.append(3)
    #expect(left.knownEdits(from: right) == nil)
    #expect(right.knownEdits(from: left) == nil)
    let copy = left
    left.append(4)
    right = copy
    right.append(5)
    #expect(left.knownEdits(from: old) == nil)
    #expect(left.knownEdits(from: copy) == [.insert(offset: 2, element: 4)])
    #expect(right.knownEdits(from: copy) == [.insert(offset: 2, element: 5)])
    #expect(right.knownEdits(from: left) == nil)
    right.replaceAll(with: [3, 1], id: \.self)
    #expect(right.edits(from: copy) == [.remove(offset: 1, element: 2), .insert(offset: 0, element: 3)])
  }

  @Test(arguments: 0..<40)
  func `a known step turns one copy into the other`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    var script = RandomEdits(length: [0, 5, 40, 400][Int(seed % 4)])
    var knownSteps = 0
    for _ in 0..<200 {
      let before = script.list
      script.step(&numbers)
      for old in script.copies.map(\.0) + [before] {
        guard let edits = script.list.knownEdits(from: old) else { continue }
        knownSteps += edits.count
        #expect(Array(old.applying(edits)) == script.model)
      }
    }
    #expect(knownSteps > 50)
  }
}
