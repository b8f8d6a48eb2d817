/// Feeds a cell of its own from sources, while somebody reads it: for operators that must do something between two
/// values, like wait, and cannot be a cursor.
///
/// The first reader starts it, before he takes his place; when the last one has left it stops, and the cell holds
/// nothing. The readers share what it does. To all others its cell is a cell that is written, so it can be combined,
/// and its versions are its own.
// @unchecked: each variable says what guards it.
final class Relay<Value: Sendable>: Inflow, @unchecked Sendable {
  /// Starts what writes the cell through the outlet, on the given isolation, and returns what stops it.
  typealias Start = @Sendable (Outlet<Value>, RelayActor) -> any RelayDriver

  private let start: Start
  private let actor = RelayActor()

  private let lock = Lock()
  // Guarded by `lock`. Who sets it sees to what changes meanwhile.
  private var isChanging = false
  // Guarded by `lock`; while it changes, the changer's own.
  private var running: (driver: any RelayDriver, outlet: Outlet<Value>)?

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

  override func willBeFollowed(_ cell: AnyCell) {
    adapt(to: cell, isAwaited: true)
  }

  override func followersChanged(_ cell: AnyCell) {
    adapt(to: cell, isAwaited: false)
  }

  // Runs while somebody reads, or is about to. Who is about to looks again when he does.
  private func adapt(to cell: AnyCell, isAwaited: Bool) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value?>.self)
    repeat {
      let isWanted = cell.locked { state, roster in
        if roster.isFinished { return false }
        return isAwaited || roster.readers > 0 || state.keepsHistory || !roster.junctions.isEmpty
      }
      let mustChange = lock.withLock {
        guard !isChanging, isWanted != (running != nil) else { return false }
        isChanging = true
        return true
      }
      guard mustChange else { return }
      if isWanted { begin(cell) } else { end(cell) }
      lock.withLock { isChanging = false }
    } while !isAwaited
  }

  private func begin(_ cell: Cell<Value?>) {
    let outlet = Outlet(cell)
    let driver = start(outlet, actor)
    lock.withLock { running = (driver, outlet) }
  }

  private func end(_ cell: Cell<Value?>) {
    let former = lock.withLock { running.take() }
    former?.outlet.close()
    former?.driver.stop()
    // Released after the lock.
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
    let woken = cell.written { _, roster in isOpen ? roster.finish() : Woken(first: nil) }
    woken.wake()
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

  /// - Parameter source: A cell that it follows: it lives where that one does.
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
