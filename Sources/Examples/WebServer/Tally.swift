/// The counts of a server. A cell holds the counts, so that they can be shown and waited for.
package struct Tally: Sendable, Equatable {
  /// Open connections.
  package var connections = 0
  /// Open connections that follow events.
  package var streams = 0
  /// Streams that are waiting until their client accepts more bytes.
  package var stalled = 0

  /// Connections that the server has ended, and the client has not.
  package var parting = 0

  /// All connections since the server began.
  package var accepted = 0
  package var events = 0
  /// Updates that streams skipped because their clients were slow.
  package var skipped = 0
  /// Requests that were refused, for any reason.
  package var refused = 0
  /// Clients that were cut off because they took nothing for too long.
  package var dropped = 0
  /// Clients that connected again after their connection had broken.
  package var returned = 0

  /// For each event: the time from the value to the moment at which the system accepted the event.
  package var ages = DurationHistogram()

  package init() {}
}
