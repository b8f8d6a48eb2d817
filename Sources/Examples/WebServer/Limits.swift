/// The limits of a server.
package struct Limits: Sendable {
  /// The greatest number of connections at a time. The next few clients receive the answer that the server is full. The
  /// server closes the connections of further clients at once.
  package var connections = 10_000
  /// The longest time until a request is complete.
  package var request = Duration.seconds(10)
  /// The longest time for which a client may take nothing while bytes wait for it.
  package var stall = Duration.seconds(15)
  /// The longest time for which a client may take nothing, and keep its side open, after the server has sent the end.
  package var closing = Duration.seconds(2)
  /// The interval at which these times are checked.
  package var watch = Duration.milliseconds(250)
  /// The number of bytes that the system buffers for a client that reads nothing. The number is small, so that the
  /// stream soon notices such a client.
  package var sendBuffer: Int32 = 32 * 1024
  /// The number of unsent bytes below which the system reports room. So the server gives the system an event only when
  /// all earlier ones are sent: what a slow client receives next is as new as its own buffer allows.
  package var unsentBytes: Int32 = 1

  package init() {}
}
