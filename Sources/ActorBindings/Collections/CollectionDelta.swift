/// A change as it goes over a connection: what the receiver must do, and the version to which this leads.
///
/// ```swift
/// try await socket.send(encoder.encode(change.delta))  // on the server
/// // On the client:
/// try rows.apply(validating: decoder.decode(Delta.self, from: message))
/// ```
///
/// A delta is encoded as `{"version": 7, "reset": …}`, with the whole collection, or as `{"version": 7, "edits": […]}`.
/// A ``CollectionChange`` is encoded in the same way. It cannot be decoded, because it also holds the whole collection
/// after the change.
public struct CollectionDelta<Whole: PersistentCollection>: Sendable {
  /// What the receiver must do.
  public let content: CollectionChange<Whole>.Content
  /// The version of the update to which this leads. Versions count the updates of one cell. They say nothing about
  /// another cell, or about the same cell after its process was started again.
  public let version: UInt64

  /// Creates a delta.
  @inlinable
  public init(_ content: CollectionChange<Whole>.Content, version: UInt64) {
    self.content = content
    self.version = version
  }
}

extension CollectionDelta: Equatable where Whole: Equatable, Whole.Edit: Equatable {}

extension CollectionChange {
  /// This change without the collection, for a receiver in another process.
  @inlinable
  public var delta: CollectionDelta<Whole> { CollectionDelta(content, version: version) }
}

// MARK: - Encoding

private enum DeltaKey: String, CodingKey {
  case version, reset, edits

  static let contents: [DeltaKey] = [.reset, .edits]
}

extension CollectionChange.Content: Encodable where Whole: Encodable, Whole.Edit: Encodable {
  /// Encodes an object with the key `reset` or the key `edits`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DeltaKey.self)
    try encode(to: &container)
  }

  fileprivate func encode(to container: inout KeyedEncodingContainer<DeltaKey>) throws {
    switch self {
    case .reset(let whole): try container.encode(whole, forKey: .reset)
    case .edits(let edits): try container.encode(edits, forKey: .edits)
    }
  }
}

extension CollectionChange.Content: Decodable where Whole: Decodable, Whole.Edit: Decodable {
  /// Decodes an object with the key `reset` or the key `edits`. Throws a `DecodingError` if it has both keys, or none.
  public init(from decoder: any Decoder) throws {
    try self.init(from: try decoder.container(keyedBy: DeltaKey.self))
  }

  fileprivate init(from container: KeyedDecodingContainer<DeltaKey>) throws {
    switch try container.onlyKey(of: DeltaKey.contents) {
    case .reset: self = .reset(try container.decode(Whole.self, forKey: .reset))
    default: self = .edits(try container.decode([Whole.Edit].self, forKey: .edits))
    }
  }
}

extension CollectionDelta: Encodable where Whole: Encodable, Whole.Edit: Encodable {
  /// Encodes an object with the key `version`, and the key `reset` or the key `edits`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DeltaKey.self)
    try container.encode(version, forKey: .version)
    try content.encode(to: &container)
  }
}

extension CollectionDelta: Decodable where Whole: Decodable, Whole.Edit: Decodable {
  /// Decodes an object with the key `version`, and the key `reset` or the key `edits`. Throws a `DecodingError` if a
  /// key is missing, or if there are both a reset and edits.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DeltaKey.self)
    version = try container.decode(UInt64.self, forKey: .version)
    content = try CollectionChange.Content(from: container)
  }
}

extension CollectionChange: Encodable where Whole: Encodable, Whole.Edit: Encodable {
  /// Encodes `delta`: the collection itself is not encoded, unless this is a reset.
  public func encode(to encoder: any Encoder) throws {
    try delta.encode(to: encoder)
  }
}

// MARK: - Applying

extension RangeReplaceableCollection where Self: MutableCollection, Element: Sendable, Index == Int {
  /// Applies a delta, if its edits fit. Otherwise throws, and changes nothing.
  @inlinable
  public mutating func apply(
    validating delta: CollectionDelta<PersistentArray<Element>>
  ) throws(InvalidEdit) {
    switch delta.content {
    case .reset(let all): self = Self(all)
    case .edits(let edits): try apply(validating: edits)
    }
  }
}

extension PersistentArray {
  /// Applies a delta, if its edits fit. Otherwise throws, and changes nothing.
  @inlinable
  public mutating func apply(
    validating delta: CollectionDelta<PersistentArray<Element>>
  ) throws(InvalidEdit) {
    switch delta.content {
    case .reset(let all): self = all
    case .edits(let edits): try apply(validating: edits)
    }
  }
}

extension Dictionary where Key: Sendable, Value: Sendable {
  /// Applies a delta, if its edits fit. Otherwise throws, and changes nothing.
  @inlinable
  public mutating func apply(
    validating delta: CollectionDelta<PersistentDictionary<Key, Value>>
  ) throws(InvalidEdit) {
    switch delta.content {
    case .reset(let all): self = Dictionary(all)
    case .edits(let edits): try apply(validating: edits)
    }
  }
}

extension PersistentDictionary {
  /// Applies a delta, if its edits fit. Otherwise throws, and changes nothing.
  @inlinable
  public mutating func apply(
    validating delta: CollectionDelta<PersistentDictionary<Key, Value>>
  ) throws(InvalidEdit) {
    switch delta.content {
    case .reset(let all): self = all
    case .edits(let edits): try apply(validating: edits)
    }
  }
}
