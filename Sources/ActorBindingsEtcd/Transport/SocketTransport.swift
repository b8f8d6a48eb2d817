/// The transport over sockets of the system, for `http` URLs.
///
/// It uses neither Foundation nor other libraries. It looks names of hosts up by the system, and uses no proxy. A stream
/// has a connection of its own. Other requests use connections again: at most 32 wait for the next request to one
/// endpoint, for 15 seconds. At most 64 requests are under way at once; others wait for their turn. At most 1,024 streams
/// are open at once; others are refused. A store has one stream for each folder that its cells follow, and one for each
/// cell whose key is in no folder.
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

  /// Sends a request by POST, and returns its answer.
  public func send(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdAnswer {
    let request = try HTTPRequest(url, body: body, headers: headers)
    let (answers, receiver) = AsyncThrowingStream.makeStream(of: EtcdAnswer.self, throwing: (any Error).self)
    let cancellation = SocketCancellation()
    receiver.onTermination = { if case .cancelled = $0 { cancellation.cancel() } }
    start(request, Exchange(.whole(receiver)), cancellation, on: calls)
    for try await answer in answers { return answer }
    throw Self.error(of: cancellation)
  }

  /// Sends a request by POST, and returns its answer while the answer goes on.
  public func stream(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdStream {
    let request = try HTTPRequest(url, body: body, headers: headers)
    let (statuses, first) = AsyncThrowingStream.makeStream(of: Int.self, throwing: (any Error).self)
    let (chunks, rest) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
    let cancellation = SocketCancellation()
    first.onTermination = { if case .cancelled = $0 { cancellation.cancel() } }
    rest.onTermination = { if case .cancelled = $0 { cancellation.cancel() } }
    start(request, Exchange(.parts(status: first, chunks: rest)), cancellation, on: streams)
    for try await status in statuses { return EtcdStream(status: status, chunks: chunks) }
    throw Self.error(of: cancellation)
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
    on threads: Threads
  ) {
    let run = SocketExchange(
      request: request,
      exchange: exchange,
      cancellation: cancellation,
      idle: threads === calls ? idle : nil,
      connectLimit: connectLimit,
      idleLimit: idleLimit
    )
    threads.run(Threads.Job(run: run.run, refuse: { exchange.ended(EtcdTransportError.notSent($0)) }))
  }
}

/// One request on the thread that carries it out.
private struct SocketExchange: Sendable {
  let request: HTTPRequest
  let exchange: Exchange
  let cancellation: SocketCancellation
  /// The connections that others use again; nil if the request has a connection of its own.
  let idle: IdleSockets?
  let connectLimit: Duration
  let idleLimit: Duration

  @Sendable
  func run() {
    do throws(EtcdTransportError) {
      let socket = try connection()
      try write(on: socket)
      let keepsConnection = try read(on: socket)
      // Before the exchange ends: a task that has its answer must not end a connection that others use.
      if cancellation.ended(), keepsConnection { idle?.keep(socket, request.authority) }
      exchange.ended(nil)
    } catch {
      // Also if the request was cancelled: at its deadline, most likely.
      idle?.troubleCame(request.authority)
      // A cancelled request has ended its connection: that is no trouble of the connection.
      _ = cancellation.ended()
      exchange.ended(cancellation.isCancelled ? CancellationError() : error)
    }
  }

  private func connection() throws(EtcdTransportError) -> Socket {
    if cancellation.isCancelled { throw .notSent("the request was cancelled") }
    do throws(Socket.Failure) {
      var socket = idle?.take(request.authority)
      if socket == nil {
        socket = try Socket.connected(
          to: request.host,
          port: request.port,
          connectLimit: connectLimit,
          idleLimit: idleLimit,
          cancellation
        )
      }
      guard let socket, cancellation.began(on: socket) else {
        throw Socket.Failure("the request was cancelled")
      }
      return socket
    } catch {
      throw .notSent(error.message)
    }
  }

  private func write(on socket: Socket) throws(EtcdTransportError) {
    var rest = request.bytes[...]
    do throws(Socket.Failure) {
      while !rest.isEmpty { rest = rest.dropFirst(try socket.write(rest)) }
    } catch {
      if rest.count == request.bytes.count { throw .notSent(error.message) }
      throw .interrupted(error.message)
    }
  }

  /// Returns whether the connection can carry another request.
  private func read(on socket: Socket) throws(EtcdTransportError) -> Bool {
    var answer = HTTPAnswer()
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    do {
      while !answer.isWhole {
        let count = try socket.read(into: &buffer)
        if count == 0 {
          if answer.connectionEnded() { break }
          throw Socket.Failure("the server closed the connection in an answer")
        }
        let news = try answer.bytesCame(buffer[..<count])
        if let status = news.status { exchange.statusCame(status) }
        if !news.body.isEmpty, !exchange.chunkCame(news.body) {
          throw Socket.Failure("the answer has more than \(Exchange.answerLimit) bytes")
        }
      }
    } catch let failure as Socket.Failure {
      throw .interrupted(failure.message)
    } catch let malformed as HTTPAnswer.Malformed {
      throw .interrupted(malformed.message)
    } catch {
      throw .interrupted("\(error)")
    }
    return answer.keepsConnection
  }
}
