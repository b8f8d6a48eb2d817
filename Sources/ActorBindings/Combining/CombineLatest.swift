/// Combines the newest values of two sources. If both are states, so is the combination.
///
/// ```swift
/// let title = combineLatest(user.map(\.name), unread).map { name, unread in "\(name) (\(unread))" }
/// ```
///
/// An element holds what both sources held at one instant. If both are made of one cell, a reader never sees one source
/// before a change and the other after it. Nor does a reader ever see one half of a `BindingTransaction`. One change
/// makes one element. The combination begins when both sources have a value, and ends when both have ended.
///
/// The version of an element is the sum of the versions of the cells. `skipped` counts updates of the cells that the
/// reader did not look at. `.bounded` and `.unbounded` count elements, as everywhere. `on: .cell` means the isolation of
/// the first cell, but the `update` of that cell does not wait for these handlers.
///
/// Readers of one returned source share one joint cell. Each call creates another.
@inlinable
public func combineLatest<First: BindingSource, Second: BindingSource>(
  _ first: First,
  _ second: Second
) -> DerivedSource<CombineLatestCursor<First.Cursor, Second.Cursor>> {
  DerivedSource(CombineLatestCursor(first.cursor, second.cursor))
}

/// Combines the newest values of three sources.
@inlinable
public func combineLatest<First: BindingSource, Second: BindingSource, Third: BindingSource>(
  _ first: First,
  _ second: Second,
  _ third: Third
) -> DerivedSource<
  MapCursor<
    CombineLatestCursor<CombineLatestCursor<First.Cursor, Second.Cursor>, Third.Cursor>,
    (First.Value, Second.Value, Third.Value)
  >
> {
  combineLatest(combineLatest(first, second), third).map { ($0.0, $0.1, $1) }
}

/// Combines the newest values of four sources. For more sources, pass a combination to `combineLatest`.
@inlinable
public func combineLatest<
  First: BindingSource,
  Second: BindingSource,
  Third: BindingSource,
  Fourth: BindingSource
>(
  _ first: First,
  _ second: Second,
  _ third: Third,
  _ fourth: Fourth
) -> DerivedSource<
  MapCursor<
    CombineLatestCursor<
      CombineLatestCursor<First.Cursor, Second.Cursor>,
      CombineLatestCursor<Third.Cursor, Fourth.Cursor>
    >,
    (First.Value, Second.Value, Third.Value, Fourth.Value)
  >
> {
  combineLatest(combineLatest(first, second), combineLatest(third, fourth))
    .map { ($0.0, $0.1, $1.0, $1.1) }
}
