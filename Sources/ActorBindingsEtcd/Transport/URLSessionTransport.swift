import ActorBindings
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transport over Foundation's `URLSession`, for `https` URLs.
///
/// It opens at most 100 connections for streams to one host, and as many for other requests. On Linux it trusts the
/// certificate authorities of the system, and has no client certificates: use another ``EtcdTransport`` where you need
/// those.
public final class URLSessionTransport: EtcdTransport {
  // Each kind of request has its own session. Otherwise a request would wait until a stream ends, once there are as
  // many streams as a session opens connections.
  private let calls: ExchangeSession
  private let streams: ExchangeSession

  /// Creates a transport without connections.
  ///
  /// - Parameter idleLimit: The time after which the transport closes a connection on which nothing comes. Usually
  ///   another limit passes before: the store has a deadline for each request, and the loops that follow a store open
  ///   another stream sooner.
  public init(idleLimit: Duration = .seconds(60)) {
    calls = ExchangeSession(idleLimit: idleLimit)
    streams = ExchangeSession(idleLimit: idleLimit)
  }

  deinit {
    calls.end()
    streams.end()
  }

  /// Sends a request by POST, and returns its answer.
  public func send(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdAnswer {
    let (answers, receiver) = AsyncThrowingStream.makeStream(of: EtcdAnswer.self, throwing: (any Error).self)
    let cancel = try calls.start(url, body, headers, Exchange(.whole(receiver)))
    receiver.onTermination = { if case .cancelled = $0 { cancel() } }
    for try await answer in answers { return answer }
    throw CancellationError()
  }

  /// Sends a request by POST, and returns its answer while the answer goes on.
  public func stream(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdStream {
    let (statuses, first) = AsyncThrowingStream.makeStream(of: Int.self, throwing: (any Error).self)
    let (chunks, rest) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
    let cancel = try streams.start(url, body, headers, Exchange(.parts(status: first, chunks: rest)))
    first.onTermination = { if case .cancelled = $0 { cancel() } }
    rest.onTermination = { if case .cancelled = $0 { cancel() } }
    for try await status in statuses { return EtcdStream(status: status, chunks: chunks) }
    throw CancellationError()
  }
}

/// A session, and the exchanges that are under way in it.
private final class ExchangeSession: Sendable {
  private let delegate: ExchangeDelegate
  private let session: URLSession

  init(idleLimit: Duration) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 100
    configuration.timeoutIntervalForRequest = idleLimit / .seconds(1)
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    delegate = ExchangeDelegate()
    // The delegate is that of the session, because on Linux a delegate of a task hears nothing of the body.
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// Releases the delegate, which the session keeps alive, and cancels what is under way.
  func end() {
    session.invalidateAndCancel()
  }

  /// Starts an exchange, and returns a function that cancels it.
  func start(
    _ url: String,
    _ body: [UInt8],
    _ headers: [String: String],
    _ exchange: Exchange
  ) throws -> @Sendable () -> Void {
    guard let url = URL(string: url) else { throw EtcdTransportError.notSent("\(url) is not a URL") }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(body)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let task = session.dataTask(with: request)
    delegate.started(exchange, as: task.taskIdentifier)
    task.resume()
    return { task.cancel() }
  }
}

/// Tells each exchange what comes of it.
// @unchecked: `lock` guards the variable.
private final class ExchangeDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`. The keys are the identifiers of the session's tasks.
  private var exchanges: [Int: Exchange] = [:]

  func started(_ exchange: Exchange, as id: Int) {
    lock.withLock { exchanges[id] = exchange }
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let exchange = lock.withLock { exchanges[dataTask.taskIdentifier] }
    exchange?.statusCame((response as? HTTPURLResponse)?.statusCode ?? 0)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let exchange = lock.withLock { exchanges[dataTask.taskIdentifier] }
    exchange?.chunkCame(Array(data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let exchange = lock.withLock { exchanges.removeValue(forKey: task.taskIdentifier) }
    exchange?.ended(error.map { Self.transportError($0, of: task) })
  }

  // URLSession sends a request again if the server has closed a connection on which it answered earlier requests. So
  // "cannot connect" does not mean that nothing was sent: the number of bytes says that. (It sends no body the second
  // time: so no request is carried out twice.)
  private static func transportError(_ error: any Error, of task: URLSessionTask) -> EtcdTransportError {
    let code = (error as? URLError)?.code
    let message = code == .timedOut ? "nothing came for too long" : error.localizedDescription
    return task.countOfBytesSent == 0 ? .notSent(message) : .interrupted(message)
  }
}
