import ActorBindings
import Foundation
import Testing

@Suite
struct EditCodingTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decoded<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
    try JSONDecoder().decode(T.self, from: Data(json.utf8))
  }

  @Test(arguments: [
    (ArrayEdit.insert(offset: 2, element: "tea"), #"{"element":"tea","insert":2}"#),
    (.remove(offset: 0, element: "tea"), #"{"element":"tea","remove":0}"#),
    (.update(offset: 1, element: "rye", old: "bread"), #"{"element":"rye","old":"bread","update":1}"#),
    (.move(from: 0, to: 3, element: "milk"), #"{"element":"milk","move":0,"to":3}"#),
  ])
  func `a step of an array has one form, and is decoded from it`(edit: ArrayEdit<String>, form: String) throws
  {
    #expect(try json(edit) == form)
    #expect(try decoded(ArrayEdit<String>.self, form) == edit)
  }

  @Test(arguments: [
    (DictionaryEdit.insert(key: "ACME", value: 12), #"{"insert":"ACME","value":12}"#),
    (.update(key: "ACME", value: 13, old: 12), #"{"old":12,"update":"ACME","value":13}"#),
    (.remove(key: "ACME", value: 13), #"{"remove":"ACME","value":13}"#),
  ])
  func `a step of a dictionary has one form, and is decoded from it`(
    edit: DictionaryEdit<String, Int>,
    form: String
  ) throws {
    #expect(try json(edit) == form)
    #expect(try decoded(DictionaryEdit<String, Int>.self, form) == edit)
  }

  @Test(arguments: [
    (#"{"insert":-1,"element":"tea"}"#, "The offset -1 of an edit is negative"),
    (#"{"remove":-7,"element":"tea"}"#, "The offset -7 of an edit is negative"),
    (#"{"move":0,"to":-1,"element":"tea"}"#, "The offset -1 of an edit is negative"),
    (
      #"{"element":"tea"}"#,
      "There must be exactly one of the keys insert, remove, update, move, and there are 0"
    ),
    (
      #"{"insert":1,"remove":1,"element":"tea"}"#,
      "There must be exactly one of the keys insert, remove, update, move, and there are 2"
    ),
  ])
  func `an impossible step of an array is refused with its reason`(form: String, reason: String) throws {
    do {
      let edit = try decoded(ArrayEdit<String>.self, form)
      Issue.record("decoded \(edit)")
    } catch DecodingError.dataCorrupted(let context) {
      #expect(context.debugDescription == reason)
    }
  }

  @Test(arguments: [
    #"{"insert":1}"#, #"{"update":1,"element":"tea"}"#, #"{"move":1,"element":"tea"}"#, #"{"insert":"1"}"#,
    #"{"insert":1.5,"element":"tea"}"#, "[]", "7", #"{"insert":99999999999999999999,"element":"tea"}"#,
  ])
  func `what is no step of an array throws a decoding error`(form: String) {
    #expect(throws: DecodingError.self) { try decoded(ArrayEdit<String>.self, form) }
  }

  @Test(arguments: [
    #"{"value":1}"#, #"{"insert":"a","update":"a","value":1,"old":1}"#, #"{"insert":"a"}"#,
    #"{"update":"a","value":1}"#, #"{"remove":1,"value":1}"#,
  ])
  func `what is no step of a dictionary throws a decoding error`(form: String) {
    #expect(throws: DecodingError.self) { try decoded(DictionaryEdit<String, Int>.self, form) }
  }

  @Test
  func `keys that are not strings are encoded as they encode themselves`() throws {
    let edit = DictionaryEdit.insert(key: 7, value: true)
    #expect(try json(edit) == #"{"insert":7,"value":true}"#)
    #expect(try decoded(DictionaryEdit<Int, Bool>.self, #"{"insert":7,"value":true}"#) == edit)
  }
}
