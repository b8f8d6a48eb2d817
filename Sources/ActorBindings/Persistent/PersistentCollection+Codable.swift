// Each persistent collection encodes itself as the collection of the standard library does, so each can be decoded as
// the other. All decoded elements are new: they share nothing with the encoded collection.

extension PersistentArray: Encodable where Element: Encodable {
  /// Encodes the elements as `Array` does.
  public func encode(to encoder: any Encoder) throws {
    try Array(self).encode(to: encoder)
  }
}

extension PersistentArray: Decodable where Element: Decodable {
  /// Decodes the elements as `Array` does.
  public init(from decoder: any Decoder) throws {
    self.init(try Array(from: decoder))
  }
}

extension PersistentDictionary: Encodable where Key: Encodable, Value: Encodable {
  /// Encodes the entries as `Dictionary` does.
  public func encode(to encoder: any Encoder) throws {
    try Dictionary(self).encode(to: encoder)
  }
}

extension PersistentDictionary: Decodable where Key: Decodable, Value: Decodable {
  /// Decodes the entries as `Dictionary` does.
  public init(from decoder: any Decoder) throws {
    self.init(try Dictionary(from: decoder))
  }
}
