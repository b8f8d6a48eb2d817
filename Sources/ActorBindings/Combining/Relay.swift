/// Feeds a cell of its own from sources, while somebody reads it: for operators that must do something between two
/// values, like wait, and cannot be a cursor.
///
/// The first reader starts it, before he takes his place; when the last one has left it stops, and the cell holds
/// nothing. The readers share what it does. To all others its cell is a cell that is written, so it can be combined,
/// and its versions are its own.
// @unchecked: everything is guarded by `lock`, which is not held while a driver starts or stops.
final class Relay<Value: Sendable>: Inflow, @unchecked Sendable {
  /// Starts what writes the cell through the outlet, on the given isolation, and returns what stops it.
  typealias Start = @Sendable (Outlet<Value>, Backlog, RelayActor) -> any RelayDriver

  /// What its readers need.
  private enum Need: Comparable {
    case nothing
    case newest
    case all
  }

  private let source: AnyCell
  private let start: Start
  private let actor = RelayActor()

  private let lock = Lock()
  // Guarded by `lock`.
  private var met = Need.nothing
  private var isChanging = false
  private var running: (driver: any RelayDriver, outlet: Outlet<Value>)?

  /// - Parameter source: A cell that it follows: for its isolation.
  init(of source: AnyCell, _ start: @escaping Start) {
    self.source = source
    self.start = start
    super.init()
  }

  override var principal: AnyCell? { source }

  override func locked(_ cell: AnyCell, for purpose: Purpose, _ step: (inout Roster) -> Void) {
    if case .joining(let depth) = purpose { willBeFollowed(cell, depth: depth) }
    cell.locked { step(&$0) }
    switch purpose {
    case .joining, .leaving: followersChanged(cell)
    // A lane's turn may have been the last one of its observations.
    case .looking: if cell.locked({ $0.readers == 0 }) { followersChanged(cell) }
    case .feeding: break
    }
  }

  override func willBeFollowed(_ cell: AnyCell, depth: UInt32) {
    let need: Need = depth > 1 ? .all : .newest
    if cell.locked({ !$0.isFinished }), lock.withLock({ met < need }) { meet(need, of: cell) }
  }

  override func followersChanged(_ cell: AnyCell) {
    meet(nil, of: cell)
  }

  // Meets the need of somebody who is about to come, or what is needed now.
  private func meet(_ coming: Need?, of cell: AnyCell) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value?>.self)
    repeat {
      let need = max(coming ?? .nothing, present(in: cell))
      // Who wants less is served by who has more. If somebody else is at it, he looks again.
      let mustChange = lock.withLock {
        guard !isChanging, need == .nothing ? met != .nothing : met < need else { return false }
        isChanging = true
        return true
      }
      guard mustChange else { return }
      change(to: need, in: cell)
      // Who is about to come looks again when he has.
    } while coming == nil
  }

  private func change(to need: Need, in cell: Cell<Value?>) {
    let former = lock.withLock { running.take() }
    former?.outlet.close()
    former?.driver.stop()
    if need == .nothing {
      forget(in: cell)
    } else {
      let outlet = Outlet(cell)
      let driver = start(outlet, need == .all ? .unbounded : .latest, actor)
      lock.withLock { running = (driver, outlet) }
    }
    lock.withLock {
      met = need
      isChanging = false
    }
  }

  private func present(in cell: Cell<Value?>) -> Need {
    cell.locked { state, roster in
      if state.keepsHistory { return .all }
      return roster.readers > 0 || !roster.junctions.isEmpty ? .newest : .nothing
    }
  }

  // Released after the lock.
  private func forget(in cell: Cell<Value?>) {
    var value: Value?
    cell.locked { state, roster in
      if !roster.isFinished { swap(&state.value, &value) }
    }
    _ = consume value
  }
}

/// Where the drivers of one relay run, one after the other.
actor RelayActor {}

/// Through this one driver writes a relay's cell, until it is closed: what it was about to write then is lost.
// @unchecked: `isOpen` is guarded by the lock of the cell.
final class Outlet<Value: Sendable>: @unchecked Sendable {
  private let cell: Cell<Value?>
  private var isOpen = true

  init(_ cell: Cell<Value?>) {
    self.cell = cell
  }

  func send(_ new: Value) {
    var value: Value? = new
    let outcome = cell.written { state, roster in
      isOpen ? state.sent(&value, by: .impatient, &roster) : .ignored
    }
    if case .published(let woken, _) = outcome { woken.wake() }
  }

  /// The sources have ended.
  func finish() {
    if cell.locked({ _ in isOpen }) { cell.finish() }
  }

  func close() {
    cell.locked { _ in isOpen = false }
  }
}

/// What writes a relay's cell.
protocol RelayDriver: AnyObject, Sendable {
  /// Its outlet is closed: it ends.
  func stop()
}

/// The cursor of an operator that has a cell of its own, which holds nil until there is a value.
public struct RelayCursor<Element: Sendable>: BindingCursor {
  /// The innermost cursor.
  public var root: CellCursor<Element?>

  init(of source: AnyCell, _ start: @escaping Relay<Element>.Start) {
    root = CellCursor(cell: Cell(nil, inflow: Relay(of: source, start)))
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
