/// A source of events, such as taps, commands or arrivals. Only readers that observe at the time of an event receive
/// that event.
///
/// ```swift
/// let taps = EventSource<Void>()
///
/// taps.observe(service, backlog: .unbounded) { service, _ in
///   service.toggle()
/// }
/// taps.send()
/// ```
///
/// A reader receives no event that happened before the reader began. In all other respects an event source behaves as
/// any other source. So a reader with the backlog `.latest`, which is the default, receives only the newest event of
/// those that happen while the reader is busy. If each event counts, use `.unbounded`. A stream with the backlog
/// `.latest` begins when its loop begins. Any other stream begins when you make the stream, so make it before the
/// events that it should yield. The source holds the last event until the next event comes.
public final class EventSource<Event: Sendable>: BindingSource {
  @usableFromInline let cell: BindableActor<Event?>

  /// Creates a source in which no event has happened yet.
  ///
  /// - Parameters:
  ///   - name: The name of the source, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @inlinable
  public init(name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
    cell = BindableActor(nil, name: name, fileID: fileID, line: line)
  }

  /// A cursor that does not read yet.
  @inlinable
  public var cursor: some BindingCursor<Event> {
    CompactMapCursor(base: DropFirstCursor(base: cell.cursor)) { $0 }
  }

  /// Sends `event` to all readers that observe now.
  @inlinable
  public func send(_ event: Event) {
    cell.send(event)
  }

  /// Ends the source.
  ///
  /// Readers receive the events that they have not seen yet, and then end. The deallocation of the source ends it too.
  public func finish() {
    cell.finish()
  }

  /// Whether the source has ended.
  public var isFinished: Bool { cell.isFinished }

  /// The number of observations and iterators that have not ended. It includes the streams that no loop iterates yet,
  /// unless their backlog is `.latest`.
  public var observerCount: Int { cell.observerCount }

  /// Waits until each observation has ended, or has handled every event that was sent before the call. Cancelling the
  /// task ends the wait.
  public func settled() async {
    await cell.settled()
  }
}

extension EventSource where Event == Void {
  /// Sends an event to all readers that observe now.
  @inlinable
  public func send() {
    send(())
  }
}

extension EventSource: BindingTarget {
  /// Sends `event` to all readers that observe now.
  @inlinable
  public func receive(_ event: Event) {
    send(event)
  }
}

extension EventSource: CustomStringConvertible {
  /// A description in one line, such as `EventSource<Int>(version 3, 2 readers)`. The version is the number of events.
  public var description: String { cell.cell.description(of: "EventSource<\(Event.self)>") }
}
