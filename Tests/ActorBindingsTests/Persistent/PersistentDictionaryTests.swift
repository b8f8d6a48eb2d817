import ActorBindings
import Foundation
import Testing

@Suite
struct PersistentDictionaryTests {
  @Test
  func `a persistent dictionary converts from and to a dictionary`() {
    let literal: PersistentDictionary = ["a": 1, "b": 2]
    #expect(literal == PersistentDictionary(uniqueKeysWithValues: [("b", 2), ("a", 1)]))
    #expect(literal == PersistentDictionary(["a": 1, "b": 2]))
    #expect(Dictionary(literal) == ["a": 1, "b": 2])
    #expect(PersistentDictionary<Int, Int>() == [:])
    #expect(Dictionary(PersistentDictionary<Int, Int>()).isEmpty)
  }

  @Test
  func `two pairs with the same key trap`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PersistentDictionary(uniqueKeysWithValues: [(1, 1), (1, 2)])
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("two pairs of a dictionary have the key 1"))
  }

  @Test
  func `entries are always iterated in the same order`() {
    let dictionary = PersistentDictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0 * $0) })
    #expect(dictionary.underestimatedCount == 1_000)
    #expect(dictionary.keys.count == 1_000)
    #expect(dictionary.keys.underestimatedCount == 1_000)
    #expect(dictionary.values.count == 1_000)
    #expect(dictionary.values.underestimatedCount == 1_000)
    #expect(!dictionary.keys.isEmpty && !dictionary.values.isEmpty)
    #expect(dictionary.map(\.key) == Array(dictionary.keys))
    #expect(dictionary.map(\.value) == Array(dictionary.values))
    #expect(dictionary.keys.sorted() == Array(0..<1_000))
    #expect(dictionary.allSatisfy { $0.value == $0.key * $0.key })
  }

  @Test
  func `an iterator visits the entries that existed when it was made`() {
    var dictionary: PersistentDictionary = [1: "a", 2: "b"]
    for (key, _) in dictionary { dictionary[key] = nil }
    #expect(dictionary.isEmpty)
  }

  @Test
  func `equal dictionaries have equal hashes, whatever was written to them before`() {
    let some = PersistentDictionary(uniqueKeysWithValues: (0..<100).map { ($0, "\($0)") })
    var other = PersistentDictionary(uniqueKeysWithValues: (0..<200).reversed().map { ($0, "\($0)") })
    #expect(some != other)
    for key in 100..<200 { other[key] = nil }
    #expect(some == other)
    #expect(some.hashValue == other.hashValue)
    other[7] = "seven"
    #expect(some != other)
    #expect(some.hashValue != other.hashValue)
  }

  @Test
  func `its description is that of a dictionary`() {
    #expect("\(PersistentDictionary<Int, Int>())" == "[:]")
    #expect("\(PersistentDictionary([1: "a"]))" == "\([1: "a"])")
    #expect("\(PersistentDictionary([1: "a", 2: "b"]))".split(separator: ", ").count == 2)
  }

  @Test
  func `filtered elements keep their identity`() {
    let old = PersistentDictionary(uniqueKeysWithValues: (0..<1000).map { ($0, $0) })
    let new: PersistentDictionary = old.filter { $0.value % 100 != 7 }
    #expect(new.count == 990)
    #expect(new.edits(from: old).count == 10)
    #expect(new.edits(from: old).allSatisfy { $0.newValue == nil && $0.key % 100 == 7 })
    new.checkInvariants()
    #expect(throws: CancellationError.self) { try old.filter { _ in throw CancellationError() } }
  }

  @Test
  func `values are transformed`() {
    let prices: PersistentDictionary = ["a": 1, "b": 2]
    #expect(prices.mapValues { $0 * 10 } == ["a": 10, "b": 20])
    #expect(prices.mapValues { $0 == 1 ? nil : $0 } == ["a": Int?.none, "b": 2])
    #expect(prices.compactMapValues { $0 == 1 ? nil : "\($0)" } == ["b": "2"])
  }

  @Test
  func `merging dictionaries keeps entries that only one of them has`() {
    let old: PersistentDictionary = ["a": 1, "b": 2]
    var new = old
    new.merge([("b", 10), ("c", 3), ("c", 4)]) { $0 + $1 }
    #expect(new == ["a": 1, "b": 12, "c": 7])
    #expect(Set(new.edits(from: old).map(\.key)) == ["b", "c"])
    #expect(old.merging(["b": 5]) { $1 } == ["a": 1, "b": 5])
    #expect(old.merging(new) { old, _ in old } == ["a": 1, "b": 2, "c": 7])
    #expect(old.merging([("a", 0)]) { $0 - $1 } == old)
    #expect(PersistentDictionary([("a", 1), ("a", 2)], uniquingKeysWith: +) == ["a": 3])
    #expect(PersistentDictionary(grouping: 1...4) { $0 % 2 } == [0: [2, 4], 1: [1, 3]])
  }

  @Test
  func `a persistent dictionary is encoded like a dictionary`() throws {
    let prices: PersistentDictionary = ["ACME": 12]
    let data = try JSONEncoder().encode(prices)
    #expect(String(decoding: data, as: UTF8.self) == #"{"ACME":12}"#)
    #expect(try JSONDecoder().decode(PersistentDictionary<String, Int>.self, from: data) == prices)
  }

  @Test
  func `steps describe themselves`() {
    let edits: [DictionaryEdit<String, Int>] = [
      .insert(key: "a", value: 1), .update(key: "b", value: 2, old: 1), .remove(key: "c", value: 3),
    ]
    #expect(edits.map { "\($0)" } == ["insert(a: 1)", "update(b: 2, old: 1)", "remove(c: 3)"])
  }

  /// A value that shows whether it is written in place by its only owner.
  private final class Page: Sendable {}
  private struct Notes: Sendable {
    var page = Page()
    mutating func isAlone() -> Bool { isKnownUniquelyReferenced(&page) }
  }

  @Test
  func `values are changed in place while no copy exists`() {
    var notes = PersistentDictionary(uniqueKeysWithValues: (0..<100).map { ($0, Notes()) })
    let alone = [
      notes[7]?.isAlone(), notes[7, default: Notes()].isAlone(), notes[700, default: Notes()].isAlone(),
    ]
    #expect(alone == [true, true, true])
    let absent = notes[701]?.isAlone()
    #expect(absent == nil)
    #expect(notes.count == 101)
    let copy = notes
    let shared = notes[7]?.isAlone()
    #expect(shared == false)
    #expect(copy.count == 101)
  }

  @Test
  func `a value that a change removes is released`() {
    let census = Census()
    var citizens = PersistentDictionary(uniqueKeysWithValues: (0..<100).map { ($0, census.citizen()) })
    func leave(_ citizen: inout Census.Citizen?) { citizen = nil }
    for key in 0..<50 { leave(&citizens[key]) }
    citizens.checkInvariants()
    #expect(census.alive == 50)
    let copy = citizens
    for key in 50..<100 { leave(&citizens[key]) }
    #expect(citizens.isEmpty)
    #expect(census.alive == 50)
    #expect(copy.count == 50)
  }

  @Test
  func `types of unusual sizes fit`() {
    var wide = PersistentDictionary<UInt8, SIMD8<Double>>()
    var narrow = PersistentDictionary<UInt8, Void>()
    for key in UInt8.min...(.max) {
      wide[key] = SIMD8(repeating: Double(key))
      narrow[key] = ()
    }
    let copy = wide
    for key in stride(from: UInt8.min, to: .max, by: 2) { wide[key] = nil }
    #expect(wide.count == 128 && copy.count == 256 && narrow.count == 256)
    #expect(wide.allSatisfy { $1 == SIMD8(repeating: Double($0)) })
    #expect(copy.allSatisfy { $1 == SIMD8(repeating: Double($0)) })
    wide.checkInvariants()
  }
}
