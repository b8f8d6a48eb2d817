/// Reads one watch: sends its request, and passes to a mailbox what the lines of the answer mean.
struct WatchReader: Sendable {
  /// The largest number of bytes of a line. etcd divides answers of more than 1.5 MiB, which base64 makes 2 MiB.
  static let lineLimit = 8 << 20

  let client: EtcdClient
  let attempt: EtcdClient.Attempt
  let mailbox = WatchMailbox()
  private let state: WatchState

  init(_ client: EtcdClient, _ attempt: EtcdClient.Attempt, _ state: WatchState) {
    self.client = client
    self.attempt = attempt
    self.state = state
  }

  /// Reads until the watch ends or the task is cancelled.
  func read(_ body: [UInt8]) async {
    let trouble: EtcdTrouble
    do {
      trouble = try await readToEnd(body)
    } catch EtcdTransportError.notSent(let message) {
      trouble = .notApplied(message)
    } catch EtcdTransportError.noResources(let message) {
      trouble = .noResources(message)
    } catch EtcdTransportError.interrupted(let message) {
      trouble = .unanswered("the connection of a watch was lost: \(message)")
    } catch let error as LineSplitter.LineTooLong {
      trouble = .unanswered("a watch got a line of more than \(error.limit) bytes")
    } catch {
      trouble = .unanswered("\(error)")
    }
    if !Task.isCancelled, trouble.isAboutEndpoint { client.troubleCame(in: attempt) }
    mailbox.ended(trouble)
  }

  private func readToEnd(_ body: [UInt8]) async throws -> EtcdTrouble {
    // Without this header a member that has lost its quorum would keep the watch, and be silent.
    let headers = attempt.headers.merging(["Grpc-Metadata-hasleader": "true"]) { first, _ in first }
    let url = attempt.endpoint + "/v3/watch"
    let stream = try await client.transport.stream(url, body: body, headers: headers)
    if stream.status != 200 {
      let trouble = EtcdTrouble(status: stream.status, body: try await Self.beginning(of: stream))
      return trouble ?? .unanswered("status \(stream.status)")
    }
    var state = state
    var splitter = LineSplitter(limit: Self.lineLimit)
    for try await chunk in stream.chunks {
      for line in try splitter.chunkCame(chunk) {
        switch state.lineCame(line) {
        case .nothing: break
        case .opened(let changes): mailbox.opened(with: changes)
        case .changes(let changes): mailbox.changesCame(changes)
        case .ended(let trouble): return trouble
        }
      }
    }
    try Task.checkCancellation()
    return .unanswered("the connection of a watch ended")
  }

  // Reads as much of an answer as a message needs.
  private static func beginning(of stream: EtcdStream) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in stream.chunks {
      bytes += chunk
      if bytes.count > 4096 { break }
    }
    return bytes
  }
}

extension EtcdTrouble {
  /// Whether the endpoint in use may be at fault, so that another one may do better.
  var isAboutEndpoint: Bool {
    switch self {
    case .notApplied, .unanswered: true
    case .noResources, .rejected, .historyLost, .answerTooLarge: false
    }
  }
}
