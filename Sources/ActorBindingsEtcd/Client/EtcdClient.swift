import ActorBindings
import ActorBindingsSharing

/// Sends requests to a cluster: chooses the endpoint, logs in, and says what failed.
final class EtcdClient: Sendable {
  /// One attempt to send a request.
  struct Attempt: Sendable {
    /// The position of the endpoint in the ring.
    let position: Int
    /// The URL of the endpoint, without a path.
    let endpoint: String
    /// The token; nil if the request does not log in.
    let token: TokenState.Token?

    var headers: [String: String] {
      token?.text.map { ["Authorization": $0] } ?? [:]
    }
  }

  let credentials: EtcdCredentials?
  let transport: any EtcdTransport
  /// The transport, if it is the standard one.
  let sockets: SocketTransport?
  let time: Timeline
  /// The time within which each answer must come.
  let limit: Duration

  private let ring: BindableActor<EndpointRing>
  private let tokens = BindableActor(TokenState())

  init(
    _ endpoints: [String],
    credentials: EtcdCredentials?,
    transport: any EtcdTransport,
    time: Timeline,
    limit: Duration
  ) {
    ring = BindableActor(EndpointRing(endpoints))
    self.credentials = credentials
    self.transport = transport
    sockets = transport as? SocketTransport
    self.time = time
    self.limit = limit
  }

  /// Sends a request, and returns its answer, which must come within `limit`, or within `shorter` if that is less.
  func call<Answer: JSONReadable>(
    _ path: String,
    _ request: some JSONWritable,
    as answer: Answer.Type,
    within shorter: Duration? = nil
  ) async throws -> Answer {
    let body = EtcdRequest.body(request)
    return try await attempt { attempt in
      try Self.decode(answer, from: try await self.send(path, body, attempt, within: shorter))
    }
  }

  /// Sends a request for one page of a load, and returns its answer, and the number of bytes of the answer.
  ///
  /// A page may take any time, as long as its bytes keep coming.
  func page<Answer: JSONReadable>(
    _ path: String,
    _ request: some JSONWritable,
    as answer: Answer.Type
  ) async throws -> (answer: Answer, bytes: Int) {
    let body = EtcdRequest.body(request)
    return try await attempt { [time, limit] attempt in
      let stream = try await self.answering(attempt) { try await self.pageStream(path, body, attempt) }
      let bytes = try await self.translatingErrors {
        try await time.whileProgressing(limit) { try await Self.bytes(of: stream, $0) }
      }
      guard let bytes else { throw EtcdTrouble.unanswered("an answer stopped for \(limit)") }
      if let trouble = EtcdTrouble(status: stream.status, body: bytes) { throw trouble }
      return (try Self.decode(answer, from: bytes), bytes.count)
    }
  }

  // Many pages may follow one another, so the standard transport uses its connections again.
  private func pageStream(_ path: String, _ body: [UInt8], _ attempt: Attempt) async throws -> EtcdStream {
    let (url, headers) = (attempt.endpoint + path, attempt.headers)
    guard let sockets else { return try await transport.stream(url, body: body, headers: headers) }
    return try await sockets.stream(url, body: body, headers: headers, hasOwnConnection: false)
  }

  private static func bytes(of stream: EtcdStream, _ progress: BindableActor<Int>) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in stream.chunks {
      bytes += chunk
      if bytes.count > PageLimit.answerBytes { throw EtcdTrouble.answerTooLarge(PageLimit.answerBytes) }
      progress.send(bytes.count)
    }
    // A stream ends early, and without an error, if the task is cancelled.
    try Task.checkCancellation()
    return bytes
  }

  private static func decode<Answer: JSONReadable>(
    _ answer: Answer.Type,
    from bytes: [UInt8]
  ) throws -> Answer {
    if let decoded = EtcdResponse.decode(answer, from: bytes) { return decoded }
    throw EtcdTrouble.unanswered("there was no answer of etcd, but \(EtcdResponse.beginning(of: bytes))")
  }

  /// Sends a request, and returns the body of its answer.
  private func send(
    _ path: String,
    _ body: [UInt8],
    _ attempt: Attempt,
    within shorter: Duration? = nil
  ) async throws -> [UInt8] {
    let url = attempt.endpoint + path
    let answer =
      if let answer = try await sendAtOnce(url, body, attempt, within: shorter) {
        answer
      } else {
        try await answering(attempt, within: shorter) { [transport] in
          try await transport.send(url, body: body, headers: attempt.headers)
        }
      }
    if let trouble = EtcdTrouble(status: answer.status, body: answer.body) { throw trouble }
    return answer.body
  }

  /// Sends a request on a connection of the standard transport that waits, and returns its answer. Returns nil if there
  /// is no such connection, and nothing was sent.
  ///
  /// The task and the timer of a deadline take as long as a tenth of a write. Here the transport keeps the deadline.
  private func sendAtOnce(
    _ url: String,
    _ body: [UInt8],
    _ attempt: Attempt,
    within shorter: Duration?
  ) async throws -> EtcdAnswer? {
    guard time.isContinuous, let sockets else { return nil }
    let limit = min(limit, shorter ?? limit)
    let result = try await translatingErrors {
      try await sockets.sendAtOnce(url, body: body, headers: attempt.headers, within: limit)
    }
    switch result {
    case .answered(let answer): return answer
    case .notSent: return nil
    case .late: throw try late(attempt, limit)
    }
  }

  /// Runs `body`, which waits for an answer, until its deadline.
  func answering<R: Sendable>(
    _ attempt: Attempt,
    within shorter: Duration? = nil,
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    let limit = min(limit, shorter ?? limit)
    let result = try await translatingErrors { try await time.within(limit, body) }
    if let result { return result }
    throw try late(attempt, limit)
  }

  // No answer came by the deadline.
  private func late(_ attempt: Attempt, _ limit: Duration) throws -> EtcdTrouble {
    try Task.checkCancellation()
    // A member waits until it knows the token of a later state than its own: of a cluster that was wiped since, say.
    if let token = attempt.token { tokens.modify { $0.tokenRefused(token) } }
    return EtcdTrouble.unanswered("no answer came within \(limit)")
  }

  /// Runs `body`, and throws an `EtcdTrouble` for each error, or `CancellationError` if the task is cancelled.
  private func translatingErrors<R>(_ body: () async throws -> R) async throws -> R {
    do {
      return try await body()
    } catch {
      try Task.checkCancellation()
      switch error {
      case let trouble as EtcdTrouble: throw trouble
      case EtcdTransportError.notSent(let message): throw EtcdTrouble.notApplied(message)
      case EtcdTransportError.noResources(let message): throw EtcdTrouble.noResources(message)
      case EtcdTransportError.interrupted(let message): throw EtcdTrouble.unanswered(message)
      default: throw EtcdTrouble.unanswered("\(error)")
      }
    }
  }
}

// MARK: - Attempts

extension EtcdClient {
  /// Runs `body` with an endpoint and a token: again with the next endpoint if this one cannot be reached, and again
  /// with a new token if the old one is no longer good.
  ///
  /// Each endpoint is tried once, and two new tokens. What may have been carried out is not tried again. An endpoint
  /// that cannot be reached is no longer in use. If this machine lacks a resource, this request tries the next endpoint,
  /// because local ports can be exhausted for one endpoint only. Later requests go to the same endpoint as before.
  func attempt<R>(
    loggedIn: Bool = true,
    _ body: (Attempt) async throws -> R
  ) async throws -> R {
    var (first, failures): (Int?, Int) = (nil, 0)
    var newTokens = 2
    while true {
      try Task.checkCancellation()
      let token = loggedIn ? try await token() : nil
      let ring = ring.value
      let start = first ?? ring.position
      first = start
      let position = ring.position(failures, after: start)
      let attempt = Attempt(position: position, endpoint: ring.endpoints[position], token: token)
      do {
        return try await body(attempt)
      } catch let trouble as EtcdTrouble {
        switch trouble {
        case .rejected(let rejection):
          guard rejection.reason == .token, let token, newTokens > 0 else { throw trouble }
          newTokens -= 1
          tokens.modify { $0.tokenRefused(token) }
        case .notApplied, .noResources:
          if trouble.isAboutEndpoint { troubleCame(in: attempt) }
          failures += 1
          if failures == ring.endpoints.count { throw trouble }
        case .unanswered:
          troubleCame(in: attempt)
          throw trouble
        case .historyLost, .answerTooLarge: throw trouble
        }
      }
    }
  }

  /// An attempt had trouble that another endpoint may not have.
  func troubleCame(in attempt: Attempt) {
    ring.modify { $0.troubleCame(at: attempt.position) }
  }

  /// Returns the token that requests carry; nil if they carry none.
  private func token() async throws -> TokenState.Token? {
    guard let credentials else { return nil }
    let login: Int
    switch tokens.modify({ $0.tokenRequested() }) {
    case .use(let token): return token
    case .wait(let number): login = number
    case .logIn(let number):
      login = number
      // Others wait for this log-in too, so it goes on if the caller's task is cancelled.
      Task {
        let result = await self.logIn(credentials)
        self.tokens.modify { $0.loginEnded(result) }
      }
    }
    let ended = await tokens.first { $0.outcome(of: login) != nil }
    guard let result = ended?.outcome(of: login) else { throw CancellationError() }
    return try result.get()
  }

  private func logIn(_ credentials: EtcdCredentials) async -> Result<String?, EtcdTrouble> {
    let request = EtcdRequest.Authenticate(name: credentials.user, password: credentials.password)
    do {
      let body = EtcdRequest.body(request)
      return .success(
        try await attempt(loggedIn: false) { attempt in
          let answer = try await self.send("/v3/auth/authenticate", body, attempt)
          guard let decoded = EtcdResponse.decode(EtcdResponse.Authenticate.self, from: answer) else {
            // The answer may contain a token, so the message does not show it.
            throw EtcdTrouble.notApplied("the answer to a log-in has no token")
          }
          return decoded.token
        }
      )
    } catch EtcdTrouble.rejected(let rejection) where rejection.reason == .authenticationIsOff {
      return .success(nil)
    } catch EtcdTrouble.rejected(let rejection) {
      return .failure(.rejected(rejection))
    } catch EtcdTrouble.unanswered(let message) {
      // The request that needs the token was not sent.
      return .failure(.notApplied("the log-in failed: \(message)"))
    } catch {
      return .failure(error as? EtcdTrouble ?? .notApplied("the log-in failed: \(error)"))
    }
  }
}

extension EtcdTrouble {
  /// The trouble that the status of an answer means; nil if there is none.
  init?(status: Int, body: [UInt8]) {
    if status == 200 { return nil }
    let rejection =
      EtcdResponse.decode(EtcdRejection.self, from: body)
      ?? EtcdResponse.decode(EtcdResponse.Line<EtcdResponse.Header>.self, from: body)?.error
    let said = rejection?.message ?? EtcdResponse.beginning(of: body)
    switch status {
    case 500... where rejection?.reason != .noSpace: self = .unanswered("status \(status): \(said)")
    case 400...: self = rejection.map(Self.rejected) ?? Self.noEtcd(status, said)
    default: self = Self.noEtcd(status, said)
    }
  }

  private static func noEtcd(_ status: Int, _ said: String) -> EtcdTrouble {
    .notApplied("no etcd is there: status \(status), \(said)")
  }
}
