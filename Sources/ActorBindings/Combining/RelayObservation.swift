/// The observation of a relay's driver, or its newest one.
// @unchecked: guarded by `lock`.
final class RelayObservation: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var token: BindingToken?
  // Guarded by `lock`: which one it is.
  private var number = 0
  // Guarded by `lock`: how many there have been.
  private var count = 0
  // Guarded by `lock`.
  private var hasEnded = false

  /// Observes, until it is ended.
  func begin<Cursor: BindingCursor, Target: Recipient>(
    _ cursor: Cursor,
    _ target: Target,
    _ backlog: Backlog,
    on actor: RelayActor
  ) where Target.Element == Cursor.Element {
    begin(cursor, target, depth: backlog.depth, on: actor)
  }

  /// Observes, in the place of the one before. It may end itself, and the next one begin, before this returns.
  ///
  /// - Parameter depth: Nil if the cursor has its place already.
  func begin<Cursor: BindingCursor, Target: Recipient>(
    _ cursor: Cursor,
    _ target: Target,
    depth: UInt32?,
    on actor: RelayActor
  ) where Target.Element == Cursor.Element {
    let observation = CursorObservation(cursor, target, endsWithToken: true, isConfined: false)
    let number = lock.withLock {
      count += 1
      return count
    }
    cursor.root.cell.begin(observation, depth: depth, on: DeliveryContext(isolation: actor))
    let token = BindingToken(observation)
    let outdated = lock.withLock { () -> BindingToken? in
      if hasEnded || number < self.number { return token }
      defer { (self.token, self.number) = (token, number) }
      return self.token
    }
    outdated?.cancel()
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
