extension BindingSource {
  /// A source of changes only: without the value that is current when a reader begins.
  ///
  /// What a reader with the backlog `.latest` is handed first is dropped only if it is that value. A newer one is a
  /// change, and perhaps the last. Behind `merge` and `combineLatest`, `skipped` may count an initial value that was left
  /// out.
  @inlinable
  public func dropFirst() -> DerivedSource<DropFirstCursor<Cursor>> {
    DerivedSource(DropFirstCursor(base: cursor))
  }
}

/// The cursor of `dropFirst`.
public struct DropFirstCursor<Base: BindingCursor>: BindingCursor {
  @usableFromInline var base: Base
  // The reader was handed something, or skipped the value that was current when it began.
  @usableFromInline var hasBegun = false

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

  /// The next element, or word that the reader began with it.
  @inlinable
  public mutating func next(in round: Round<Base.Origin>?) -> Pull<Base.Element> {
    let pull = base.next(in: round)
    if hasBegun {
      // Several elements may stem from the updates with which a reader of several cells begins.
      guard case .element(_, let stamp) = pull, stamp.isInitial else { return pull }
      return .rejected(stamp)
    }
    switch pull {
    case .element(let element, let stamp):
      hasBegun = true
      return stamp.isInitial ? .rejected(stamp) : .element(element, stamp.withoutFirst)
    case .rejected(let stamp):
      hasBegun = true
      return .rejected(stamp.withoutFirst)
    case .idle, .finished: return pull
    }
  }
}

extension Stamp {
  /// The stamp of a reader that leaves out the value that was current when it began: it has not lost that value, even if it
  /// has skipped it.
  @inlinable
  var withoutFirst: Stamp {
    isInitial || skipped == 0 ? self : Stamp(version: version, skipped: skipped - 1, isInitial: false)
  }
}
