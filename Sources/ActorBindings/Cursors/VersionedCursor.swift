/// A value together with the update that it stems from.
public struct Update<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value
  /// The number of the update. It rises by one with each.
  public let version: UInt64
  /// How many updates this reader never got to look at since the element before. What an operator looked at
  /// and rejected is not among them.
  public let skipped: Int
  /// It is the update that was current when this reader began.
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
  /// A source of this one's values together with version and number of skipped updates.
  ///
  /// ```swift
  /// prices.map(\.eur).versioned().observe(on: .queue(ticker)) { update in
  ///   print(update.value, "after", update.skipped, "that this reader did not look at")
  /// }
  /// ```
  ///
  /// It counts for the reader that it is part of. Put it last: an operator behind it that rejects an update
  /// rejects what this update counted too.
  @inlinable
  public func versioned() -> DerivedSource<VersionedCursor<Cursor>> {
    DerivedSource(VersionedCursor(base: cursor))
  }
}

/// The cursor of `versioned`.
public struct VersionedCursor<Base: BindingCursor>: BindingCursor {
  @usableFromInline var base: Base
  // Skipped before what was looked at and rejected.
  @usableFromInline var carried: UInt64 = 0

  @inlinable
  init(base: Base) {
    self.base = base
  }

  /// The innermost cursor.
  @inlinable
  public var root: CellCursor<Base.Origin> {
    get { base.root }
    _modify { yield &base.root }
  }

  /// The next element with its version.
  @inlinable
  public mutating func next(in round: Round<Base.Origin>?) -> Pull<Update<Base.Element>> {
    switch base.next(in: round) {
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
