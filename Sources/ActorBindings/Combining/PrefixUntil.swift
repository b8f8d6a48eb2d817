extension BindingSource {
  /// Ends each reader at the first change of another source.
  ///
  /// ```swift
  /// for await progress in job.progress.prefix(until: cancelled).values { … }
  /// ```
  ///
  /// A value that is current in `other` when a reader begins is no change: `job.prefix(until: stopped.filter { $0 })`
  /// does not end at once if `stopped` is true already. If `other` has no current value then, as an ``EventSource``,
  /// its first value ends the reader. A `flatMapLatest` or a `debounce` without other readers has none either. The
  /// reader also ends when this source ends. The end of `other` ends nothing.
  ///
  /// The reader receives nothing that was written after the change, and everything in its backlog before it. This
  /// includes what was written at the same instant: by the same transaction, or if both sources derive from one cell.
  /// So `x.prefix(until: x.filter { $0.isLast })` includes the last value.
  ///
  /// A reader with the backlog `.latest` or `.bounded` that is busy at the change sees only the newest values when it
  /// looks. If this source was written again by then, the values before the change may be gone, and the reader ends
  /// without them. If `other` has changed again by then, the last of its changes counts. If `other` has an operator that
  /// rejects its newest value, the reader misses the change. Choose `.unbounded` if this matters.
  ///
  /// The operator needs no task, and each reader reads both sources. An idle reader is woken by each write to either of
  /// them, as behind `combineLatest`. A combination of the returned source keeps the last value, and does not end at the
  /// change. A `switchToLatest`, `debounce` or `throttle` behind the returned source has one reader, so it ends for all
  /// its readers.
  ///
  /// - Parameter other: The source whose first change ends the reader. Its values do not matter.
  @inlinable
  public func prefix(until other: some BindingSource) -> some BindingSource<Value> {
    DerivedSource(PrefixUntilCursor(cursor, other.cursor))
  }
}

/// The cursor of `prefix(until:)`.
@usableFromInline
struct PrefixUntilCursor<Source: BindingCursor, Other: BindingCursor>: WrappingCursor {
  @usableFromInline typealias Element = Source.Element

  /// The cursor of the joint cell: the source is on the left.
  @usableFromInline var base: JointCursor<Source, Other>
  @usableFromInline var lastMove = LastMove()
  // Whether the source may have more elements of what it was shown.
  @usableFromInline var isPulling = false
  // Whether the other source has changed, or the cursor of the source has ended.
  @usableFromInline var hasEnded = false

  @inlinable
  init(_ source: Source, _ other: Other) {
    base = JointCursor(source, other, for: "prefix(until:)", isOrdered: true, endsWith: .left)
  }

  /// The newest version of which this cursor has returned all elements.
  @inlinable var completed: UInt64 { lastMove.completed(at: root.seen) }

  /// Returns the next element of the source, or `finished` if the other source has changed before.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    if isPulling, let pulled = pull() { return pulled }
    if hasEnded { return .finished }
    return base.next(in: pass, noting: &lastMove).flatMap { joint, stamp in
      hasEnded = base.right.drainChanges(joint.right)
      // With the backlog `.unbounded` this never holds, because the joint cell holds one instant after the other.
      if hasEnded, joint.right.instant < joint.left.instant { return .finished }
      base.left.show(joint.left)
      isPulling = true
      return pull() ?? .rejected(base.takeStamp(isInitial: stamp.isInitial))
    }
  }

  // Returns nil if the source has no more elements of what it was shown.
  @inlinable
  mutating func pull() -> Pull<Element>? {
    switch base.left.pull() {
    case .element(let element, let stamp):
      return .element(element, base.takeStamp(isInitial: stamp.isInitial))
    case .rejected(let stamp): return .rejected(base.takeStamp(isInitial: stamp.isInitial))
    case .idle: isPulling = false
    case .finished: (isPulling, hasEnded) = (false, true)
    }
    return nil
  }
}
