import ActorBindings
import Testing

@Suite
struct InvalidEditTests {
  private static let misfits: [(edits: [ArrayEdit<Int>], description: String)] = [
    ([.insert(offset: -1, element: 0)], "edit 0 inserts at offset -1 of 3 elements"),
    ([.insert(offset: 4, element: 0)], "edit 0 inserts at offset 4 of 3 elements"),
    ([.remove(offset: 3, element: 0)], "edit 0 removes at offset 3 of 3 elements"),
    ([.remove(offset: -1, element: 0)], "edit 0 removes at offset -1 of 3 elements"),
    ([.update(offset: 3, element: 0, old: 0)], "edit 0 updates offset 3 of 3 elements"),
    ([.update(offset: -1, element: 0, old: 0)], "edit 0 updates offset -1 of 3 elements"),
    ([.move(from: 3, to: 0, element: 0)], "edit 0 moves from 3 to 0 of 3 elements"),
    ([.move(from: 0, to: 3, element: 0)], "edit 0 moves from 0 to 3 of 3 elements"),
    ([.move(from: -1, to: 0, element: 0)], "edit 0 moves from -1 to 0 of 3 elements"),
    (
      [.remove(offset: 2, element: 3), .remove(offset: 2, element: 3)],
      "edit 1 removes at offset 2 of 2 elements"
    ),
    (
      [.insert(offset: 3, element: 4), .move(from: 0, to: 3, element: 1), .insert(offset: 5, element: 6)],
      "edit 2 inserts at offset 5 of 4 elements"
    ),
  ]

  @Test(arguments: misfits)
  func `a step that does not fit an array is refused, and nothing changes`(
    edits: [ArrayEdit<Int>],
    description: String
  ) {
    var array = [1, 2, 3]
    var persistent: PersistentArray = [1, 2, 3]
    let error = #expect(throws: InvalidEdit.self) { try array.apply(validating: edits) }
    #expect(error?.description == description)
    #expect(throws: InvalidEdit.self) { try persistent.apply(validating: edits) }
    #expect(array == [1, 2, 3])
    #expect(persistent == [1, 2, 3])
  }

  @Test
  func `steps that fit are applied, up to both ends`() throws {
    let edits: [ArrayEdit<Int>] = [
      .insert(offset: 0, element: 0), .insert(offset: 4, element: 4), .move(from: 0, to: 4, element: 0),
      .update(offset: 4, element: 9, old: 0), .remove(offset: 0, element: 1),
    ]
    var array = [1, 2, 3]
    var persistent: PersistentArray = [1, 2, 3]
    try array.apply(validating: edits)
    try persistent.apply(validating: edits)
    #expect(array == [2, 3, 4, 9])
    #expect(Array(persistent) == array)
  }

  @Test(arguments: [
    ([DictionaryEdit.insert(key: "a", value: 2)], "edit 0 inserts a key that is there"),
    ([.update(key: "b", value: 2, old: 1)], "edit 0 updates a key that is missing"),
    ([.remove(key: "b", value: 1)], "edit 0 removes a key that is missing"),
    (
      [.remove(key: "a", value: 1), .insert(key: "c", value: 1), .insert(key: "a", value: 1)],
      "edit 2 names a key for the second time"
    ),
  ])
  func `a step that does not fit a dictionary is refused, and nothing changes`(
    edits: [DictionaryEdit<String, Int>],
    description: String
  ) {
    var dictionary = ["a": 1]
    var persistent: PersistentDictionary = ["a": 1]
    let error = #expect(throws: InvalidEdit.self) { try dictionary.apply(validating: edits) }
    #expect(error?.description == description)
    #expect(throws: InvalidEdit.self) { try persistent.apply(validating: edits) }
    #expect(dictionary == ["a": 1])
    #expect(persistent == ["a": 1])
  }

  @Test
  func `steps that fit a dictionary are applied`() throws {
    let edits: [DictionaryEdit<String, Int>] = [
      .update(key: "a", value: 5, old: 1), .remove(key: "b", value: 2), .insert(key: "c", value: 3),
    ]
    var dictionary = ["a": 1, "b": 2]
    var persistent: PersistentDictionary = ["a": 1, "b": 2]
    try dictionary.apply(validating: edits)
    try persistent.apply(validating: edits)
    #expect(dictionary == ["a": 5, "c": 3])
    #expect(persistent == ["a": 5, "c": 3])
  }
}
