extension BindingSource {
  /// Hands out the newest value at each change of another source.
  ///
  /// ```swift
  /// let submitted = form.sample(on: submitTaps)
  /// ```
  ///
  /// A value that is current in `trigger` when a reader begins is no change. If `trigger` has no current value then, as
  /// an ``EventSource`` or an `interval`, its first value counts. A `flatMapLatest` or a `debounce` without other
  /// readers has none either. A reader with the backlog `.unbounded` receives for each change what this source held at
  /// that instant. Another reader may leave out changes, and may receive a newer value: what this source held when the
  /// reader looked. If one transaction writes both sources, the change hands out the value of that transaction. If this
  /// source has no value yet, the change hands out nothing.
  ///
  /// If no newer value has come between two changes, readers receive the same value twice. What is written after the
  /// last change is never handed out. The returned source ends when `trigger` ends. (`sample(every:)` hands out only
  /// new values, and delivers the last one in any case.)
  ///
  /// The operator needs no task, and each reader reads both sources. An idle reader is woken by each write to either of
  /// them, as behind `combineLatest`.
  ///
  /// - Parameter trigger: The source whose changes hand out values. Its values do not matter.
  @inlinable
  public func sample(on trigger: some BindingSource) -> some BindingSource<Value> {
    DerivedSource(SampleOnCursor(cursor, trigger.cursor))
  }
}

/// The cursor of `sample(on:)`.
@usableFromInline
struct SampleOnCursor<Source: BindingCursor, Trigger: BindingCursor>: WrappingCursor {
  @usableFromInline typealias Element = Source.Element

  /// The cursor of the joint cell: the source is on the left.
  @usableFromInline var base: JointCursor<Source, Trigger>

  @inlinable
  init(_ source: Source, _ trigger: Trigger) {
    base = JointCursor(source, trigger, for: "sample(on:)", endsWith: .right)
  }

  /// Returns the newest element of the source if the trigger has changed, or `rejected` if it has not.
  @inlinable
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    base.next(in: pass).flatMap { joint, stamp in
      _ = base.left.drain(joint.left)
      let isDue = base.right.drainChanges(joint.right)
      let stamp = base.takeStamp(isInitial: stamp.isInitial)
      guard isDue, let value = base.left.newest else { return .rejected(stamp) }
      return .element(value, stamp)
    }
  }
}
