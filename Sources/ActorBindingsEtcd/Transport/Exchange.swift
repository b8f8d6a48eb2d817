import ActorBindings

/// One request and what has come of its answer: moves what a transport's threads hear to the task that waits.
// @unchecked: `lock` guards the variables.
final class Exchange: @unchecked Sendable {
  /// How much of the answer the task wants at once.
  enum Receiver: Sendable {
    case whole(AsyncThrowingStream<EtcdAnswer, any Error>.Continuation)
    case parts(
      status: AsyncThrowingStream<Int, any Error>.Continuation,
      chunks: AsyncThrowingStream<[UInt8], any Error>.Continuation
    )
  }

  private let receiver: Receiver
  private let lock = Lock()
  // Guarded by `lock`.
  private var answer = EtcdAnswer(status: 0, body: [])

  init(_ receiver: Receiver) {
    self.receiver = receiver
  }

  func statusCame(_ status: Int) {
    switch receiver {
    case .whole: lock.withLock { answer.status = status }
    case .parts(let statuses, _):
      // The task may release the stream of statuses before it is finished here: that is no cancellation.
      statuses.onTermination = nil
      statuses.yield(status)
      statuses.finish()
    }
  }

  func chunkCame(_ chunk: [UInt8]) {
    switch receiver {
    case .whole: lock.withLock { answer.body += chunk }
    case .parts(_, let chunks): chunks.yield(chunk)
    }
  }

  func ended(_ error: (any Error)?) {
    switch receiver {
    case .whole(let answers):
      if error == nil { answers.yield(lock.withLock { answer }) }
      answers.finish(throwing: error)
    case .parts(let statuses, let chunks):
      statuses.finish(throwing: error)
      chunks.finish(throwing: error)
    }
  }
}
