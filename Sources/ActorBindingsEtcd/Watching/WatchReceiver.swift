import ActorBindingsSharing

/// Reads the answer to the request of one watch, and passes to a mailbox what its lines mean.
// @unchecked: one thread at a time uses the variables: the thread that reads the connection, or the task of the watch.
final class WatchReceiver: @unchecked Sendable {
  /// The largest number of bytes of a line. etcd divides answers of more than 1.5 MiB, which base64 makes 2 MiB.
  static let lineLimit = 8 << 20

  private let mailbox: WatchMailbox
  private var state: WatchState
  private var splitter = LineSplitter(limit: WatchReceiver.lineLimit)
  private var status = 0
  // As much of an answer with another status than 200 as a message needs.
  private var refusal: [UInt8] = []

  init(_ mailbox: WatchMailbox, _ state: WatchState) {
    self.mailbox = mailbox
    self.state = state
  }

  func statusCame(_ status: Int) {
    self.status = status
  }

  /// A part of the answer came. Returns why the watch has ended; nil if it goes on.
  func chunkCame(_ chunk: [UInt8]) -> EtcdTrouble? {
    if status != 200 {
      refusal += chunk
      return refusal.count > 4096 ? refused() : nil
    }
    do throws(LineSplitter.LineTooLong) {
      for line in try splitter.chunkCame(chunk) {
        switch state.lineCame(line) {
        case .nothing: break
        case .opened(let changes): mailbox.opened(with: changes)
        case .changes(let changes): mailbox.changesCame(changes)
        case .ended(let trouble): return trouble
        }
      }
      return nil
    } catch {
      return .unanswered("a watch got a line of more than \(error.limit) bytes")
    }
  }

  /// The answer ended. Returns why the watch has ended. Uses no variable if there is an error, so the task of a watch may
  /// call it while the thread still reads.
  func ended(_ error: (any Error)?) -> EtcdTrouble {
    switch error {
    case EtcdTransportError.notSent(let message)?: .notApplied(message)
    case EtcdTransportError.noResources(let message)?: .noResources(message)
    case EtcdTransportError.interrupted(let message)?:
      .unanswered("the connection of a watch was lost: \(message)")
    case let error?: .unanswered("\(error)")
    case nil: status == 200 ? .unanswered("the connection of a watch ended") : refused()
    }
  }

  private func refused() -> EtcdTrouble {
    EtcdTrouble(status: status, body: refusal) ?? .unanswered("status \(status)")
  }
}
