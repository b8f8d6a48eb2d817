extension BindingSource {
  /// Pairs each value with the value that the same reader received before it. The first value is paired with nil.
  ///
  /// ```swift
  /// status.withPrevious().observe(on: .queue(log)) { old, new in
  ///   print(old.map { "\($0) → \(new)" } ?? "\(new)")
  /// }
  /// ```
  ///
  /// The reader keeps the last value that it received. It may have skipped other values between the two values of a
  /// pair. The result is no `StateSource`, because two readers may have received different values before.
  @inlinable
  public func withPrevious() -> some BindingSource<(old: Value?, new: Value)> {
    DerivedSource(WithPreviousCursor(base: cursor))
  }
}

/// The cursor of `withPrevious`.
@usableFromInline
struct WithPreviousCursor<Base: BindingCursor>: WrappingCursor {
  /// The previous value, and the value.
  @usableFromInline typealias Element = (old: Base.Element?, new: Base.Element)

  @usableFromInline var base: Base
  @usableFromInline var last: Base.Element?

  @inlinable
  init(base: Base) {
    self.base = base
  }

  /// Returns the next element with the previous element.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    base.next(in: pass).map { element in
      defer { last = element }
      return (last, element)
    }
  }
}
