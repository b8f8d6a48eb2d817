import ActorBindingsEtcd
import Foundation
import Testing

@Suite struct JSONReaderTests {
  /// Reads the field `a` of an object by `read`; nil if the text is no JSON.
  private func field<Value>(
    of text: String,
    _ read: (inout JSONReader) throws(JSONReader.Malformed) -> Value
  ) -> Value? {
    var reader = JSONReader(Array(text.utf8))
    var value: Value?
    try? reader.object { name, reader throws(JSONReader.Malformed) in
      guard name == "a" else { return false }
      value = try read(&reader)
      return true
    }
    return value
  }

  private func isObject(_ text: String) -> Bool {
    var reader = JSONReader(Array(text.utf8))
    do {
      try reader.object { _, _ in false }
      return true
    } catch {
      return false
    }
  }

  @Test(arguments: ["0", "9007199254740993", "18446744073709551615"])
  func `a number is a string of digits, or a number of JSON`(digits: String) {
    #expect(
      field(of: #"{"a":"\#(digits)"}"#) { r throws(JSONReader.Malformed) in try r.number() } == UInt64(digits)
    )
    #expect(
      field(of: "{ \"a\" : \(digits) }") { r throws(JSONReader.Malformed) in try r.number() }
        == UInt64(digits)
    )
  }

  @Test(arguments: [#""""#, #""-1""#, #""18446744073709551616""#, "1.5", "1e3", "-1", "true", #""1"#, "{}"])
  func `anything else is no number`(text: String) {
    #expect(field(of: "{\"a\":\(text)}") { r throws(JSONReader.Malformed) in try r.number() } == nil)
  }

  @Test func `a string may have escapes, also surrogate pairs`() {
    let text = #"{"a":"q\" b\\ s\/ n\n t\t r\r \b \f é \u00e9 \ud83d\ude00"}"#
    let value = field(of: text) { r throws(JSONReader.Malformed) in try r.string() }
    #expect(value == "q\" b\\ s/ n\n t\t r\r \u{8} \u{c} é é 😀")
  }

  @Test(arguments: [
    #""\x""#, #""\u12""#, #""\u-000""#, #""\u+123""#, #""\ud83d""#, #""\ud83dx""#, #""\ude00""#, "\"\n\"",
    "\"a", "1",
  ])
  func `a string with a wrong escape or without an end is none`(text: String) {
    #expect(field(of: "{\"a\":\(text)}") { r throws(JSONReader.Malformed) in try r.string() } == nil)
  }

  @Test func `bytes that are no UTF-8 are no string`() {
    var reader = JSONReader([0x22, 0xff, 0x22])
    #expect(throws: JSONReader.Malformed.self) { try reader.string() }
  }

  @Test func `a field that is null or not known is skipped with all that it contains`() {
    let text = #"{"x":[{"a":1},[2,"}]\"",-1.5e3],{}],"y":{"a":{"a":3}},"a":null,"z":true,"a":"7"}"#
    #expect(field(of: text) { r throws(JSONReader.Malformed) in try r.number() } == 7)
  }

  @Test func `what is skipped may be nested deeply`() {
    let text = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
    #expect(field(of: #"{"x":\#(text),"a":"7"}"#) { r throws(JSONReader.Malformed) in try r.number() } == 7)
  }

  @Test(arguments: [
    "", "<html>", "[]", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":[1}"#, "{a:1}", #"{"a":1,}"#,
  ])
  func `other text is no object`(text: String) {
    #expect(!isObject(text))
  }

  @Test func `every cut of an object is no object`() {
    let text = #"{"a":[{"b":"c\n"},null,12],"d":true}"#
    #expect(isObject(text))
    for count in 0..<text.count { #expect(!isObject(String(text.prefix(count))), "\(text.prefix(count))") }
  }

  // MARK: Base64

  @Test(arguments: 0..<70) func `base64 is that of Foundation, both ways`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
    var text: [UInt8] = []
    Base64.encode(bytes, into: &text)
    #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
    #expect(Base64.decode(text[...]) == bytes)
  }

  @Test(arguments: ["A", "AA", "AAA", "====", "A===", "AA=A", "A=AA", "AAAA=", "AA A", "AA-_", "AAé="])
  func `other text is no base64`(text: String) {
    #expect(Base64.decode(Array(text.utf8)[...]) == nil)
  }

  @Test func `base64 whose slashes are escaped is read too`() {
    #expect(
      field(of: #"{"a":"\/\/8="}"#) { r throws(JSONReader.Malformed) in try r.base64() } == [0xff, 0xff]
    )
  }
}
