package import ActorBindings
import Dispatch

/// An HTTP server on 127.0.0.1. The server does not know what it serves: `answer` decides that.
///
/// In your program, take Hummingbird, as the article *Recipes for servers* does: this server is by hand so that a clone
/// needs nothing else.
///
/// The server runs on a queue of its own, on which nothing blocks. On this queue, the server accepts clients, reads
/// their requests, and notices clients that have disconnected or are late. A separate task on the pool sends each
/// answer. If a client is slow, only the task of its answer waits.
///
/// The server refuses requests that name another host than this machine, and actions that a page of another site
/// requests. Otherwise such a page could let its own host name point to this server, and read what the server serves.
package actor Server {
  package nonisolated let tally: BindableActor<Tally>

  nonisolated let limits: Limits
  // This queue has priority over the tasks on the pool. There may be many such tasks, and the server must still notice
  // a client that disconnects.
  nonisolated let queue = DispatchQueue(label: "web.server", qos: .userInitiated)
  private nonisolated let executor: QueueExecutor
  private let answer: @Sendable (Request) -> Answer

  private var listener: Socket?
  private var watch: (any DispatchSourceTimer)?
  private var readiness: (sockets: Readiness, source: any DispatchSourceRead)?
  private var connections: [Int: Connection] = [:]
  // The listener is watched with the ID 0.
  private var lastID = 0
  private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

  package init(
    _ limits: Limits = Limits(),
    counting tally: BindableActor<Tally> = BindableActor(Tally()),
    answer: @escaping @Sendable (Request) -> Answer
  ) {
    self.limits = limits
    self.tally = tally
    self.answer = answer
    executor = QueueExecutor(queue)
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
}

// MARK: - Beginning and ending

extension Server {
  /// Begins to accept clients. Returns the port.
  package func start(on port: UInt16) throws -> UInt16 {
    let socket = try Socket.listening(on: port)
    let sockets = try Readiness()
    sockets.watch(socket, as: 0)
    let source = DispatchSource.makeReadSource(fileDescriptor: sockets.descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.assumeIsolated { $0.serveReadySockets() } }
    // Keeps the descriptor open while the source watches it.
    source.setCancelHandler { _ = sockets }
    source.activate()
    readiness = (sockets, source)
    listener = socket

    let watch = DispatchSource.makeTimerSource(queue: queue)
    let nanoseconds = Int(limits.watch / .nanoseconds(1))
    watch.schedule(
      deadline: .now(),
      repeating: .nanoseconds(nanoseconds),
      leeway: .nanoseconds(nanoseconds / 4)
    )
    watch.setEventHandler { [weak self] in self?.assumeIsolated { $0.timePassed() } }
    watch.activate()
    self.watch = watch
    return socket.port
  }

  /// Stops accepting clients, and closes each connection whose request is not complete. A connection stays open while
  /// the server answers its request.
  package func stopAccepting() {
    // Answers the requests that have already arrived.
    serveReadySockets()
    if let listener { readiness?.sockets.forget(listener) }
    listener = nil
    for (id, connection) in connections {
      if connection.phase.isReading { close(id) }
    }
  }

  /// Cuts off all connections that are still open.
  package func stop() {
    stopAccepting()
    for id in connections.keys { cutOff(id) }
    watch?.cancel()
    watch = nil
    readiness?.source.cancel()
    readiness = nil
  }
}

// MARK: - What happens to a connection

extension Server {
  private func serveReadySockets() {
    for event in readiness?.sockets.events() ?? [] {
      if event.id == 0 {
        clientsWait()
      } else {
        if event.hasRoom { roomMade(event.id, true) }
        if event.speaks { clientSpoke(event.id) }
      }
    }
  }

  private func clientsWait() {
    guard let listener else { return }
    // Accepts a limited number at a time, because other sockets have events too.
    for _ in 0..<64 {
      let socket: Socket?
      do { socket = try listener.accepted() } catch {
        // The process cannot open more files. The waiting clients would be reported again and again, so stop watching
        // the listener until the next `timePassed()`.
        readiness?.sockets.forget(listener)
        return
      }
      guard let socket else { return }
      // Accepts a few clients more than the limit, to answer that the server is full.
      guard connections.count < limits.connections + 64 else { continue }
      arrived(socket)
    }
  }

  private func arrived(_ socket: Socket) {
    lastID += 1
    let id = lastID
    socket.limitBuffers(sending: limits.sendBuffer)
    socket.limitUnsentBytes(to: limits.unsentBytes)
    connections[id] = Connection(socket: socket, deadline: Deadline(after: limits.request))
    tally.modify { tally in
      tally.connections += 1
      tally.accepted += 1
    }
    readiness?.sockets.watch(socket, as: id)
    if connections.count > limits.connections { refuse(id, .full) }
  }

  private func clientSpoke(_ id: Int) {
    guard let connection = connections[id] else { return }
    switch connection.socket.read(into: &buffer) {
    case .notNow: break
    case .ended: clientEnded(id)
    case .moved(let count): received(id, buffer[..<count])
    }
  }

  private func received(_ id: Int, _ bytes: ArraySlice<UInt8>) {
    switch connections[id]?.phase {
    case .reading(var parser):
      let known = parser.size
      let outcome = parser.received(bytes)
      connections[id]?.phase = .reading(parser)
      switch outcome {
      case .needsMore: break
      case .request(let request): requested(id, request, bodyBegin: bytes.dropFirst(parser.size - known))
      case .refused(let status): refuse(id, status)
      }
    case .readingBody(var parser, let request, let answer):
      let outcome = parser.received(bytes)
      connections[id]?.phase = .readingBody(parser, request, answer)
      switch outcome {
      case .needsMore: break
      case .complete: reply(id, request, answer)
      case .refused(let status): refuse(id, status)
      }
    case .answering, .parting, nil: break
    }
  }

  private func requested(_ id: Int, _ request: Request, bodyBegin: ArraySlice<UInt8>) {
    let answer = checkedAnswer(to: request)
    // Refuses a request without waiting for its body.
    if case .response(let response) = answer, response.status.code >= 400 {
      tally.modify { $0.refused += 1 }
      return reply(id, request, answer)
    }
    guard let parser = BodyParser(of: request) else { return reply(id, request, answer) }
    connections[id]?.phase = .readingBody(parser, request, answer)
    received(id, bodyBegin)
    guard request.expectsContinue, connections[id]?.phase.isReading == true else { return }
    // A new connection has room for these bytes.
    _ = connections[id]?.socket.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...])
  }

  private func checkedAnswer(to request: Request) -> Answer {
    guard request.namesThisMachine else { return .response(Response(refusing: .misdirected)) }
    let answer = answer(request)
    if case .action = answer, request.isFromAnotherSite {
      return .response(Response(refusing: .foreignOrigin))
    }
    return answer
  }

  private func refuse(_ id: Int, _ status: Status) {
    tally.modify { $0.refused += 1 }
    reply(id, Request(method: "", path: ""), .response(Response(refusing: status)))
  }

  private func reply(_ id: Int, _ request: Request, _ answer: Answer) {
    guard let socket = connections[id]?.socket else { return }
    let client = Client(id: id, socket: socket, server: self, request: request)
    connections[id]?.deadline = nil
    connections[id]?.phase = .answering(send(answer, to: client))
  }

  // This function is not isolated, so that its task runs on the pool, and hops to the queue only after the answer.
  private nonisolated func send(_ answer: Answer, to client: Client) -> Task<Void, Never> {
    Task { [tally] in
      switch answer {
      case .response(let response):
        _ = await client.send(response.bytes(to: client.request))
      case .action(let act):
        _ = await client.send(await act().bytes(to: client.request))
      case .events where client.request.method == "HEAD":
        _ = await client.send(ServerSentEvent.head())
      case .events(let follow):
        tally.modify { $0.streams += 1 }
        if await client.send(ServerSentEvent.head() + ServerSentEvent.retry()) { await follow(client) }
        tally.modify { $0.streams -= 1 }
      }
      await answered(client.id)
    }
  }

  private func answered(_ id: Int) {
    guard let connection = connections[id] else { return }
    if connection.isGone { return close(id) }
    connection.socket.endWriting()
    connections[id]?.phase = .parting
    connections[id]?.deadline = deadline(after: limits.closing, connection)
    tally.modify { $0.parting += 1 }
  }

  private func clientEnded(_ id: Int) {
    guard let connection = connections[id] else { return }
    guard case .answering(let task) = connection.phase else { return close(id) }
    // Stops watching the socket: otherwise `events()` would report the end again and again.
    readiness?.sockets.forget(connection.socket)
    connections[id]?.isGone = true
    task.cancel()
    roomMade(id, false)
  }

  /// Ends the connection by a reset.
  private func cutOff(_ id: Int) {
    guard let connection = connections[id] else { return }
    connection.socket.breaksWhenClosed()
    clientEnded(id)
  }

  private func close(_ id: Int) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    readiness?.sockets.forget(connection.socket)
    let wasParting = if case .parting = connection.phase { true } else { false }
    tally.modify { tally in
      tally.connections -= 1
      if wasParting { tally.parting -= 1 }
    }
  }

  private func deadline(after limit: Duration, _ connection: Connection) -> Deadline {
    Deadline(after: limit, unacknowledged: connection.socket.unacknowledgedBytes)
  }

  /// Ends the connections of clients that are late. The server calls this at the interval `limits.watch`.
  package func timePassed(now: ContinuousClock.Instant = .now) {
    // Watches the listener again, because `clientsWait()` may have stopped watching it.
    if let listener { readiness?.sockets.watch(listener, as: 0) }
    for (id, connection) in connections {
      guard var deadline = connection.deadline else { continue }
      let isLate = deadline.hasPassed(unacknowledged: connection.socket.unacknowledgedBytes, now: now)
      if deadline != connection.deadline { connections[id]?.deadline = deadline }
      guard isLate else { continue }
      switch connection.phase {
      case .reading, .readingBody: refuse(id, .tooSlow)
      case .parting: cutOff(id)
      case .answering:
        tally.modify { $0.dropped += 1 }
        cutOff(id)
      }
    }
  }
}

// MARK: - Waiting for room

extension Server {
  /// Returns true when the client accepts more bytes, and false when it never will.
  func room(for id: Int) async -> Bool {
    guard let connection = connections[id], !connection.isGone else { return false }
    tally.modify { $0.stalled += 1 }
    // Only `clientEnded` cancels this task, and `clientEnded` resumes the continuation too.
    return await withCheckedContinuation { continuation in
      connections[id]?.writer = continuation
      connections[id]?.deadline = deadline(after: limits.stall, connection)
      readiness?.sockets.watch(connection.socket, as: id, forRoom: true)
    }
  }

  private func roomMade(_ id: Int, _ isThere: Bool) {
    guard let connection = connections[id], let writer = connections[id]?.writer.take() else { return }
    if !connection.isGone { readiness?.sockets.watch(connection.socket, as: id) }
    connections[id]?.deadline = nil
    tally.modify { $0.stalled -= 1 }
    writer.resume(returning: isThere)
  }
}
