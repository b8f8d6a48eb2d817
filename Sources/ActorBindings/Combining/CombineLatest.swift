/// A source of the newest values of two sources, together. Of two states it makes a state.
///
/// ```swift
/// let title = combineLatest(user.map(\.name), unread).map { name, unread in "\(name) (\(unread))" }
/// ```
///
/// What a reader is handed was there at one instant: of two sources that stem from one cell it never sees the one
/// before a change and the other after it, nor one half of a `BindingTransaction`. One change makes one element. It
/// begins when both sources have a value, and ends when both have ended.
///
/// A version of it is the sum of those of its cells. `skipped` counts updates of the cells that the reader never got to
/// look at; `.bounded` and `.unbounded` count elements, as everywhere. `on: .cell` means the isolation of the first
/// cell, but its `update` does not wait for these handlers.
///
/// Its readers share what follows the cells; each call makes that anew.
@inlinable
public func combineLatest<First: BindingSource, Second: BindingSource>(
  _ first: First,
  _ second: Second
) -> DerivedSource<CombineLatestCursor<First.Cursor, Second.Cursor>> {
  DerivedSource(CombineLatestCursor(first.cursor, second.cursor))
}

/// A source of the newest values of three sources, together.
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

/// A source of the newest values of four sources, together. For more, combine combinations.
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
