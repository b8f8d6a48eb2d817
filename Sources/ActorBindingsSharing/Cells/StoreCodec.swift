#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Turns values into the bytes of entries, and back.
///
/// The functions run without a lock, on the task that writes, or on the task that follows the store.
public struct StoreCodec<Value: Sendable>: Sendable {
  /// Returns the bytes of a value.
  public let encode: @Sendable (Value) throws -> [UInt8]
  /// Returns the value of bytes, which any process may have written.
  public let decode: @Sendable ([UInt8]) throws -> Value

  /// Creates a codec from two functions.
  ///
  /// ```swift
  /// let text = StoreCodec<String> {
  ///   Array($0.utf8)
  /// } decode: {
  ///   String(decoding: $0, as: UTF8.self)
  /// }
  /// ```
  public init(
    encode: @escaping @Sendable (Value) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Value
  ) {
    self.encode = encode
    self.decode = decode
  }
}

extension StoreCodec where Value: Codable {
  /// JSON, with sorted keys.
  public static var json: StoreCodec {
    StoreCodec { value in
      Array(try encoder.encode(value))
    } decode: { bytes in
      try decoder.decode(Value.self, from: Data(bytes))
    }
  }
}

// All codecs share them: creating them for each value takes a fifth of the time of encoding a number.
private let encoder = {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  return encoder
}()
private let decoder = JSONDecoder()
