import ActorBindingsSharing

/// What the lines of one watch mean.
///
/// States:
/// - *opening*: The request was sent.
/// - *open*: etcd has confirmed the watch.
/// - *ended*: The watch has ended; nothing more is expected.
///
/// | event | opening | open |
/// |---|---|---|
/// | `created` | open, or ended if etcd's history is another one | open |
/// | events, or none | yields them (etcd may send them in one line with `created`) | yields them |
/// | `canceled`, or a rejection | ended | ended |
/// | another line | ended | ended |
///
/// In *ended* each line is ignored.
///
/// Actions: `opened` obliges the caller to tell the task that waits for the confirmation, and to deliver the changes
/// with it; `changes` to deliver changes, or a sign of life if there are none; `ended` to close the connection, and to
/// tell the reader why.
struct WatchState: Sendable {
  enum Action: Equatable, Sendable {
    case nothing
    case opened([StoreChange])
    case changes([StoreChange])
    case ended(EtcdTrouble)
  }

  private enum Phase { case opening, open, ended }

  private let keys: KeySpace
  // The revision after which the watch yields changes.
  private let revision: StoreRevision
  private var phase = Phase.opening

  init(after revision: StoreRevision, in keys: KeySpace) {
    self.keys = keys
    self.revision = revision
  }

  /// A line came.
  mutating func lineCame(_ bytes: [UInt8]) -> Action {
    if phase == .ended { return .nothing }
    guard let line = EtcdResponse.decode(EtcdResponse.Line<EtcdResponse.Watch>.self, from: bytes) else {
      return end(.unanswered("a watch got " + EtcdResponse.beginning(of: bytes)))
    }
    if let rejection = line.error { return end(Self.trouble(rejection)) }
    guard let answer = line.result else {
      return end(.unanswered("a watch got " + EtcdResponse.beginning(of: bytes)))
    }
    if answer.isCanceled { return end(Self.end(of: answer)) }
    if answer.isCreated, isHistoryAnother(answer) { return end(.historyLost) }
    let changes = answer.events.compactMap { keys.change($0) }
    if phase == .opening {
      guard answer.isCreated else { return end(.unanswered("a watch was not confirmed")) }
      phase = .open
      return .opened(changes)
    }
    return .changes(changes)
  }

  private mutating func end(_ trouble: EtcdTrouble) -> Action {
    phase = .ended
    return .ended(trouble)
  }

  // A store that was wiped counts its revisions from 1 again, and would be silent until it reaches the one that was
  // asked for. A member that lags behind looks the same; then another load costs little.
  private func isHistoryAnother(_ answer: EtcdResponse.Watch) -> Bool {
    (answer.header?.revision ?? 0) < revision.number
  }

  private static func end(of answer: EtcdResponse.Watch) -> EtcdTrouble {
    if answer.compactRevision != nil { return .historyLost }
    return trouble(EtcdRejection(message: answer.cancelReason ?? "the watch was cancelled"))
  }

  // A reason that is not about the request is about the member, so another endpoint may serve the watch.
  private static func trouble(_ rejection: EtcdRejection) -> EtcdTrouble {
    switch rejection.reason {
    case .compacted: .historyLost
    case .other: .unanswered("a watch was ended: \(rejection.message)")
    default: .rejected(rejection)
    }
  }
}
