/// Combines the newest values of two sources. The combination is a `StateSource` if both sources are.
///
/// ```swift
/// let title = combineLatest(user.map(\.name), unread)
///   .map { name, unread in "\(name) (\(unread))" }
/// ```
///
/// An element holds what both sources held at one instant. If both sources derive from one cell, a reader never sees
/// one source before a change and the other source after that change. A reader never sees only one half of a
/// `BindingTransaction`. One change of that cell makes one element. The combination begins when both sources have a
/// value, and ends when both have ended. Until then an ended source keeps its last value. If one source ends without a
/// value, the combination delivers nothing.
///
/// The version of an element is the sum of the versions of the cells. `skipped` counts the updates of all these cells
/// that the reader did not look at. The backlogs `.bounded` and `.unbounded` count elements, as everywhere. With the
/// context `.cell`, a handler runs on the isolation of the first cell, but the `update` of that cell does not wait for
/// the handler.
///
/// Readers of one returned source share one joint cell. Each call creates another. While a reader is parked, a write to
/// either source wakes it, and the writer reads both cells.
@inlinable
public func combineLatest<First: BindingSource, Second: BindingSource>(
  _ first: First,
  _ second: Second
) -> DerivedSource<CombineLatestCursor<First.Cursor, Second.Cursor>> {
  DerivedSource(CombineLatestCursor(first.cursor, second.cursor))
}

/// Combines the newest values of three sources, as `combineLatest(_:_:)` does with two.
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

/// Combines the newest values of four sources, as `combineLatest(_:_:)` does with two.
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
