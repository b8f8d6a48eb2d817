/// A driver that hands out a value when its timer fires: what `Debouncer` and `Throttle` share.
protocol TimedDriver<Element>: RelayDriver, RelayRecipient {
  associatedtype C: Clock where C.Duration: Sendable

  var reader: NewestReader { get }
  var writer: RelayWriter<Element> { get }
  var timer: RelayTimer<C> { get }

  /// Returns the value that must be handed out because the source has ended; nil if no value waits.
  func takeLast() -> Element?
}

extension TimedDriver {
  var source: AnyCell? { reader.source }

  func sourceEnded() {
    timer.cancel()
    if let last = takeLast() { writer.send(last) }
    writer.finish()
  }

  // Called from any thread.
  func stop() {
    reader.end()
    timer.cancel()
  }
}
