// The encoded form of the steps is part of the public API: other programs, such as a page in a browser, read it. The
// key that names the step holds its offset or its key, so each step is one small object:
//
//     {"insert": 2, "element": "tea"}                 {"insert": "ACME", "value": 12}
//     {"remove": 2, "element": "tea"}                 {"remove": "ACME", "value": 12}
//     {"update": 1, "element": "rye", "old": "bread"} {"update": "ACME", "value": 13, "old": 12}
//     {"move": 0, "to": 3, "element": "milk"}

private enum ArrayEditKey: String, CodingKey, CaseIterable {
  case insert, remove, update, move
  case to, element, old

  static let steps: [ArrayEditKey] = [.insert, .remove, .update, .move]
}

extension ArrayEdit: Encodable where Element: Encodable {
  /// Encodes the step as an object, such as `{"insert": 2, "element": "tea"}`. A move also has the key `to`, and an
  /// update has the key `old`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ArrayEditKey.self)
    switch self {
    case .insert(let offset, let element):
      try container.encode(offset, forKey: .insert)
      try container.encode(element, forKey: .element)
    case .remove(let offset, let element):
      try container.encode(offset, forKey: .remove)
      try container.encode(element, forKey: .element)
    case .update(let offset, let element, let old):
      try container.encode(offset, forKey: .update)
      try container.encode(element, forKey: .element)
      try container.encode(old, forKey: .old)
    case .move(let source, let destination, let element):
      try container.encode(source, forKey: .move)
      try container.encode(destination, forKey: .to)
      try container.encode(element, forKey: .element)
    }
  }
}

extension ArrayEdit: Decodable where Element: Decodable {
  /// Decodes a step. Throws a `DecodingError` if the object names no step or several, or if an offset is negative.
  ///
  /// A decoded offset may be too large for the array. `apply(validating:)` finds that out.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ArrayEditKey.self)
    func offset(_ key: ArrayEditKey) throws -> Int {
      let offset = try container.decode(Int.self, forKey: key)
      if offset >= 0 { return offset }
      throw DecodingError.dataCorruptedError(
        forKey: key,
        in: container,
        debugDescription: "The offset \(offset) of an edit is negative"
      )
    }
    let element: () throws -> Element = { try container.decode(Element.self, forKey: .element) }
    switch try container.onlyKey(of: ArrayEditKey.steps) {
    case .insert: self = .insert(offset: try offset(.insert), element: try element())
    case .remove: self = .remove(offset: try offset(.remove), element: try element())
    case .update:
      let old = try container.decode(Element.self, forKey: .old)
      self = .update(offset: try offset(.update), element: try element(), old: old)
    default: self = .move(from: try offset(.move), to: try offset(.to), element: try element())
    }
  }
}

private enum DictionaryEditKey: String, CodingKey {
  case insert, remove, update
  case value, old

  static let steps: [DictionaryEditKey] = [.insert, .remove, .update]
}

extension DictionaryEdit: Encodable where Key: Encodable, Value: Encodable {
  /// Encodes the step as an object, such as `{"insert": "ACME", "value": 12}`. An update also has the key `old`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DictionaryEditKey.self)
    switch self {
    case .insert(let key, let value):
      try container.encode(key, forKey: .insert)
      try container.encode(value, forKey: .value)
    case .remove(let key, let value):
      try container.encode(key, forKey: .remove)
      try container.encode(value, forKey: .value)
    case .update(let key, let value, let old):
      try container.encode(key, forKey: .update)
      try container.encode(value, forKey: .value)
      try container.encode(old, forKey: .old)
    }
  }
}

extension DictionaryEdit: Decodable where Key: Decodable, Value: Decodable {
  /// Decodes a step. Throws a `DecodingError` if the object names no step or several.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DictionaryEditKey.self)
    let step = try container.onlyKey(of: DictionaryEditKey.steps)
    let key = try container.decode(Key.self, forKey: step)
    let value = try container.decode(Value.self, forKey: .value)
    switch step {
    case .insert: self = .insert(key: key, value: value)
    case .remove: self = .remove(key: key, value: value)
    default: self = .update(key: key, value: value, old: try container.decode(Value.self, forKey: .old))
    }
  }
}

extension KeyedDecodingContainer {
  /// Returns the only one of `keys` that the object has. Throws if the object has none of them, or several.
  package func onlyKey(of keys: [Key]) throws -> Key {
    let found = keys.filter(contains)
    if found.count == 1 { return found[0] }
    let names = keys.map(\.stringValue).joined(separator: ", ")
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "There must be exactly one of the keys \(names), and there are \(found.count)"
      )
    )
  }
}
