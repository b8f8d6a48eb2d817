extension BindingSource {
  /// Ends each reader after `count` values.
  ///
  /// ```swift
  /// for await reading in sensor.prefix(10).values(backlog: .unbounded) { … }
  /// ```
  ///
  /// Each reader counts the values that it receives. So with the backlog `.latest` it does not count the values that it
  /// skips. It ends with its last value, and does not wait for another update. If `count` is 0, the reader ends at
  /// once. If the source ends before, the reader ends with it.
  ///
  /// A combination of this source keeps the last value, and ends when its cells have ended. A `switchToLatest`,
  /// `debounce` or `throttle` behind this source has one reader, so all its readers share one count.
  ///
  /// - Parameter count: The number of values, at least 0.
  @inlinable
  public func prefix(_ count: Int) -> some BindingSource<Value> {
    precondition(count >= 0, "prefix(\(count)): a reader cannot receive a negative number of values")
    return DerivedSource(PrefixCursor(base: cursor, count: count))
  }

  /// Ends each reader at the first value for which `isIncluded` is false. The reader does not receive that value.
  ///
  /// ```swift
  /// for await progress in job.prefix(while: { $0 < 1 }).values { … }
  /// ```
  ///
  /// With the backlog `.latest`, `isIncluded` checks only the newest value. So a reader may skip the value at which it
  /// would end. A combination of this source keeps the last value, and ends when its cells have ended.
  ///
  /// `isIncluded` runs once for each reader and value, and does not run again after it was false. A reader that begins
  /// with a value that does not fit ends without a value.
  @inlinable
  public func prefix(while isIncluded: @escaping @Sendable (Value) -> Bool) -> some BindingSource<Value> {
    DerivedSource(PrefixWhileCursor(base: cursor, isIncluded: isIncluded))
  }
}

/// The cursor of `prefix` with a number.
@usableFromInline
struct PrefixCursor<Base: BindingCursor>: WrappingCursor {
  @usableFromInline var base: Base
  // The number of elements that this cursor may still return.
  @usableFromInline var count: Int

  @inlinable
  init(base: Base, count: Int) {
    self.base = base
    self.count = count
  }

  /// Returns the next element, or `finished` if this cursor has returned all its elements.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Base.Element> {
    if count == 0 { return .finished }
    let pull = base.next(in: pass)
    if case .element = pull { count -= 1 }
    return pull
  }
}

/// The cursor of `prefix` with a predicate.
@usableFromInline
struct PrefixWhileCursor<Base: BindingCursor>: WrappingCursor {
  @usableFromInline var base: Base
  @usableFromInline let isIncluded: @Sendable (Base.Element) -> Bool
  @usableFromInline var hasEnded = false

  @inlinable
  init(base: Base, isIncluded: @escaping @Sendable (Base.Element) -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  /// Returns the next element, or `finished` if `isIncluded` is false for it, or was false before.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Base.Element> {
    if hasEnded { return .finished }
    let pull = base.next(in: pass)
    guard case .element(let element, _) = pull, !isIncluded(element) else { return pull }
    hasEnded = true
    return .finished
  }
}
