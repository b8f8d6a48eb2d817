/// The transport over sockets of the system, for `http` URLs.
///
/// It uses neither Foundation nor other libraries. It looks names of hosts up by the system, and uses no proxy. A stream
/// has a connection of its own. Other requests use connections again: at most 32 wait for the next request to one
/// endpoint, for 15 seconds. So do threads. At most 64 requests are under way at once; others wait for their turn. At
/// most 1,024 streams are open at once; others are refused. A store has one stream for each folder that its cells
/// follow, and one for each cell whose key is in no folder.
public final class SocketTransport: EtcdTransport {
  // Each request blocks a thread of the transport while it is under way, and none of Swift's threads. That takes more
  // memory than one thread that waits for all sockets, but has no states between two calls of the system. A store
  // has few requests at once, and one stream for each folder. Streams have threads of their own, so that no request
  // waits until a stream ends. A stream does not wait for a thread, because that could take for ever.
  private let calls = Threads(limit: 64)
  private let streams: Threads
  private let idle: IdleSockets
  private let connectLimit: Duration
  private let idleLimit: Duration

  /// Creates a transport without connections.
  ///
  /// - Parameters:
  ///   - connectLimit: The time after which an attempt to connect to one address of a host ends. The transport then tries
  ///     the next address. The attempts of one request together have three times as much.
  ///   - idleLimit: The time after which the transport closes a connection on which nothing comes although an answer is
  ///     under way. Usually another limit passes before: the store has a deadline for each request, and the loops that
  ///     follow a store open another stream sooner.
  public convenience init(connectLimit: Duration = .milliseconds(700), idleLimit: Duration = .seconds(60)) {
    self.init(connectLimit: connectLimit, idleLimit: idleLimit, longestWait: .seconds(15), streamLimit: 1024)
  }

  /// Creates a transport with other limits than the public ones.
  package init(
    connectLimit: Duration = .milliseconds(700),
    idleLimit: Duration = .seconds(60),
    longestWait: Duration,
    streamLimit: Int
  ) {
    self.connectLimit = connectLimit
    self.idleLimit = idleLimit
    idle = IdleSockets(limit: 32, longestWait: longestWait)
    streams = Threads(limit: streamLimit, refusesMore: true)
  }

  deinit {
    calls.end()
    streams.end()
  }

  /// Sends a request by POST, and returns its answer.
  public func send(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdAnswer {
    let request = try HTTPRequest(url, body: body, headers: headers)
    let (answers, receiver) = AsyncThrowingStream.makeStream(of: EtcdAnswer.self, throwing: (any Error).self)
    let cancellation = SocketCancellation()
    receiver.onTermination = { if case .cancelled = $0 { cancellation.cancel() } }
    start(request, Exchange(.whole(receiver)), cancellation, on: calls, idle)
    for try await answer in answers { return answer }
    throw Self.error(of: cancellation)
  }

  /// Sends a request by POST, and returns its answer while the answer goes on.
  public func stream(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdStream {
    try await stream(url, body: body, headers: headers, hasOwnConnection: true)
  }

  /// Sends a request by POST, and returns its answer while the answer goes on: on a connection that other requests use
  /// before and after it, unless it has one of its own.
  package func stream(
    _ url: String,
    body: [UInt8],
    headers: [String: String],
    hasOwnConnection: Bool
  ) async throws -> EtcdStream {
    let request = try HTTPRequest(url, body: body, headers: headers)
    let (statuses, first) = AsyncThrowingStream.makeStream(of: Int.self, throwing: (any Error).self)
    let (chunks, rest) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
    let cancellation = SocketCancellation()
    first.onTermination = { if case .cancelled = $0 { cancellation.cancel() } }
    rest.onTermination = { if case .cancelled = $0 { cancellation.cancel() } }
    let idle = hasOwnConnection ? nil : idle
    start(request, Exchange(.parts(status: first, chunks: rest)), cancellation, on: streams, idle)
    for try await status in statuses { return EtcdStream(status: status, chunks: chunks) }
    throw Self.error(of: cancellation)
  }

  /// Sends a request by POST on a connection of its own, and passes to `receive` what comes, on the thread that reads the
  /// connection. The caller ends the connection by `cancellation`.
  func stream(
    _ url: String,
    body: [UInt8],
    headers: [String: String],
    _ cancellation: SocketCancellation,
    receive: @escaping @Sendable (Exchange.News) -> Bool
  ) throws {
    let request = try HTTPRequest(url, body: body, headers: headers)
    start(request, Exchange(.function(receive)), cancellation, on: streams, nil)
  }

  // The task was cancelled. Waiting for the thread would take too long, but the cancellation knows what it needs.
  private static func error(of cancellation: SocketCancellation) -> any Error {
    cancellation.isCancelledUnsent
      ? EtcdTransportError.notSent("no connection was made in time") : CancellationError()
  }

  private func start(
    _ request: HTTPRequest,
    _ exchange: Exchange,
    _ cancellation: SocketCancellation,
    on threads: Threads,
    _ idle: IdleSockets?,
    _ begun: SocketExchange.Begun? = nil
  ) {
    let run = SocketExchange(
      request: request,
      exchange: exchange,
      cancellation: cancellation,
      idle: idle,
      connectLimit: connectLimit,
      idleLimit: idleLimit,
      begun: begun
    )
    threads.run(Threads.Job(run: run.run, refuse: { exchange.ended(EtcdTransportError.noResources($0)) }))
  }
}

// MARK: - Requests on a connection that waits

extension SocketTransport {
  /// What has become of a request for which no connection was made.
  package enum AtOnce: Hashable, Sendable {
    case answered(EtcdAnswer)
    /// No connection waits. Nothing was sent.
    case notSent
    /// No whole answer came by the deadline. The connection has ended.
    case late
  }

  /// Sends a request on a connection that waits, and returns its answer.
  ///
  /// The caller's thread writes as much as the connection takes without blocking. So while the server works, a thread of
  /// the transport wakes up to wait for the answer, and keeps the deadline too: no other task or timer is needed.
  package func sendAtOnce(
    _ url: String,
    body: [UInt8],
    headers: [String: String],
    within limit: Duration
  ) async throws -> AtOnce {
    let request = try HTTPRequest(url, body: body, headers: headers)
    let deadline = ContinuousClock.now + limit
    // A request that waits for a thread needs a timer.
    guard !calls.isFull, let socket = idle.take(request.authority) else { return .notSent }
    let (answers, receiver) = AsyncThrowingStream.makeStream(of: EtcdAnswer.self, throwing: (any Error).self)
    let cancellation = SocketCancellation()
    receiver.onTermination = { if case .cancelled = $0 { cancellation.cancel() } }
    // Before the first byte is sent: from now on a cancellation ends the connection.
    _ = cancellation.began(on: socket)
    do throws(Socket.Failure) {
      let written = try socket.writeAtOnce(request.bytes[...])
      let begun = SocketExchange.Begun(socket: socket, written: written, deadline: deadline)
      start(request, Exchange(.whole(receiver)), cancellation, on: calls, idle, begun)
    } catch {
      // The server has closed the connection since.
      _ = cancellation.ended()
      idle.troubleCame(request.authority)
      return .notSent
    }
    do {
      for try await answer in answers { return .answered(answer) }
    } catch is SocketExchange.Late {
      return .late
    }
    throw CancellationError()
  }
}
