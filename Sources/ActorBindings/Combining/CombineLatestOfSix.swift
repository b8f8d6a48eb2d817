/// Combines the newest values of five sources, as `combineLatest(_:_:)` does with two.
@inlinable
public func combineLatest<
  First: BindingSource,
  Second: BindingSource,
  Third: BindingSource,
  Fourth: BindingSource,
  Fifth: BindingSource
>(
  _ first: First,
  _ second: Second,
  _ third: Third,
  _ fourth: Fourth,
  _ fifth: Fifth
) -> DerivedSource<
  MapCursor<
    CombineLatestCursor<
      CombineLatestCursor<
        CombineLatestCursor<First.Cursor, Second.Cursor>,
        CombineLatestCursor<Third.Cursor, Fourth.Cursor>
      >,
      Fifth.Cursor
    >,
    (First.Value, Second.Value, Third.Value, Fourth.Value, Fifth.Value)
  >
> {
  combineLatest(combineLatest(combineLatest(first, second), combineLatest(third, fourth)), fifth)
    .map { ($0.0.0, $0.0.1, $0.1.0, $0.1.1, $1) }
}

/// Combines the newest values of six sources, as `combineLatest(_:_:)` does with two. For more sources of one type,
/// pass a list of them. For more sources of other types, pass a combination to `combineLatest`.
@inlinable
public func combineLatest<
  First: BindingSource,
  Second: BindingSource,
  Third: BindingSource,
  Fourth: BindingSource,
  Fifth: BindingSource,
  Sixth: BindingSource
>(
  _ first: First,
  _ second: Second,
  _ third: Third,
  _ fourth: Fourth,
  _ fifth: Fifth,
  _ sixth: Sixth
) -> DerivedSource<
  MapCursor<
    CombineLatestCursor<
      CombineLatestCursor<
        CombineLatestCursor<First.Cursor, Second.Cursor>,
        CombineLatestCursor<Third.Cursor, Fourth.Cursor>
      >,
      CombineLatestCursor<Fifth.Cursor, Sixth.Cursor>
    >,
    (First.Value, Second.Value, Third.Value, Fourth.Value, Fifth.Value, Sixth.Value)
  >
> {
  combineLatest(
    combineLatest(combineLatest(first, second), combineLatest(third, fourth)),
    combineLatest(fifth, sixth)
  )
  .map { ($0.0.0, $0.0.1, $0.1.0, $0.1.1, $1.0, $1.1) }
}
