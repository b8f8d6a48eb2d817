/// How much a server bears.
package struct Limits: Sendable {
  /// Connections at a time. Who comes when there are so many is told so, unless many do.
  package var connections = 10_000
  /// Until a request is complete.
  package var request = Duration.seconds(10)
  /// For which there may be no room for what is sent to a client, because it takes nothing, or next to nothing.
  package var stall = Duration.seconds(15)
  /// For which a client may keep its side open, once it was sent the end.
  package var farewell = Duration.seconds(2)
  /// How often these are looked at.
  package var watch = Duration.milliseconds(250)
  /// What the system keeps for a client that takes nothing: little, so that the stream notices.
  package var sendBuffer: Int32 = 32 * 1024

  package init() {}
}
