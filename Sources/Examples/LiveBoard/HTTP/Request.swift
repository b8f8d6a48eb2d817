/// A client's request: the parts that this server uses.
package struct Request: Sendable, Equatable {
  package var method: String
  package var path: String
  /// The parameters behind the `?`, decoded, in order.
  package var query: [Parameter]
  /// The `id:` of the last event that an `EventSource` received before its connection broke.
  package var lastEventID: UInt64?

  package struct Parameter: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(method: String, path: String, query: [Parameter] = [], lastEventID: UInt64? = nil) {
    self.method = method
    self.path = path
    self.query = query
    self.lastEventID = lastEventID
  }

  /// Returns all values of one parameter.
  package func values(of name: String) -> [String] {
    query.filter { $0.name == name }.map(\.value)
  }
}

extension Request {
  /// Splits a target in origin form, such as `/events?symbol=ACME`. Returns nil if the target has another form.
  init?(method: String, target: [UInt8]) {
    guard target.first == UInt8(ascii: "/") else { return nil }
    let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = decoded(parts[0]) else { return nil }
    self.init(method: method, path: path)
    guard parts.count > 1 else { return }
    for pair in parts[1].split(separator: UInt8(ascii: "&")) {
      let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(sides[0]), let value = decoded(sides.count > 1 ? sides[1] : []) else {
        return nil
      }
      query.append(Parameter(name: name, value: value))
    }
  }
}

/// Decodes `%2F` and the like. Returns nil if an escape is malformed, or the result is not text.
private func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
  var plain: [UInt8] = []
  var rest = bytes
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      plain.append(byte)
      continue
    }
    guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
    plain.append(high << 4 | low)
  }
  return String(validating: plain, as: UTF8.self)
}

extension UInt8 {
  fileprivate var hexValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
