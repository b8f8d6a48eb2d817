extension BindingSource {
  /// Leaves out the value that is current when a reader begins, so that the reader receives only changes.
  ///
  /// The first value that a reader with the backlog `.latest` finds may be newer than the value that was current when
  /// the reader began. `dropFirst` does not leave out such a newer value: it is a change, and perhaps the last change.
  /// So a second `dropFirst` leaves out nothing more. A loop leaves out its first n values by `values.dropFirst(n)`. If
  /// `dropFirst` follows `merge` or `combineLatest`, the number `skipped` of an `Update` may include an initial value
  /// that was left out.
  ///
  /// If the source ends before it changes, the reader ends without a value. The result is no `StateSource`.
  @inlinable
  public func dropFirst() -> some BindingSource<Value> {
    DerivedSource(DropFirstCursor(base: cursor))
  }
}

/// The cursor of `dropFirst`.
@usableFromInline
struct DropFirstCursor<Base: BindingCursor>: WrappingCursor {
  @usableFromInline var base: Base
  // True once `base` has returned an element or rejected an update.
  @usableFromInline var hasBegun = false

  @inlinable
  init(base: Base) {
    self.base = base
  }

  /// Returns the next element, or `rejected` if that element was current when the reader began.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Base.Element> {
    let pull = base.next(in: pass)
    if hasBegun {
      // A reader of several cells begins with several updates, so several elements may be initial.
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
  /// The stamp for a reader that does not want its initial value. If the reader has skipped the initial value, it has
  /// lost nothing, so `skipped` does not count that value.
  @inlinable
  var withoutFirst: Stamp {
    isInitial || skipped == 0 ? self : Stamp(version: version, skipped: skipped - 1, isInitial: false)
  }
}
