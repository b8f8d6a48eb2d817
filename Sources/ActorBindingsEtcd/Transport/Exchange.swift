import ActorBindings

/// One request and what has come of its answer: moves what a transport's threads hear to the task that waits.
// @unchecked: `lock` guards the variables.
final class Exchange: @unchecked Sendable {
  /// The largest number of bytes of a whole answer. An entry of 1.5 MiB has 2 MiB in base64.
  static let answerLimit = 16 << 20

  /// What an answer brings while it goes on: its status, then chunks of its body, then its end.
  enum News: Sendable {
    case status(Int)
    case chunk([UInt8])
    case ended((any Error)?)
  }

  /// How much of the answer the task wants at once.
  enum Receiver: Sendable {
    case whole(AsyncThrowingStream<EtcdAnswer, any Error>.Continuation)
    case parts(
      status: AsyncThrowingStream<Int, any Error>.Continuation,
      chunks: AsyncThrowingStream<[UInt8], any Error>.Continuation
    )
    /// Called on the thread of the transport. It returns false if it wants no more.
    case function(@Sendable (News) -> Bool)
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
    case .function(let receive): _ = receive(.status(status))
    }
  }

  /// A part of the body came. Returns false if a whole answer is longer than its limit, or the rest is not wanted.
  func chunkCame(_ chunk: [UInt8]) -> Bool {
    switch receiver {
    case .whole:
      return lock.withLock {
        answer.body += chunk
        return answer.body.count <= Self.answerLimit
      }
    case .parts(_, let chunks):
      chunks.yield(chunk)
      return true
    case .function(let receive): return receive(.chunk(chunk))
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
    case .function(let receive): _ = receive(.ended(error))
    }
  }
}
