/// Feeds a cell of its own from sources while that cell has readers. It serves operators that must do something between
/// two values, such as wait for some time, or follow a source that they do not know in advance. No cursor can do that.
///
/// Before the first reader takes its position, the relay starts a driver, which writes the cell. All readers share this
/// driver. When the last reader has left, one step takes the right to write away from the driver and empties the cell.
/// So no reader sees the values of two drivers. To all other code the relay's cell is an ordinary cell: it can be
/// combined, and it has its own versions.
///
/// `RelayState` decides. The relay takes the lock, asks `RelayState`, releases the lock and acts.
// @unchecked: the variable says what guards it.
@usableFromInline
final class Relay<Value: Sendable>: AnyRelay, @unchecked Sendable {
  /// Creates a driver, whose readers and timer run in the given turns, which no other driver uses. The driver takes its
  /// positions in the sources, and then opens the writer. If the writer does not open, the driver ends.
  @usableFromInline typealias Start = @Sendable (RelayWriter<Value>, RelayTurns) -> Void

  private let start: Start
  private let lingerTimer: LingerTimer?

  // Guarded by the lock of the cell, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedState: RelayState

  /// - Parameter lingerTimer: Measures the time for which the driver goes on when no reader is left; nil if the driver
  ///   stops at once.
  @usableFromInline
  init(lingering lingerTimer: LingerTimer? = nil, _ start: @escaping Start) {
    self.start = start
    self.lingerTimer = lingerTimer
    unsafe storedState = RelayState(mayLinger: lingerTimer != nil)
    super.init()
  }

  override func feeders(of cell: AnyCell) -> [Feeder] {
    let driver = cell.locked { _ in unsafe storedState.driver }
    return driver?.currentReaders.map { Feeder(cell: $0.source, deliverer: $0) } ?? []
  }

  override func willBeFollowed(_ cell: AnyCell) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value?>.self)
    let change = cell.locked { unsafe storedState.readersChanged(isRead: true, isFinished: $1.isFinished) }
    perform(change, cell)
  }

  override func followersChanged(_ cell: AnyCell) {
    let cell = unsafe unsafeDowncast(cell, to: Cell<Value?>.self)
    // When this function returns, there must be a driver for a reader that has joined, even if another thread is just
    // starting a driver. Otherwise the reader could miss what writers send to the sources after this function has
    // returned. If several drivers start, the first that opens its writer writes the cell. A driver is refused if
    // another driver writes, or if a newer one has written and was stopped. A driver is stopped only when no reader is
    // left. So a reader whose driver is refused has a driver, or has left.
    perform(driverChange(of: cell), cell)
  }

  private func driverChange(of cell: Cell<Value?>) -> RelayState.DriverChange {
    // Released after the lock.
    var value: Value?
    let change = cell.locked { readersChangedWhileLocked(&value, &$0, $1) }
    _ = consume value
    return change
  }

  // If no reader is left, moves the value that the cell no longer keeps into `value`.
  private func readersChangedWhileLocked(
    _ value: inout Value?,
    _ state: inout CellState<Value?>,
    _ roster: Roster
  ) -> RelayState.DriverChange {
    let isRead = roster.readers > 0 || state.keepsHistory || !roster.followers.isEmpty
    let change = unsafe storedState.readersChanged(isRead: isRead, isFinished: roster.isFinished)
    if !isRead, !roster.isFinished, unsafe !storedState.keepsValue { state.lastReaderLeft(&value) }
    return change
  }

  // The relay has lingered long enough.
  private func timePassed(_ cell: Cell<Value?>, lingering number: Int) {
    // Released after the lock.
    var value: Value?
    let change = cell.locked { state, _ in timePassedWhileLocked(&value, lingering: number, &state) }
    _ = consume value
    perform(change, cell)
  }

  private func timePassedWhileLocked(
    _ value: inout Value?,
    lingering number: Int,
    _ state: inout CellState<Value?>
  ) -> RelayState.DriverChange {
    let change = unsafe storedState.timePassed(lingering: number)
    if case .stop = change { state.lastReaderLeft(&value) }
    return change
  }

  private func perform(_ change: RelayState.DriverChange, _ cell: Cell<Value?>) {
    switch change {
    case .start(let writer): start(RelayWriter(writer, of: cell, self), RelayTurns())
    case .stop(let driver): driver.stop()
    case .linger(let number):
      lingerTimer?.restart(number, for: cell) { [weak self, weak cell] number in
        if let self, let cell { self.timePassed(cell, lingering: number) }
      }
    case .nothing: break
    }
  }
}

/// The right of one driver to write a relay's cell, while this writer is open. Writes through a writer that is not open
/// are lost.
@usableFromInline
final class RelayWriter<Value: Sendable>: Sendable {
  @usableFromInline let number: Int
  @usableFromInline let cell: Cell<Value?>
  @usableFromInline let relay: Relay<Value>

  init(_ number: Int, of cell: Cell<Value?>, _ relay: Relay<Value>) {
    self.number = number
    self.cell = cell
    self.relay = relay
  }

  /// Opens the writer if no other writer is open, no newer writer was ever open, and the cell has not finished. Returns
  /// whether this writer is open now.
  @usableFromInline
  func open(by driver: any RelayDriver) -> Bool {
    cell.locked { unsafe relay.storedState.driverReady(driver, writer: number, isFinished: $1.isFinished) }
  }

  @inlinable var isOpenWhileLocked: Bool { unsafe relay.storedState.isOpen(number) }

  /// Writes the cell, if the writer is open.
  @inlinable
  func send(_ new: Value) {
    var value: Value? = new
    let outcome = cell.written { isOpenWhileLocked ? $0.sent(&value, by: .insistent, &$1) : .ignored }
    if case .published(let woken, _) = outcome { woken.wake() }
  }

  /// Finishes the cell, if the writer is open. The driver calls this when its sources have ended.
  @usableFromInline
  func finish() {
    let woken = cell.written { isOpenWhileLocked ? $1.finished() : Woken(first: nil) }
    woken.wake()
  }
}

/// The cursor of an operator that has a cell of its own. That cell holds nil until there is a value.
@usableFromInline
struct RelayCursor<Element: Sendable>: WrappingCursor {
  @usableFromInline var base: CellCursor<Element?>

  /// - Parameters:
  ///   - operator: The name of the operator, for diagnostics.
  ///   - source: A cell that the relay follows. The relay's cell gets the host of that cell.
  @inlinable
  init(_ operator: StaticString, of source: AnyCell, _ start: @escaping Relay<Element>.Start) {
    let cell = Cell<Element?>(nil, upstream: Relay(start))
    cell.isMade(by: `operator`)
    cell.belongs(toHostOf: source)
    base = CellCursor(cell: cell)
  }

  /// Creates a cursor whose relay reads no source. So the relay's cell has no host.
  @inlinable
  init(
    _ operator: StaticString,
    lingering lingerTimer: LingerTimer? = nil,
    _ start: @escaping Relay<Element>.Start
  ) {
    let cell = Cell<Element?>(nil, upstream: Relay(lingering: lingerTimer, start))
    cell.isMade(by: `operator`)
    base = CellCursor(cell: cell)
  }

  /// Returns the next element, or `.rejected` if there is no value yet.
  @inlinable
  mutating func next(in pass: PassSnapshot<Element?>?) -> Pull<Element> {
    base.next(in: pass).flatMap { value, stamp in value.map { .element($0, stamp) } ?? .rejected(stamp) }
  }
}
