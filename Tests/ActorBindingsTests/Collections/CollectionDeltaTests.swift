import ActorBindings
import Foundation
import Testing

@Suite
struct CollectionDeltaTests {
  private typealias Delta = CollectionDelta<PersistentArray<String>>

  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decoded<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
    try JSONDecoder().decode(T.self, from: Data(json.utf8))
  }

  @Test
  func `a reset has the whole collection, and edits have only the steps`() async throws {
    let board = BindableArray(["bread"])
    var changes = board.changes(backlog: .unbounded).makeAsyncIterator()
    board.append("milk")
    let first = try #require(await changes.next())
    let second = try #require(await changes.next())
    #expect(try json(first) == #"{"reset":["bread"],"version":0}"#)
    #expect(try json(second) == #"{"edits":[{"element":"milk","insert":1}],"version":1}"#)
    #expect(try json(second.delta) == json(second))
    #expect(try json(second.content) == #"{"edits":[{"element":"milk","insert":1}]}"#)
    #expect(try decoded(Delta.self, json(first)) == first.delta)
    #expect(try decoded(Delta.self, json(second)) == second.delta)
    #expect(try decoded(ArrayChange<String>.Content.self, json(second.content)) == second.content)
  }

  @Test
  func `a dictionary is encoded as an object`() async throws {
    let prices = BindableDictionary(["ACME": 12])
    var changes = prices.changes(backlog: .unbounded).makeAsyncIterator()
    prices.set(13, forKey: "ACME")
    #expect(try json(#require(await changes.next())) == #"{"reset":{"ACME":12},"version":0}"#)
    #expect(
      try json(#require(await changes.next()))
        == #"{"edits":[{"old":12,"update":"ACME","value":13}],"version":1}"#
    )
  }

  @Test(arguments: [
    #"{"version":1}"#, #"{"edits":[]}"#, #"{"edits":[],"reset":[],"version":1}"#,
    #"{"edits":[],"version":-1}"#,
    #"{"edits":[{"insert":-1,"element":"a"}],"version":1}"#, #"{"reset":[1],"version":1}"#,
  ])
  func `what is no delta throws a decoding error`(form: String) {
    #expect(throws: DecodingError.self) { try decoded(Delta.self, form) }
  }

  @Test
  func `a receiver that applies each decoded delta has the collection`() async throws {
    let (board, prices) = (BindableArray(0..<40), BindableDictionary<Int, Int>())
    var boardChanges = board.changes(backlog: .unbounded).makeAsyncIterator()
    var priceChanges = prices.changes(backlog: .unbounded).makeAsyncIterator()
    var (rows, table): ([Int], [Int: Int]) = ([], [:])
    var (persistentRows, persistentTable): (PersistentArray<Int>, PersistentDictionary<Int, Int>) = ([], [:])
    var random = SystemRandomNumberGenerator()
    for round in 0..<200 {
      board.modify { board in
        for _ in 0..<3 {
          let offset = Int.random(in: 0..<board.count, using: &random)
          switch round % 4 {
          case 0: board.insert(round, at: offset)
          case 1: board.move(from: offset, to: board.count - 1)
          case 2: board.update(round, at: offset)
          default: board.remove(at: offset)
          }
        }
      }
      prices.modify { prices in
        prices[round % 17] = round % 5 == 0 ? nil : round
        prices[round % 7] = round
      }
      let arrayForm = try json(#require(await boardChanges.next()))
      let arrayDelta = try decoded(CollectionDelta<PersistentArray<Int>>.self, arrayForm)
      try rows.apply(validating: arrayDelta)
      try persistentRows.apply(validating: arrayDelta)
      let dictionaryForm = try json(#require(await priceChanges.next()))
      let dictionaryDelta = try decoded(CollectionDelta<PersistentDictionary<Int, Int>>.self, dictionaryForm)
      try table.apply(validating: dictionaryDelta)
      try persistentTable.apply(validating: dictionaryDelta)
    }
    try rows.apply(validating: #require(await boardChanges.next()).delta)
    try table.apply(validating: #require(await priceChanges.next()).delta)
    #expect(rows == Array(board.value))
    #expect(table == Dictionary(prices.value))
    #expect(persistentRows.count > 0 && persistentTable.count > 0)
  }

  @Test
  func `a delta that does not fit is refused, and a reset always fits`() throws {
    var (rows, table) = (["a"], ["a": 1])
    #expect(throws: InvalidEdit.self) {
      try rows.apply(validating: Delta(.edits([.remove(offset: 1, element: "b")]), version: 1))
    }
    #expect(throws: InvalidEdit.self) {
      try table.apply(
        validating: CollectionDelta<PersistentDictionary>(.edits([.remove(key: "b", value: 1)]), version: 1)
      )
    }
    #expect(rows == ["a"] && table == ["a": 1])
    try rows.apply(validating: Delta(.reset(["x"]), version: 2))
    try table.apply(validating: CollectionDelta<PersistentDictionary>(.reset(["x": 2]), version: 2))
    #expect(rows == ["x"] && table == ["x": 2])
  }
}
