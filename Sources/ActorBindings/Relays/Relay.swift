/// Feeds a cell of its own from sources while it has readers: for operators that must do something between two values,
/// like wait, and cannot be a cursor.
///
/// The first reader starts a driver, before it takes its place. When the last reader has left, in one step, the driver may
/// write no more and the cell holds nothing; so no reader sees the values of two drivers. The readers share what it does.
/// To everything else its cell is a cell that is written, so it can be combined, and its versions are its own.
///
/// `RelayState` decides; this locks, asks, unlocks and acts.
// @unchecked: the variable says what guards it.
@usableFromInline
final class Relay<Value: Sendable>: Inflow, @unchecked Sendable {
  /// Makes what writes the cell, on the given isolation, and has it open the outlet when it has taken its places in the
  /// sources. There it ends if the outlet does not open.
  @usableFromInline typealias Start = @Sendable (Outlet<Value>, RelayActor) -> Void

  private let start: Start
  private let actor = RelayActor()

  // Guarded by the lock of the cell, so it need not be checked for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedState = RelayState()

  @usableFromInline
  init(_ start: @escaping Start) {
    self.start = start
    super.init()
  }

  override func locked(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    if case .joining = purpose { willBeFollowed(cell) }
    cell.locked { step(&$0) }
    switch purpose {
    case .joining, .leaving: followersChanged(cell)
    // A lane's turn may have been the last one of its observations.
    case .looking: if cell.locked({ $0.readers == 0 }) { followersChanged(cell) }
    case .feeding: break
    }
  }

  override func upstream(of cell: AnyCell) -> [AnyCell] {
    let driver = cell.locked { _ in unsafe storedState.driver }
    return driver?.source.map { [$0] } ?? []
  }

  override func willBeFollowed(_ cell: AnyCell) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value?>.self)
    let need = cell.locked { _, roster in
      unsafe storedState.readersChanged(isRead: true, isFinished: roster.isFinished)
    }
    meet(need, cell)
  }

  override func followersChanged(_ cell: AnyCell) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value?>.self)
    // A reader that has joined needs a driver when this returns, even if another thread is about to start one: what is
    // sent to the sources from then on must not be missed. Of several the first that opens its outlet is the driver.
    while meet(need(of: cell), cell) {}
  }

  private func need(of cell: Cell<Value?>) -> RelayState.Need {
    // Released after the lock.
    var value: Value?
    let need = cell.locked { state, roster in
      let isRead = roster.readers > 0 || state.keepsHistory || !roster.junctions.isEmpty
      if !isRead, !roster.isFinished { swap(&state.value, &value) }
      return unsafe storedState.readersChanged(isRead: isRead, isFinished: roster.isFinished)
    }
    _ = consume value
    return need
  }

  // True if a driver was started, which may have been refused.
  @discardableResult
  private func meet(_ need: RelayState.Need, _ cell: Cell<Value?>) -> Bool {
    switch need {
    case .start(let outlet):
      start(Outlet(outlet, of: cell, self), actor)
      return true
    case .stop(let driver):
      driver.stop()
      return false
    case .nothing: return false
    }
  }
}

/// Through this one driver writes a relay's cell while it is open: what it writes otherwise is lost.
@usableFromInline
final class Outlet<Value: Sendable>: Sendable {
  @usableFromInline let number: Int
  @usableFromInline let cell: Cell<Value?>
  @usableFromInline let relay: Relay<Value>

  init(_ number: Int, of cell: Cell<Value?>, _ relay: Relay<Value>) {
    self.number = number
    self.cell = cell
    self.relay = relay
  }

  /// Opens it, if no other one is open. False if it is not open then.
  @usableFromInline
  func open(by driver: any RelayDriver) -> Bool {
    cell.locked { _, roster in
      unsafe relay.storedState.driverReady(driver, outlet: number, isFinished: roster.isFinished)
    }
  }

  @inlinable var isOpenWhileLocked: Bool { unsafe relay.storedState.isOpen(number) }

  /// Writes the cell.
  @inlinable
  func send(_ new: Value) {
    var value: Value? = new
    let outcome = cell.written { state, roster in
      isOpenWhileLocked ? state.sent(&value, by: .impatient, &roster) : .ignored
    }
    if case .published(let woken, _) = outcome { woken.wake() }
  }

  /// Ends the cell: the sources have ended.
  @usableFromInline
  func finish() {
    let woken = cell.written { _, roster in isOpenWhileLocked ? roster.finish() : Woken(first: nil) }
    woken.wake()
  }
}

/// The cursor of an operator that has a cell of its own, which holds nil until there is a value.
public struct RelayCursor<Element: Sendable>: BindingCursor {
  /// The innermost cursor.
  public var root: CellCursor<Element?>

  /// - Parameter source: A cell that it follows: it lives where that one does.
  @inlinable
  init(of source: AnyCell, _ start: @escaping Relay<Element>.Start) {
    let cell = Cell<Element?>(nil, inflow: Relay(start))
    cell.belongs(toHostOf: source)
    root = CellCursor(cell: cell)
  }

  /// The next element.
  @inlinable
  public mutating func next(in round: Round<Element?>?) -> Pull<Element> {
    switch root.next(in: round) {
    case .element(let element?, let stamp): .element(element, stamp)
    case .element(nil, let stamp), .rejected(let stamp): .rejected(stamp)
    case .idle: .idle
    case .finished: .finished
    }
  }
}
