/// Sends the request of one watch, and waits for the end of the answer.
struct WatchReader: Sendable {
  let client: EtcdClient
  let attempt: EtcdClient.Attempt
  let mailbox = WatchMailbox()
  private let receiver: WatchReceiver

  init(_ client: EtcdClient, _ attempt: EtcdClient.Attempt, _ state: WatchState) {
    self.client = client
    self.attempt = attempt
    receiver = WatchReceiver(mailbox, state)
  }

  /// Reads until the watch ends or the task is cancelled.
  func read(_ body: [UInt8]) async {
    // Without this header a member that has lost its quorum would keep the watch, and be silent.
    let headers = attempt.headers.merging(["Grpc-Metadata-hasleader": "true"]) { first, _ in first }
    let url = attempt.endpoint + "/v3/watch"
    let trouble =
      if let sockets = client.sockets {
        await readOnThread(url, body, headers, sockets)
      } else {
        await readOnTask(url, body, headers)
      }
    if !Task.isCancelled, trouble.isAboutEndpoint { client.troubleCame(in: attempt) }
    mailbox.ended(trouble)
  }

  // The thread that reads the connection passes changes to the mailbox itself: to wake this task for each of them would
  // take as long as reading them.
  private func readOnThread(
    _ url: String,
    _ body: [UInt8],
    _ headers: [String: String],
    _ sockets: SocketTransport
  ) async -> EtcdTrouble {
    let (ends, end) = AsyncStream.makeStream(of: EtcdTrouble.self)
    let cancellation = SocketCancellation()
    end.onTermination = { _ in cancellation.cancel() }
    do {
      try sockets.stream(url, body: body, headers: headers, cancellation) { [receiver] news in
        let trouble: EtcdTrouble?
        switch news {
        case .status(let status):
          receiver.statusCame(status)
          trouble = nil
        case .chunk(let chunk): trouble = receiver.chunkCame(chunk)
        case .ended(let error): trouble = receiver.ended(error)
        }
        if let trouble { end.yield(trouble) }
        return trouble == nil
      }
    } catch {
      return receiver.ended(error)
    }
    // Only the first one counts. The task does not wait for the thread if it is cancelled.
    for await trouble in ends { return trouble }
    return receiver.ended(CancellationError())
  }

  private func readOnTask(
    _ url: String,
    _ body: [UInt8],
    _ headers: [String: String]
  ) async -> EtcdTrouble {
    do {
      let stream = try await client.transport.stream(url, body: body, headers: headers)
      receiver.statusCame(stream.status)
      for try await chunk in stream.chunks {
        if let trouble = receiver.chunkCame(chunk) { return trouble }
      }
      try Task.checkCancellation()
      return receiver.ended(nil)
    } catch {
      return receiver.ended(error)
    }
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
