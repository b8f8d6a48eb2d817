import ActorBindings
import ActorBindingsEtcd

/// A transport that records requests, and answers from a script.
final class ScriptedTransport: EtcdTransport {
  struct Request: Hashable, Sendable {
    var url: String
    var body: String
    var headers: [String: String]

    var path: String { String(url.dropFirst("http://a:1".count)) }
  }

  enum Reply: Sendable {
    case answer(Int, String)
    case failure(EtcdTransportError)
    /// Nothing, until the request is cancelled.
    case nothing
  }

  typealias Chunks = AsyncThrowingStream<[UInt8], any Error>

  /// The requests so far, those for streams too.
  let requests = BindableActor<[Request]>([])
  /// The endpoints of these requests.
  var endpoints: [String] { requests.value.map { String($0.url.prefix("http://a:1".count)) } }
  /// The streams so far: for tests that let them go on.
  let streams = BindableActor<[Chunks.Continuation]>([])
  /// The number of streams that the store has ended.
  let endedStreams = BindableActor(0)

  private let reply: @Sendable (Request, Int) -> Reply

  /// - Parameter reply: A function that makes the reply to a request, from the request and its number among those with
  ///   the same path. The body of a reply to a watch is the beginning of a stream; the streams of pages of a load end
  ///   with it.
  init(_ reply: @escaping @Sendable (Request, Int) -> Reply) {
    self.reply = reply
  }

  /// A transport that gives the same answer to each request.
  convenience init(_ answer: String) {
    self.init { _, _ in .answer(200, answer) }
  }

  func send(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdAnswer {
    let (status, text) = try await answer(url, body, headers)
    return EtcdAnswer(status: status, body: Array(text.utf8))
  }

  func stream(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdStream {
    let (status, text) = try await answer(url, body, headers)
    let (chunks, chunk) = Chunks.makeStream()
    chunk.onTermination = { [endedStreams] in
      if case .cancelled = $0 { endedStreams.modify { $0 += 1 } }
    }
    chunk.yield(Array(text.utf8))
    if status != 200 || !url.hasSuffix("/v3/watch") {
      chunk.finish()
    } else {
      streams.modify { $0.append(chunk) }
    }
    return EtcdStream(status: status, chunks: chunks)
  }

  private func answer(
    _ url: String,
    _ body: [UInt8],
    _ headers: [String: String]
  ) async throws -> (Int, String) {
    let request = Request(url: url, body: String(decoding: body, as: UTF8.self), headers: headers)
    let number = requests.modify { requests in
      requests.append(request)
      return requests.count { $0.path == request.path }
    }
    switch reply(request, number) {
    case .answer(let status, let text): return (status, text)
    case .failure(let error): throw error
    case .nothing:
      _ = await BindableActor(0).first { $0 == 1 }
      throw CancellationError()
    }
  }
}

extension AsyncThrowingStream<[UInt8], any Error>.Continuation {
  func yield(line: String) {
    yield(Array("\(line)\n".utf8))
  }
}
