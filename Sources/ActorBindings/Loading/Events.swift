/// Things that happen, for whoever observes at the time: taps, commands, arrivals.
///
/// ```swift
/// let taps = Events<Void>()
///
/// taps.observe(service, backlog: .unbounded) { service, _ in service.toggle() }
/// taps.send()
/// ```
///
/// It is a cell that starts each reader after what has happened already. All that is said of sources holds for it; so a
/// reader with the backlog `.latest`, which is the default, is handed the newest event alone if it was busy. Where each of
/// them counts, say `.unbounded`. A stream of the newest begins when its loop does; any other where it is made,
/// so make it before what it is to tell of. The last event is held until the next one comes.
public final class Events<Event: Sendable>: BindingSource {
  private let cell = BindableActor<Event?>(nil)

  /// Nothing has happened yet.
  public init() {}

  /// A cursor that stands nowhere yet.
  public var cursor: some BindingCursor<Event> {
    CompactMapCursor(base: DropFirstCursor(base: cell.cursor)) { $0 }
  }

  /// Tells everybody who observes now.
  public func send(_ event: Event) {
    cell.send(event)
  }

  /// Nothing happens any more: readers get what they have not seen yet, and then end. The end of its life is that too.
  public func finish() {
    cell.finish()
  }

  /// Whether it has ended.
  public var isFinished: Bool { cell.isFinished }

  /// The number of observations and iterators, and of streams that are not iterated yet, unless their backlog is `.latest`.
  public var observerCount: Int { cell.observerCount }

  /// Returns when every observation has handled what was sent before the call, or has ended.
  public func settled() async {
    await cell.settled()
  }
}

extension Events where Event == Void {
  /// Tells everybody who observes now.
  public func send() {
    send(())
  }
}

extension Events: BindingTarget {
  /// Tells everybody who observes now.
  public func receive(_ event: Event) {
    send(event)
  }
}
