/// One request on the thread that carries it out.
struct SocketExchange: Sendable {
  /// A request whose first bytes were written by its caller.
  struct Begun: Sendable {
    let socket: Socket
    /// The number of bytes that were written.
    let written: Int
    /// When the exchange ends with `Late`.
    let deadline: ContinuousClock.Instant
  }

  /// No whole answer came by the deadline.
  struct Late: Error {}

  let request: HTTPRequest
  let exchange: Exchange
  let cancellation: SocketCancellation
  /// The connections that others use again; nil if the request has a connection of its own.
  let idle: IdleSockets?
  let connectLimit: Duration
  let idleLimit: Duration
  /// What the caller has begun; nil if the thread does all.
  let begun: Begun?

  @Sendable
  func run() {
    do throws(EtcdTransportError) {
      let socket = if let begun { begun.socket } else { try connection() }
      try write(on: socket)
      let keepsConnection = try read(on: socket)
      // Before the exchange ends: a task that has its answer must not end a connection that others use.
      if cancellation.ended(), keepsConnection { idle?.keep(socket, request.authority) }
      exchange.ended(nil)
    } catch {
      failed(error)
    }
  }

  private func failed(_ error: EtcdTransportError) {
    // A cancelled request has ended its connection: that is no trouble of the connection. Only without a deadline of its
    // own it was most likely cancelled because its time had passed.
    let wasCancelled = begun != nil && cancellation.isCancelled
    if !wasCancelled, error.isAboutConnection { idle?.troubleCame(request.authority) }
    _ = cancellation.ended()
    if cancellation.isCancelled {
      exchange.ended(CancellationError())
    } else if let begun, begun.deadline <= .now {
      begun.socket.end()
      exchange.ended(Late())
    } else {
      exchange.ended(error)
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
      throw .unsent(error)
    }
  }

  private func write(on socket: Socket) throws(EtcdTransportError) {
    var rest = request.bytes.dropFirst(begun?.written ?? 0)
    do throws(Socket.Failure) {
      while !rest.isEmpty { rest = rest.dropFirst(try socket.write(rest, until: begun?.deadline)) }
    } catch {
      if rest.count == request.bytes.count { throw .unsent(error) }
      throw .interrupted(error.message)
    }
  }

  /// Returns whether the connection can carry another request.
  private func read(on socket: Socket) throws(EtcdTransportError) -> Bool {
    var answer = HTTPAnswer()
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    do {
      while !answer.isWhole {
        let count = try socket.read(into: &buffer, until: begun?.deadline)
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

extension EtcdTransportError {
  /// The error of a request of which no byte was sent.
  fileprivate static func unsent(_ failure: Socket.Failure) -> EtcdTransportError {
    failure.isLocal ? .noResources(failure.message) : .notSent(failure.message)
  }

  /// Whether the connection, or the endpoint, may be at fault.
  fileprivate var isAboutConnection: Bool {
    if case .noResources = self { false } else { true }
  }
}
