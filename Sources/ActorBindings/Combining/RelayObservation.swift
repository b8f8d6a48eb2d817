/// The observation of a relay's driver, or its newest one.
// @unchecked: guarded by `lock`.
@usableFromInline
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

  @usableFromInline
  init() {}

  /// Takes a place, opens the outlet, and observes until it is ended.
  func begin<Cursor: BindingCursor, Driver: Recipient & RelayDriver, Value>(
    _ cursor: Cursor,
    _ driver: Driver,
    _ backlog: Backlog,
    through outlet: Outlet<Value>,
    on actor: RelayActor
  ) where Driver.Element == Cursor.Element {
    var cursor = cursor
    let cell = cursor.root.cell
    cursor.root.place = cell.beginReading(depth: backlog.depth, pin: nil)
    guard outlet.open(by: driver) else { return cell.endReading(&cursor.root.place) }
    begin(cursor, driver, on: actor)
  }

  /// Observes with a cursor that has its place, instead of with the one before. It may end itself, and the next one
  /// begin, before this returns.
  @inlinable
  func begin<Cursor: BindingCursor, Target: Recipient>(
    _ cursor: Cursor,
    _ target: Target,
    on actor: RelayActor
  ) where Target.Element == Cursor.Element {
    let observation = CursorObservation(cursor, target, endsWithToken: true, isConfined: false)
    begin(observation, in: cursor.root.cell, on: actor)
  }

  @usableFromInline
  func begin(_ observation: Observation, in cell: AnyCell, on actor: RelayActor) {
    let number = lock.withLock {
      count += 1
      return count
    }
    cell.begin(observation, depth: nil, on: DeliveryContext(isolation: actor))
    let token = BindingToken(observation)
    let outdated = lock.withLock { () -> BindingToken? in
      if hasEnded || number < self.number { return token }
      defer { (self.token, self.number) = (token, number) }
      return self.token
    }
    outdated?.cancel()
  }

  /// From anywhere.
  @usableFromInline
  func end() {
    let token = lock.withLock { () -> BindingToken? in
      hasEnded = true
      return self.token.take()
    }
    token?.cancel()
  }
}
