/// A value, the version of the update from which it stems, and the number of updates that the reader skipped before it.
public struct Update<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value
  /// The number of the update. It rises by one with each update.
  public let version: UInt64
  /// The number of updates that this reader has skipped since its previous element, without looking at them. It does
  /// not include updates that an operator looked at and rejected.
  public let skipped: Int
  /// Whether this is the update that was current when this reader began.
  public let isInitial: Bool

  @inlinable
  package init(value: Value, version: UInt64, skipped: Int, isInitial: Bool) {
    self.value = value
    self.version = version
    self.skipped = skipped
    self.isInitial = isInitial
  }
}

extension Update: Equatable where Value: Equatable {}

extension BindingSource {
  /// Adds to each value its version and the number of skipped updates.
  ///
  /// ```swift
  /// prices.map(\.eur).versioned().observe(on: .queue(ticker)) { update in
  ///   print(update.value, "after", update.skipped, "that were skipped")
  /// }
  /// ```
  ///
  /// Each reader counts its skipped updates separately. Put this operator last: if a later operator rejects an update,
  /// the number that the update carries is lost.
  ///
  /// The result is no `StateSource`, because `skipped` differs from reader to reader. Behind a combination the version
  /// is the sum of the versions of its cells.
  @inlinable
  public func versioned() -> some BindingSource<Update<Value>> {
    DerivedSource(VersionedCursor(base: cursor))
  }
}

/// The cursor of `versioned`.
@usableFromInline
package struct VersionedCursor<Base: BindingCursor>: WrappingCursor {
  /// Whether the wrapped cursor may be inlined into loops.
  @inlinable package static var mayBeInlinedIntoLoops: Bool { Base.mayBeInlinedIntoLoops }

  @usableFromInline package var base: Base
  // The sum of `skipped` in the stamps of the updates that the base cursor has rejected since the last element.
  @usableFromInline var carried: UInt64 = 0

  @inlinable
  package init(base: Base) {
    self.base = base
  }

  /// Returns the next element with its version.
  @inlinable
  package mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Update<Base.Element>> {
    switch base.next(in: pass) {
    case .element(let element, let stamp):
      let update = Update(
        value: element,
        version: stamp.version,
        skipped: Int(clamping: carried + stamp.skipped),
        isInitial: stamp.isInitial
      )
      carried = 0
      return .element(update, stamp)
    case .rejected(let stamp):
      carried += stamp.skipped
      return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }
}
