extension BindingSource {
  /// Puts a value before the first value of this source, for each reader that begins while the source has none.
  ///
  /// ```swift
  /// let shown = search.debounce(for: .seconds(1)).orInitially("")
  /// // Begins at once:
  /// let line = combineLatest(name, alerts.orInitially(.none))
  /// ```
  ///
  /// A reader receives `initial` only if the source has no value for the reader when the reader begins: an
  /// `EventSource`, for example, or a source behind `filter` or `debounce`. If the source then ends without a value,
  /// the reader receives `initial`, and ends.
  ///
  /// The result is no `StateSource`: two readers of one source may have different first values, so the source has no
  /// value of its own. `BindableActor(initially:of:)` makes a cell with one value for all readers.
  @inlinable
  public func orInitially(_ initial: Value) -> some BindingSource<Value> {
    DerivedSource(InitiallyCursor(base: cursor, initial: initial))
  }

  /// Replaces nil by `replacement`. The result is a `StateSource` if this source is one.
  ///
  /// Each nil is replaced, so two updates to nil make two equal values. It costs what `map` costs.
  @inlinable
  public func replaceNil<Wrapped>(
    with replacement: Wrapped
  ) -> DerivedSource<MapCursor<Cursor, Wrapped>> where Value == Wrapped? {
    map { $0 ?? replacement }
  }
}

/// The cursor of `orInitially`.
@usableFromInline
struct InitiallyCursor<Base: BindingCursor>: WrappingCursor {
  @usableFromInline var base: Base
  // Nil once the reader has received an element.
  @usableFromInline var initial: Base.Element?

  @inlinable
  init(base: Base, initial: Base.Element) {
    self.base = base
    self.initial = initial
  }

  /// Returns the next element, or the initial element if the first update has none.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Base.Element> {
    let pull = base.next(in: pass)
    guard let initial = initial.take() else { return pull }
    // A reader begins with an update, so its first answer is neither `idle` nor `finished`, except behind operators
    // that end by themselves.
    guard case .rejected(let stamp) = pull else { return pull }
    return .element(initial, stamp)
  }
}
