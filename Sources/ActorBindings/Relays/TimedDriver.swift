/// A driver that hands out a value when its timer fires: what `Debouncer`, `Throttle` and others share.
@usableFromInline
protocol TimedDriver<Element>: RelayDriver, RelayRecipient {
  associatedtype C: Clock where C.Duration: Sendable
  associatedtype Output: Sendable

  var reader: NewestReader { get }
  var writer: RelayWriter<Output> { get }
  var timer: RelayTimer<C> { get }

  /// Returns the value that must be handed out because the source has ended; nil if no value waits.
  func takeLast() -> Output?
}

extension TimedDriver {
  @usableFromInline var currentReaders: [RelayReader] { reader.current.map { [$0] } ?? [] }

  @usableFromInline
  func sourceEnded() -> Bool {
    timer.cancel()
    if let last = takeLast() { writer.send(last) }
    writer.finish()
    return true
  }

  // Called from any thread.
  @usableFromInline
  func stop() {
    reader.end()
    timer.cancel()
  }
}
