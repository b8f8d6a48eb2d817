/// The observation of a relay's driver that has one for its whole life.
// @unchecked: guarded by `lock`.
final class RelayObservation: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var token: BindingToken?
  // Guarded by `lock`.
  private var hasEnded = false

  /// Observes, until it is ended.
  func begin<Cursor: BindingCursor, Target: Recipient>(
    _ cursor: Cursor,
    _ target: Target,
    _ backlog: Backlog,
    on actor: RelayActor
  ) where Target.Element == Cursor.Element {
    let observation = CursorObservation(cursor, target, endsWithToken: true, isConfined: false)
    cursor.root.cell.begin(observation, depth: backlog.depth, on: DeliveryContext(isolation: actor))
    replace(with: BindingToken(observation))
  }

  /// Ends the one before.
  func replace(with token: BindingToken) {
    let former = lock.withLock { () -> BindingToken? in
      if hasEnded { return token }
      defer { self.token = token }
      return self.token
    }
    former?.cancel()
  }

  /// From anywhere.
  func end() {
    let token = lock.withLock { () -> BindingToken? in
      hasEnded = true
      return self.token.take()
    }
    token?.cancel()
  }
}
