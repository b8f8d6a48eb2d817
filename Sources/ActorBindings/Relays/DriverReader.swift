/// Takes the elements that a relay's reader reads. Its methods run on the relay's isolation.
@usableFromInline
protocol RelayRecipient<Element>: AnyObject, Sendable {
  associatedtype Element: Sendable

  /// Takes the next element.
  func receive(_ element: Element) -> RelayDemand

  /// All that is there was read.
  func caughtUp() -> RelayDemand

  /// The source has ended, and all was read.
  func sourceEnded()
}

/// What a driver wants of its reader.
@usableFromInline
enum RelayDemand: Sendable {
  case next
  /// Nothing until it asks: writes are not to wake the reader.
  case rest
  /// Nothing, ever.
  case nothing
  /// Nothing more from this reader: another one continues from its position.
  case handsOver(to: RelayReader)
}

/// The reader of a relay's driver, with its cursor.
@usableFromInline
final class DriverReader<Cursor: BindingCursor, Driver: RelayRecipient>: RelayReader, @unchecked Sendable
where Driver.Element == Cursor.Element {
  // Not copyable: so it is moved, and no reference is counted.
  @usableFromInline
  struct Work: ~Copyable {
    @usableFromInline var cursor: Cursor
    @usableFromInline let driver: Driver
    /// The version whose elements the driver has received, all of them; those of the newest one may be under way.
    @usableFromInline var received: UInt64 = 0

    @inlinable
    init(cursor: Cursor, driver: Driver) {
      self.cursor = cursor
      self.driver = driver
    }
  }

  // The job's own, and nil during a turn; guarded by the lock of the source otherwise. So it need not be checked for
  // overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedWork: Work?
  // What the window released as this reader left.
  @usableFromInline var spill = Window<Cursor.Origin>.Spill.nothing

  /// A reader whose cursor has its place.
  @inlinable
  init(_ cursor: Cursor, _ driver: Driver, to target: AnyCell, on actor: RelayActor) {
    let source = cursor.root.cell
    unsafe storedWork = Work(cursor: cursor, driver: driver)
    super.init(from: source, to: target, on: actor) { reader, request in
      let reader = unsafe unsafeDowncast(reader, to: DriverReader.self)
      switch request {
      case .read: return reader.read()
      case .leave: reader.leave()
      case .release:
        unsafe reader.storedWork = nil
        reader.spill = .nothing
      }
      return .ended
    }
  }

  @inlinable
  func read() -> RelayTurn {
    // Moved out, and back at the end: the operators' closures may do anything meanwhile.
    guard var work = unsafe storedWork.take() else { return .ended }
    let turn = read(&work)
    unsafe storedWork = consume work
    return turn
  }

  @inlinable
  @inline(__always)
  func read(_ work: inout Work) -> RelayTurn {
    repeat {
      if isCancelled { return .ended }
      let seen = work.cursor.root.place.seen
      let pull = work.cursor.next(in: nil)
      // A cursor goes on to an update when it has handed out all elements of the one before.
      if work.cursor.root.place.seen != seen { work.received = seen }
      switch pull {
      case .element(let element, _):
        // Also by an operator's closure just now.
        if isCancelled { return .ended }
        SchedulePoint.pass()
        switch work.driver.receive(element) {
        case .next: continue
        case .rest: return .rests(work.cursor.root.place.seen)
        case .nothing: return .ended
        case .handsOver(let next): return .handedOver(to: next, after: work.cursor.root.place.seen)
        }
      case .rejected: continue
      case .idle:
        let seen = work.cursor.root.place.seen
        if case .rest = work.driver.caughtUp() { return .rests(seen) }
        return .caughtUp(seen)
      case .finished:
        work.driver.sourceEnded()
        return .ended
      }
    } while mayGoOn()
    return .behind(work.received)
  }

  @inlinable
  func leave() {
    guard let cell = unsafe storedWork?.cursor.root.cell else {
      preconditionFailure("a reader left its place during its own turn")
    }
    spill = unsafe cell.storedState.left(&storedWork!.cursor.root.place)
  }
}

/// The reader of a relay's driver that began last; those before it have ended, or end soon.
// @unchecked: guarded by `lock`.
@usableFromInline
final class NewestReader: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var reader: RelayReader?
  // Guarded by `lock`.
  private var hasEnded = false

  @usableFromInline
  init() {}

  /// The cell that it reads.
  var source: AnyCell? { lock.withLock { reader }?.source }

  /// Takes a place, opens the outlet, and reads until it is ended.
  func begin<Cursor: BindingCursor, Driver: RelayRecipient & RelayDriver, Value>(
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
    begin(DriverReader(cursor, driver, to: outlet.cell, on: actor))
  }

  /// Ends the one before, and has `new` read. It is noted before it begins: it may end at once, and another one begin.
  @usableFromInline
  func begin(_ new: RelayReader) {
    let outdated = lock.withLock { () -> RelayReader? in
      if hasEnded { return new }
      defer { reader = new }
      return reader
    }
    outdated?.cancel()
    if outdated !== new { new.begin() }
  }

  /// The driver rested, and wants what is new. On the relay's isolation.
  func resume() {
    lock.withLock { reader }?.resume()
  }

  /// From anywhere.
  @usableFromInline
  func end() {
    let last = lock.withLock { () -> RelayReader? in
      hasEnded = true
      return reader.take()
    }
    last?.cancel()
  }
}

// It may hold what belongs to one isolation alone.
@available(*, unavailable)
extension DriverReader.Work: Sendable {}
