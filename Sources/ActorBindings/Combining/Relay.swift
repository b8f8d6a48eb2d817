/// Feeds a cell of its own from sources, while somebody reads it: for operators that must do something between two
/// values, like wait, and cannot be a cursor.
///
/// The first reader starts a driver, before he takes his place. When the last one has left, in one step, the driver may
/// write no more and the cell holds nothing; so no reader ever sees the values of two drivers. The readers share what it
/// does. To all others its cell is a cell that is written, so it can be combined, and its versions are its own.
// @unchecked: the variable says what guards it.
@usableFromInline
final class Relay<Value: Sendable>: Inflow, @unchecked Sendable {
  /// Makes what writes the cell, on the given isolation, and has it open the outlet when it has taken its places in the
  /// sources. There it ends if the outlet does not open.
  @usableFromInline typealias Start = @Sendable (Outlet<Value>, RelayActor) -> Void

  private let start: Start
  private let actor = RelayActor()

  // Guarded by the lock of the cell: the one that is open.
  fileprivate var current: Outlet<Value>?

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

  override func willBeFollowed(_ cell: AnyCell) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value?>.self)
    let (isDriven, driver) = cell.locked { _, roster in
      (current != nil || roster.isFinished, current?.driver)
    }
    if !isDriven { start(Outlet(cell, self), actor) }
    driver?.freshen()
  }

  override func followersChanged(_ cell: AnyCell) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value?>.self)
    // Who has joined needs a driver when this returns, though another one may be about to start one: what is sent to the
    // sources from then on must not be missed. Of several the first that opens its outlet is it.
    while isUndriven(cell) { start(Outlet(cell, self), actor) }
  }

  // Closes the outlet if nobody reads any more. True if somebody does, and nobody drives.
  private func isUndriven(_ cell: Cell<Value?>) -> Bool {
    // Released after the lock.
    var (driver, value): ((any RelayDriver)?, Value?)
    let isUndriven = cell.locked { state, roster in
      let isRead = roster.readers > 0 || state.keepsHistory || !roster.junctions.isEmpty
      if isRead, !roster.isFinished { return current == nil }
      driver = current.take()?.close()
      if !roster.isFinished { swap(&state.value, &value) }
      return false
    }
    driver?.stop()
    _ = consume value
    return isUndriven
  }
}

/// Where the drivers of one relay run, one after the other.
@usableFromInline
actor RelayActor {}

/// Through this one driver writes a relay's cell, while it is open: what it writes otherwise is lost.
// @unchecked: `state` is guarded by the lock of the cell.
@usableFromInline
final class Outlet<Value: Sendable>: @unchecked Sendable {
  @usableFromInline
  enum State: Sendable {
    case unopened
    case open(any RelayDriver)
    case closed
  }

  @usableFromInline let cell: Cell<Value?>
  private let relay: Relay<Value>
  // Guarded, so it need not be checked for overlapping accesses, as the next one.
  @exclusivity(unchecked) @usableFromInline var storedState = State.unopened
  // For who writes by versions: that of the source that was written last, and what was sent before this was opened.
  @exclusivity(unchecked) @usableFromInline var storedNewest: UInt64?
  @exclusivity(unchecked) @usableFromInline var storedEarly: Value?

  init(_ cell: Cell<Value?>, _ relay: Relay<Value>) {
    self.cell = cell
    self.relay = relay
  }

  /// Opens it, if no other one is open. False if it is not open then.
  @usableFromInline
  func open(by driver: any RelayDriver) -> Bool {
    cell.locked { _, roster in open(by: driver, roster) }
  }

  /// Opens it, if no other one is open, and sends what the source held at a version, or what was sent by then that is
  /// newer: for who writes by versions. False if it is not open then.
  @usableFromInline
  func open(by driver: any RelayDriver, with first: Value, at version: UInt64) -> Bool {
    var value: Value? = first
    // Released after the lock, as what `value` holds then.
    var early: Value?
    let (isOpen, outcome) = cell.written { state, roster -> (Bool, Publication<Value?>) in
      guard open(by: driver, roster) else { return (false, .ignored) }
      unsafe swap(&early, &storedEarly)
      if let newest = unsafe storedNewest, newest >= version {
        swap(&early, &value)
      } else {
        unsafe storedNewest = version
      }
      return (true, state.sent(&value, by: .impatient, &roster))
    }
    if case .published(let woken, _) = outcome { woken.wake() }
    return isOpen
  }

  // Under the lock of the cell.
  private func open(by driver: any RelayDriver, _ roster: Roster) -> Bool {
    switch unsafe storedState {
    case .open: return true
    case .closed: return false
    case .unopened:
      guard relay.current == nil, !roster.isFinished else { return false }
      relay.current = self
      unsafe storedState = .open(driver)
      return true
    }
  }

  @inlinable
  func send(_ new: Value) {
    var value: Value? = new
    let outcome = cell.written { state, roster in
      isOpen ? state.sent(&value, by: .impatient, &roster) : .ignored
    }
    if case .published(let woken, _) = outcome { woken.wake() }
  }

  /// Unless something was sent that is as new: for who may be told the same thing by several.
  @inlinable
  func send(_ new: Value, at version: UInt64) {
    var value: Value? = new
    let outcome = cell.written { state, roster -> Publication<Value?> in
      if let newest = unsafe storedNewest, newest >= version { return .ignored }
      unsafe storedNewest = version
      if isOpen { return state.sent(&value, by: .impatient, &roster) }
      unsafe swap(&value, &storedEarly)
      return .ignored
    }
    if case .published(let woken, _) = outcome { woken.wake() }
  }

  /// The sources have ended.
  @usableFromInline
  func finish() {
    let woken = cell.written { _, roster in isOpen ? roster.finish() : Woken(first: nil) }
    woken.wake()
  }

  @inlinable var isOpen: Bool {
    if case .open = unsafe storedState { true } else { false }
  }

  /// Under the lock of the cell.
  fileprivate var driver: (any RelayDriver)? {
    if case .open(let driver) = unsafe storedState { driver } else { nil }
  }

  /// Under the lock of the cell. Returns who wrote through it.
  fileprivate func close() -> (any RelayDriver)? {
    defer { unsafe storedState = .closed }
    return driver
  }
}

/// What writes a relay's cell.
@usableFromInline
protocol RelayDriver: AnyObject, Sendable {
  /// Somebody is about to read what it writes, beside others: it writes what it has not come to yet, if that is at hand.
  func freshen()

  /// Its outlet is closed: it ends.
  func stop()
}

extension RelayDriver {
  @usableFromInline
  func freshen() {}
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
