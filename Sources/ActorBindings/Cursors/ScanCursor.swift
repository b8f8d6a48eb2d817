extension BindingSource {
  /// Adds each value to a running result, which begins with `initial`.
  ///
  /// ```swift
  /// let highest = prices.map(\.eur).scan(0.0, max)
  /// ```
  ///
  /// Each reader adds the values that it receives to a result of its own. A reader with the backlog `.latest` does not
  /// add the values that it skips. Choose `.unbounded` if every value counts.
  ///
  /// The result is no `StateSource`, because two readers may have different results. Each reader keeps its last result.
  /// To share one result, use `BindableActor(initially:of:backlog:)` with the backlog `.unbounded`.
  ///
  /// - Parameters:
  ///   - initial: The result to which the first value is added.
  ///   - add: A function that returns the next result. It runs once for each reader and element, and never under a
  ///     lock.
  @inlinable
  public func scan<Result: Sendable>(
    _ initial: Result,
    _ add: @escaping @Sendable (Result, Value) -> Result
  ) -> some BindingSource<Result> {
    DerivedSource(ScanCursor(base: cursor, initial: initial, add: add))
  }
}

/// The cursor of `scan`.
@usableFromInline
struct ScanCursor<Base: BindingCursor, Element: Sendable>: WrappingCursor {
  @usableFromInline var base: Base
  @usableFromInline var result: Element
  @usableFromInline let add: @Sendable (Element, Base.Element) -> Element

  @inlinable
  init(base: Base, initial: Element, add: @escaping @Sendable (Element, Base.Element) -> Element) {
    self.base = base
    result = initial
    self.add = add
  }

  /// Returns the next result.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    base.next(in: pass).map { element in
      result = add(result, element)
      return result
    }
  }
}
