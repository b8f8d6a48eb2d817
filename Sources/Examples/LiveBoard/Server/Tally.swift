/// What a server counts, in a cell: so it can be shown, and waited for.
package struct Tally: Sendable, Equatable {
  /// Open now, whatever they wait for.
  package var connections = 0
  /// Of these, the ones that follow events.
  package var streams = 0
  /// Streams that wait for room at their client's, now.
  package var stalled = 0

  /// Connections, since the server began.
  package var accepted = 0
  package var events = 0
  /// Updates that streams never got to look at, because their clients were slow.
  package var skipped = 0
  /// Requests that were refused, whatever for.
  package var refused = 0
  /// Clients that were cut off, because they took nothing for too long.
  package var dropped = 0
  /// Clients that came back after their connection had broken.
  package var returned = 0
}
