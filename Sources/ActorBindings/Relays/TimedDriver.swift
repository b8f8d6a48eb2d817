/// A driver that hands out a value when its timer fires: what `Debouncer` and `Throttle` share.
@usableFromInline
protocol TimedDriver<Element>: RelayDriver, RelayRecipient {
  associatedtype C: Clock where C.Duration: Sendable

  var reader: NewestReader { get }
  var writer: RelayWriter<Element> { get }
  var timer: RelayTimer<C> { get }

  /// Returns the value that must be handed out because the source has ended; nil if no value waits.
  func takeLast() -> Element?
}

extension TimedDriver {
  @usableFromInline var source: AnyCell? { reader.source }

  @usableFromInline
  func sourceEnded() {
    timer.cancel()
    if let last = takeLast() { writer.send(last) }
    writer.finish()
  }

  // Called from any thread.
  @usableFromInline
  func stop() {
    reader.end()
    timer.cancel()
  }
}
