internal import Synchronization

extension BindingSource {
  /// Calls closures at the events of each reader: its first read, each value, its end, and its cancellation. The result
  /// is a `StateSource` if this source is one.
  ///
  /// ```swift
  /// let traced = prices.handleEvents(onValue: { log.debug("price \($0)") })
  /// ```
  ///
  /// Each reader has its own events. The closures run where that reader runs, as the closures of `map` do, without a
  /// lock, so they should be quick. A value that a busy reader skips causes no event. To act on values, use `observe`:
  /// these closures run only while there is a reader.
  ///
  /// Reading the `value` of the result causes no event. Reading the `value` of a combination of the result causes the
  /// events of a reader that begins and is cancelled. Inside `combineLatest`, `merge` or `zip`, `onEnd` is not called:
  /// `onCancel` reports the end of the combination's reader.
  ///
  /// Each reader costs one allocation when it reads for the first time.
  ///
  /// - Parameters:
  ///   - onSubscribe: Called when a reader reads for the first time.
  ///   - onValue: Called with each value, before the reader receives it.
  ///   - onEnd: Called once, when the reader has received everything and its source has ended.
  ///   - onCancel: Called once if the reader has read, and stops before that end, for any reason: its token, its task,
  ///     its owner, a `break`. It runs where the library releases what the reader held, which may be another thread,
  ///     after the call that has ended the reader.
  @inlinable
  public func handleEvents(
    onSubscribe: (@Sendable () -> Void)? = nil,
    onValue: (@Sendable (Value) -> Void)? = nil,
    onEnd: (@Sendable () -> Void)? = nil,
    onCancel: (@Sendable () -> Void)? = nil
  ) -> DerivedSource<HandleEventsCursor<Cursor>> {
    let handlers = EventHandlers(
      onSubscribe: onSubscribe,
      onValue: onValue,
      onEnd: onEnd,
      onCancel: onCancel
    )
    return DerivedSource(HandleEventsCursor(base: cursor, handlers))
  }

  /// Prints the events of each reader: `prices: subscribed`, `prices: value 12`, `prices: ended`, `prices: cancelled`.
  /// The result is a `StateSource` if this source is one.
  ///
  /// ```swift
  /// let token = prices.debug("prices").map(\.eur)
  ///   .observe(on: .queue(ticker)) { … }
  /// ```
  ///
  /// For the events, see `handleEvents`. Remove the call when you have found the fault: it prints on the reader's
  /// thread.
  ///
  /// - Parameters:
  ///   - name: The beginning of each line.
  ///   - output: Receives each line, without a line break. Prints it by default.
  @inlinable
  public func debug(
    _ name: String,
    to output: @escaping @Sendable (String) -> Void = { print($0) }
  ) -> DerivedSource<HandleEventsCursor<Cursor>> {
    handleEvents(
      onSubscribe: { output("\(name): subscribed") },
      onValue: { output("\(name): value \($0)") },
      onEnd: { output("\(name): ended") },
      onCancel: { output("\(name): cancelled") }
    )
  }
}

/// The closures of `handleEvents`.
@usableFromInline
final class EventHandlers<Value: Sendable>: Sendable {
  @usableFromInline let onSubscribe: (@Sendable () -> Void)?
  @usableFromInline let onValue: (@Sendable (Value) -> Void)?
  @usableFromInline let onEnd: (@Sendable () -> Void)?
  @usableFromInline let onCancel: (@Sendable () -> Void)?

  @usableFromInline
  init(
    onSubscribe: (@Sendable () -> Void)?,
    onValue: (@Sendable (Value) -> Void)?,
    onEnd: (@Sendable () -> Void)?,
    onCancel: (@Sendable () -> Void)?
  ) {
    self.onSubscribe = onSubscribe
    self.onValue = onValue
    self.onEnd = onEnd
    self.onCancel = onCancel
  }
}

/// The reading of one reader behind `handleEvents`, from its first read to its end or its release.
///
/// A cursor that stops reading before the end is released, and calls nothing. So the deinit of this object reports the
/// cancellation.
@usableFromInline
final class TracedReading: Sendable {
  private let hasEnded = Atomic(false)
  private let onCancel: (@Sendable () -> Void)?

  @usableFromInline
  init(onCancel: (@Sendable () -> Void)?) {
    self.onCancel = onCancel
  }

  deinit {
    if !hasEnded.load(ordering: .acquiring) { onCancel?() }
  }

  /// The source has ended. Returns true for the first such call.
  @usableFromInline
  func ended() -> Bool {
    !hasEnded.exchange(true, ordering: .acquiringAndReleasing)
  }
}

/// The cursor of `handleEvents`.
@_documentation(visibility: internal)
public struct HandleEventsCursor<Base: BindingCursor>: WrappingCursor {
  /// The type of the elements that the reader receives.
  public typealias Element = Base.Element

  /// The cursor that this cursor wraps.
  public var base: Base
  @usableFromInline let handlers: EventHandlers<Base.Element>
  // Nil until the reader reads for the first time.
  @usableFromInline var reading: TracedReading?

  @inlinable
  init(base: Base, _ handlers: EventHandlers<Base.Element>) {
    self.base = base
    self.handlers = handlers
  }

  /// Returns the next element, and reports it.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    if reading == nil { begin() }
    let pull = base.next(in: pass)
    switch pull {
    case .element(let element, _): handlers.onValue?(element)
    case .finished: if reading?.ended() == true { handlers.onEnd?() }
    case .rejected, .idle: break
    }
    return pull
  }

  @usableFromInline
  mutating func begin() {
    reading = TracedReading(onCancel: handlers.onCancel)
    handlers.onSubscribe?()
  }
}

extension HandleEventsCursor: StateCursor where Base: StateCursor {
  /// The current element of the base cursor. To read it is no event of a reader.
  @inlinable
  public var current: Base.Element { base.current }
}
