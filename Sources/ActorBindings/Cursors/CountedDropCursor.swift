extension BindingSource {
  /// Leaves out the first `count` values of each reader. A current value is the first of them.
  ///
  /// ```swift
  /// let settled = sensor.dropFirst(10)
  ///   .observe(on: .queue(log), backlog: .unbounded) { … }
  /// ```
  ///
  /// A reader with the backlog `.latest` or `.bounded` also counts the updates that it skips. So it never leaves out a
  /// value that comes after the first `count`, however busy it is. It may leave out fewer values: an operator before
  /// this one, such as `filter`, might have rejected some of the skipped updates, and a transaction is one value of a
  /// combination, but several updates. The number `skipped` of an `Update` does not include what is left out.
  ///
  /// `dropFirst()` without a number leaves out only a value that is current when the reader begins. So the two differ
  /// where there is none: `dropFirst(1)` leaves out the first event of an ``EventSource``, and `dropFirst()` leaves out
  /// no event. A `switchToLatest`, `debounce` or `throttle` behind this source has one reader, so all its readers share
  /// one count.
  ///
  /// - Parameter count: The number of values, at least 0.
  @inlinable
  public func dropFirst(_ count: Int) -> some BindingSource<Value> {
    precondition(count >= 0, "dropFirst(\(count)): a reader cannot leave out a negative number of values")
    return DerivedSource(CountedDropCursor(base: cursor, count: count))
  }
}

/// The cursor of `dropFirst` with a number.
@usableFromInline
struct CountedDropCursor<Base: BindingCursor>: WrappingCursor {
  @usableFromInline var base: Base
  // The number of values that this cursor still leaves out.
  @usableFromInline var count: Int
  // The version of the last update that `base` has returned or rejected; nil before the first.
  @usableFromInline var version: UInt64?

  @inlinable
  init(base: Base, count: Int) {
    self.base = base
    self.count = count
  }

  /// Returns the next element, or `rejected` if that element is left out.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Base.Element> {
    let pull = base.next(in: pass)
    if count == 0 { return pull }
    switch pull {
    case .element(let element, let stamp):
      let stamp = countSkipped(before: stamp)
      if count == 0 { return .element(element, stamp) }
      count -= 1
      return .rejected(stamp)
    case .rejected(let stamp): return .rejected(countSkipped(before: stamp))
    case .idle, .finished: return pull
    }
  }

  // The problem: a reader that leaves out the values that it receives, and does not count those that it skips, may leave
  // out the last value that is ever written. So skipped updates count. But the number `skipped` of a combination does
  // not tell how many elements the reader has skipped: if each side was written once, neither side has skipped anything.
  // The versions tell it, or too large a number.
  //
  // Returns the stamp without the skipped updates that count as left out.
  @inlinable
  mutating func countSkipped(before stamp: Stamp) -> Stamp {
    let last = version ?? (stamp.version &- stamp.skipped &- 1)
    version = stamp.version
    // A reader of all values skips none. A cursor may make several elements of one update. The current values of several
    // sources come one by one, but the version rises by all earlier updates of each.
    if base.root.depth == .max || stamp.version == last || stamp.isInitial { return stamp }
    let skipped = min(UInt64(count), stamp.version &- last &- 1)
    count -= Int(skipped)
    return Stamp(
      version: stamp.version,
      skipped: stamp.skipped - min(stamp.skipped, skipped),
      isInitial: stamp.isInitial
    )
  }
}
