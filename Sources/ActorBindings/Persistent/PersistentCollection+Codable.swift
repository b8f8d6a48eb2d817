// They are written as the standard library writes its own, so each can be read as the other. What was read is new: nothing
// is known of what it was made of.

extension PersistentArray: Encodable where Element: Encodable {
  /// Writes the elements, as an array does.
  public func encode(to encoder: any Encoder) throws {
    try Array(self).encode(to: encoder)
  }
}

extension PersistentArray: Decodable where Element: Decodable {
  /// Reads the elements, as an array does.
  public init(from decoder: any Decoder) throws {
    self.init(try Array(from: decoder))
  }
}

extension PersistentDictionary: Encodable where Key: Encodable, Value: Encodable {
  /// Writes the entries, as a dictionary does.
  public func encode(to encoder: any Encoder) throws {
    try Dictionary(self).encode(to: encoder)
  }
}

extension PersistentDictionary: Decodable where Key: Decodable, Value: Decodable {
  /// Reads the entries, as a dictionary does.
  public init(from decoder: any Decoder) throws {
    self.init(try Dictionary(from: decoder))
  }
}
