/// Takes the elements that a relay's reader reads. Its methods are called in the relay's turn.
@usableFromInline
protocol RelayRecipient<Element>: AnyObject, Sendable {
  associatedtype Element: Sendable

  /// Takes the next element.
  func take(_ element: Element) -> RelayDemand

  /// The reader has read everything that is published.
  func caughtUp() -> RelayDemand

  /// The source has ended, and the reader has read all of it. Returns whether the recipient has finished with all that it
  /// received: then the reader ends. Otherwise the reader takes another turn, which calls this again.
  func sourceEnded() -> Bool

  /// The turn ends though the reader has not caught up, because other jobs come first. The recipient has received all
  /// elements up to `version`, and acts on them now as far as it can. Returns the version up to which it has finished:
  /// tasks in `settled()` wait for that. Returns nil if it has finished nothing.
  func turnEnds(after version: UInt64) -> UInt64?
}

extension RelayRecipient {
  @inlinable
  func turnEnds(after version: UInt64) -> UInt64? { version }
}

/// What a driver wants from its reader.
@usableFromInline
enum RelayDemand: Sendable {
  case next
  /// Nothing until the driver asks again: writes must not wake the reader.
  case rest
  /// Nothing more, ever.
  case nothing
  /// Another turn, soon: the driver cannot finish its work in this turn. It has finished what it has received up to this
  /// version; nil if it has finished nothing.
  case later(after: UInt64?)
}

/// The reader of a relay's driver, with its cursor.
@usableFromInline
final class DriverReader<Cursor: BindingCursor, Driver: RelayRecipient>: RelayReader, @unchecked Sendable
where Driver.Element == Cursor.Element {
  // Noncopyable, so no read can copy it: that would count references.
  @usableFromInline
  struct Work: ~Copyable {
    @usableFromInline var cursor: Cursor
    @usableFromInline let driver: Driver

    @inlinable
    init(cursor: consuming Cursor, driver: Driver) {
      self.cursor = cursor
      self.driver = driver
    }
  }

  // During a read only the turn accesses this variable. Otherwise the lock of the source guards this variable. So Swift
  // need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline var storedWork: Work?
  // What the window of the source no longer holds because this reader has left.
  @usableFromInline var evicted: (any AnyObject & Sendable)?

  /// Creates a reader whose cursor already has its position.
  ///
  /// - Parameter passSnapshot: How far the cursor may read; nil if it may read all that is published. If not nil, the
  ///   caller has called `startOrdering`, and the reader stops the ordering when it leaves.
  @inlinable
  init(
    _ cursor: consuming Cursor,
    _ driver: Driver,
    to relayCell: AnyCell,
    in turns: RelayTurns,
    passSnapshot: AnyPassSnapshot? = nil
  ) {
    let (source, completed) = (cursor.root.cell, cursor.completed)
    let runsNoUserCode = Cursor.self == CellCursor<Cursor.Origin>.self
    let isUnbounded = cursor.root.depth == .max
    unsafe storedWork = Work(cursor: cursor, driver: driver)
    super.init(
      from: source,
      to: relayCell,
      in: turns,
      after: completed,
      runsNoUserCode: runsNoUserCode,
      isUnbounded: isUnbounded,
      passSnapshot: passSnapshot
    ) { reader, operation in
      let reader = unsafe unsafeDowncast(reader, to: DriverReader.self)
      switch operation {
      case .read: return reader.read()
      case .tellSeenWhileLocked: return reader.positionWhileLocked()
      case .leaveWhileLocked: reader.leaveWhileLocked()
      case .release:
        unsafe reader.storedWork = nil
        reader.evicted = nil
      }
      return .ended
    }
  }

  @inlinable
  func read() -> RelayReadOutcome {
    // In place. The operators' closures may do anything meanwhile, but while the turn reads, all other code leaves the
    // work to it: even a canceller only sets a flag. To move the work out and back would copy some hundred bytes twice.
    guard unsafe storedWork != nil else { return .ended }
    return unsafe read(&storedWork!)
  }

  @inlinable
  @inline(__always)
  func read(_ work: inout Work) -> RelayReadOutcome {
    // The work holds the driver during the whole read. So this need not count references to the driver.
    let driver = unsafe Unmanaged.passUnretained(work.driver)
    let pass = passSnapshot.map { work.cursor.root.pass(showing: $0) }
    return unsafe driver._withUnsafeGuaranteedRef { read(&work.cursor, in: pass, for: $0) }
  }

  @inlinable
  @inline(__always)
  func read(_ cursor: inout Cursor, in pass: PassSnapshot<Cursor.Origin>?, for driver: Driver)
    -> RelayReadOutcome
  {
    repeat {
      if isCancelled { return .ended }
      switch cursor.next(in: pass) {
      case .element(let element, _):
        // An operator's closure may have cancelled the reader just now.
        if isCancelled { return .ended }
        SchedulePoint.pass()
        switch driver.take(element) {
        case .next: break
        case .rest: return .rests(cursor.root.seen)
        case .later(let version): return .behind(version)
        case .nothing: return .ended
        }
      case .rejected: break
      case .idle:
        let seen = cursor.root.seen
        handledVersion = seen
        switch driver.caughtUp() {
        case .next: return .caughtUp(seen)
        case .rest: return .rests(seen)
        case .later(let version): return .behind(version)
        case .nothing: return .ended
        }
      case .finished:
        return driver.sourceEnded() ? .ended : .behind(nil)
      }
      handledVersion = cursor.completed
    } while mayGoOn()
    return .behind(driver.turnEnds(after: cursor.completed))
  }

  @inlinable
  func positionWhileLocked() -> RelayReadOutcome {
    guard unsafe storedWork != nil else { return .ended }
    return unsafe position(of: &storedWork!)
  }

  @inlinable
  func position(of work: inout Work) -> RelayReadOutcome {
    work.cursor.root.depth == .max ? .behind(work.cursor.root.seen) : .ended
  }

  @inlinable
  func leaveWhileLocked() {
    guard unsafe storedWork != nil else { preconditionFailure("a reader left its position twice") }
    evicted = unsafe storedWork!.cursor.root.leaveWhileLocked()
    if passSnapshot != nil { source.stopOrderingWhileLocked() }
  }
}

/// The newest reader of a relay's driver. The readers before it have ended, or end soon.
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

  /// The newest reader; nil before the first begins, and after the end.
  @usableFromInline var current: RelayReader? { lock.withLock { reader } }

  /// Takes a position in the source, opens the writer, and begins a reader. Gives up the position if the writer does
  /// not open.
  @inlinable
  func start<Cursor: BindingCursor, Driver: RelayRecipient & RelayDriver, Value>(
    _ cursor: Cursor,
    _ driver: Driver,
    _ backlog: Backlog,
    through writer: RelayWriter<Value>,
    in turns: RelayTurns
  ) where Driver.Element == Cursor.Element {
    var cursor = cursor
    cursor.root.begin(depth: backlog.depth, reserved: nil)
    guard writer.open(by: driver) else { return cursor.root.end() }
    replace(with: DriverReader(cursor, driver, to: writer.cell, in: turns))
  }

  /// Ends the previous reader, and begins `new`.
  @usableFromInline
  func replace(with new: RelayReader) {
    begin(new)?.cancel()
  }

  /// Begins `new`, which another reader may replace at once. If `end` was called before, only cancels `new`. Returns the
  /// previous reader, unless it has ended.
  ///
  /// - Parameter idleVersion: The version at which the cursor of `new` has found nothing more; nil if it may find more.
  @usableFromInline
  @discardableResult
  func begin(_ new: RelayReader, idleAt idleVersion: UInt64? = nil) -> RelayReader? {
    let (former, isOver) = lock.withLock { () -> (RelayReader?, Bool) in
      if hasEnded { return (nil, true) }
      defer { reader = new }
      return (reader, false)
    }
    if isOver { new.cancel() } else { new.register(idleAt: idleVersion) }
    return former
  }

  /// Makes the reader read what is new, after the driver has let it rest. Called in the relay's turn.
  func resume() {
    lock.withLock { reader }?.resume()
  }

  /// Ends the reader, and each later reader. Any thread may call this.
  @usableFromInline
  func end() {
    let last = lock.withLock { () -> RelayReader? in
      hasEnded = true
      return reader.take()
    }
    last?.cancel()
  }
}

// The work may hold state that belongs to one isolation.
@available(*, unavailable)
extension DriverReader.Work: Sendable {}
