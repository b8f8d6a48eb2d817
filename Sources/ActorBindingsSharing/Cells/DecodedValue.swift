/// A decoded value on its way into a cell, of any type.
///
/// The code that decides and publishes is the same for all types of values. Code that is generic over the type looks its
/// own types up while it runs, which took a tenth of the time of a change over a store in memory.
class AnyDecodedValue: @unchecked Sendable {
  /// The value.
  ///
  /// - Precondition: The value was decoded as this type.
  final func value<Value: Sendable>(as type: Value.Type) -> Value {
    unsafe unsafeDowncast(self, to: DecodedValue<Value>.self).value
  }
}

/// A decoded value of a known type.
// @unchecked: as its superclass, which has no variable.
final class DecodedValue<Value: Sendable>: AnyDecodedValue, @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// Something that becomes visible.
enum SharedDecision: Sendable {
  /// The value of a key; nil if there is none.
  case value(key: String, AnyDecodedValue?)
  /// The link, or the readiness, has changed.
  case link
}
