import ActorBindings

/// The connections that wait for their next request.
///
/// A connection whose peer is gone without a word looks like a good one until a request times out on it. So few requests
/// find such a connection: those that have waited too long are released, and trouble on one releases all of its endpoint.
// @unchecked: `lock` guards the variable.
final class IdleSockets: @unchecked Sendable {
  private struct Waiting {
    let socket: Socket
    let since: ContinuousClock.Instant
  }

  private let limit: Int
  private let longestWait: Duration
  private let lock = Lock()
  // Guarded by `lock`. The keys are host and port. The connection that was used last is the last one.
  private var sockets: [String: [Waiting]] = [:]

  /// - Parameters:
  ///   - limit: The largest number of connections that wait for one endpoint.
  ///   - longestWait: The time after which a connection is not used again.
  init(limit: Int, longestWait: Duration) {
    self.limit = limit
    self.longestWait = longestWait
  }

  /// Takes the connection that was used last; nil if none is good.
  func take(_ authority: String) -> Socket? {
    while let waiting = lock.withLock({ sockets[authority]?.popLast() }) {
      if waiting.since.advanced(by: longestWait) < .now {
        // The others have waited longer.
        troubleCame(authority)
        return nil
      }
      // A server says nothing between two requests, unless it closes the connection.
      if !waiting.socket.hasNews { return waiting.socket }
    }
    return nil
  }

  /// Keeps a connection for the next request, or releases it if enough wait. Releases those that have waited too long.
  func keep(_ socket: Socket, _ authority: String) {
    let now = ContinuousClock.now
    // Released after the lock.
    let expired = lock.withLock {
      let all = sockets[authority] ?? []
      let expired = all.prefix { $0.since.advanced(by: longestWait) < now }
      var kept = Array(all[expired.endIndex...])
      if kept.count < limit { kept.append(Waiting(socket: socket, since: now)) }
      sockets[authority] = kept
      return expired
    }
    withExtendedLifetime(expired) {}
  }

  /// A request had trouble on a connection of an endpoint: releases the others, which may be as bad.
  func troubleCame(_ authority: String) {
    // Released after the lock.
    let released = lock.withLock { sockets.removeValue(forKey: authority) }
    withExtendedLifetime(released) {}
  }
}
