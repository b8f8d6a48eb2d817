/// Hands the values of the newest inner source to a relay's cell. The shell around `SwitchState`.
///
/// The switcher has two readers: one reads the outer source, and one reads the newest inner source. Both run in the
/// relay's turns, so one of them reads at a time.
///
/// The problem: the two readers read two cells, one after the other. A value of the inner source must not be delivered
/// if it was written after the outer source was written. And no value may be lost that was written before that. The
/// readers could read a combination of the two cells, which shows what both held at one instant. But then each value
/// would pass through another cell, and each switch would make another such cell. So the switcher compares instead. When
/// the reader of the inner source has a value, the switcher looks whether the outer source was written since it was
/// read. In most cases it was not: then it was not written before that value either. If it was, the switcher reads it
/// first, and compares the instants of the two updates.
///
/// After a switch, the current value of the new inner source waits while the outer source may have been written again.
/// If so, that value is dropped: the switcher cannot know whether it was written before.
// @unchecked: each variable says what guards it.
@usableFromInline
final class Switcher<Outer: BindingCursor>: RelayDriver, @unchecked Sendable
where Outer.Element: BindingSource {
  @usableFromInline typealias Value = Outer.Element.Value

  @usableFromInline let writer: RelayWriter<Value>
  @usableFromInline let depth: UInt32
  @usableFromInline let turns: RelayTurns
  // Sendable: they have their own locks.
  @usableFromInline let outerReader = NewestReader()
  @usableFromInline let innerReader = NewestReader()

  // Used only in the relay's turns, and by `start` before the readers begin. So Swift need not check for overlapping
  // accesses.
  //
  // The switcher and its readers hold each other. A reader that ends releases the switcher, so `stop` need not clear
  // these variables.

  // Nil after the end of the outer source.
  @exclusivity(unchecked) @usableFromInline var storedOuter: RelayReader?
  @exclusivity(unchecked) @usableFromInline var storedInner: RelayReader?
  @exclusivity(unchecked) @usableFromInline var storedState = SwitchState<Outer.Element, Value>()

  @inlinable var outer: RelayReader? {
    get { unsafe storedOuter }
    set { unsafe storedOuter = newValue }
  }

  @inlinable var inner: RelayReader? {
    get { unsafe storedInner }
    set { unsafe storedInner = newValue }
  }

  @inlinable var state: SwitchState<Outer.Element, Value> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  @inlinable
  init(into writer: RelayWriter<Value>, _ backlog: Backlog, in turns: RelayTurns) {
    self.writer = writer
    depth = backlog.depth
    self.turns = turns
  }

  @usableFromInline var currentReaders: [RelayReader] {
    [outerReader.current, innerReader.current].compactMap(\.self)
  }

  // Called from any thread.
  @usableFromInline
  func stop() {
    outerReader.end()
    innerReader.end()
  }
}

// MARK: - Beginning

extension Switcher {
  /// Begins with an outer source that has delivered nothing yet. A reader of the relay has the current value of the
  /// current inner source at once, unless the outer source is written meanwhile.
  ///
  /// This reads at most two elements of each source. The rest is left to the relay's turns, because the caller might
  /// never return: writers may write the outer source as fast as the switcher reads it.
  @inlinable
  func start(with prototype: Outer) {
    var cursor = OrderedCursor(beginning: prototype, depth: depth)
    let idleVersion = idleVersion(afterTwoElementsOf: &cursor, in: cursor.pass) {
      state.sourceCame($0, after: 0)
    }
    let outer = Begun(
      DriverReader(
        cursor,
        OuterRecipient(self),
        to: writer.cell,
        in: turns,
        passSnapshot: cursor.passSnapshot
      ),
      idleAt: idleVersion
    )
    self.outer = outer.reader
    let inner = state.switched().map { source in
      beginInner(source) { state.valueCame($0, goal: goal) }
    }
    begin(outer, inner)
  }

  /// A reader that has its position, but is not registered yet.
  @usableFromInline
  struct Begun: Sendable {
    @usableFromInline let reader: RelayReader
    /// The version at which the cursor has found nothing more; nil if it may find more.
    @usableFromInline let idleVersion: UInt64?

    @inlinable
    init(_ reader: RelayReader, idleAt idleVersion: UInt64?) {
      self.reader = reader
      self.idleVersion = idleVersion
      if let idleVersion { reader.handledVersion = idleVersion }
    }
  }

  @inlinable
  func begin(_ outer: Begun, _ inner: Begun?) {
    guard writer.open(by: self) else {
      outer.reader.cancel()
      inner?.reader.cancel()
      return
    }
    // In a turn, because the turn of one reader uses the other reader. No other turn is under way, because no reader has
    // begun. So this thread runs it now.
    turns.perform(
      .call { [self] in
        deliver()
        if let inner { innerReader.begin(inner.reader, idleAt: inner.idleVersion) }
        outerReader.begin(outer.reader, idleAt: state.innerIsBehind ? nil : outer.idleVersion)
      }
    )
  }

  // Takes a position in an inner source.
  @inlinable
  func beginInner(_ source: Outer.Element, take: (OrderedElement<Value>) -> Void) -> Begun {
    let prototype = source.cursor
    let recipient = InnerRecipient(source, prototype.root.cell.livingHosts, self)
    var cursor = OrderedCursor(beginning: prototype, depth: depth)
    let idleVersion = idleVersion(afterTwoElementsOf: &cursor, in: cursor.pass, take: take)
    state.innerIsBehind = idleVersion == nil
    let reader = DriverReader(
      cursor,
      recipient,
      to: writer.cell,
      in: turns,
      passSnapshot: cursor.passSnapshot
    )
    inner = reader
    return Begun(reader, idleAt: idleVersion)
  }

  @inlinable
  func idleVersion<Cursor: BindingCursor>(
    afterTwoElementsOf cursor: inout Cursor,
    in pass: PassSnapshot<Cursor.Origin>?,
    take: (Cursor.Element) -> Void
  ) -> UInt64? {
    for _ in 1...2 {
      switch cursor.next(in: pass) {
      case .element(let element, _): take(element)
      case .rejected: continue
      case .idle: return cursor.root.seen
      // The reader finds the end again.
      case .finished: return nil
      }
    }
    return nil
  }
}

// MARK: - The outer source

extension Switcher {
  // A version of the outer source that includes everything that was written to it before this call.
  @inlinable var goal: UInt64 { outer?.newestVersion ?? 0 }

  // Whether everything that was written to the outer source before this call is read.
  @inlinable var outerIsRead: Bool {
    guard let outer else { return true }
    return outer.newestVersion == outer.handledVersion
  }

  // The switch itself waits until the turn is about to end: the source may already be replaced.
  @inlinable
  func outerDelivered(_ source: OrderedElement<Outer.Element>) {
    state.sourceCame(source, after: outer?.handledVersion ?? 0)
  }

  @inlinable
  func outerCaughtUp() -> RelayDemand {
    guard switchedIfDue() else { return .later(after: nil) }
    // `settled()` of the outer source waits for all elements with which the inner source begins.
    if state.innerIsBehind, !state.isLooking { inner?.resume(isNested: true) }
    return delivered() ? .next : .later(after: state.settledVersion)
  }

  @inlinable
  func outerTurnEnds(after version: UInt64) -> UInt64? {
    guard switchedIfDue() else { return nil }
    return delivered() ? version : state.settledVersion
  }

  @inlinable
  func outerEnded() {
    outer = nil
    state.outerHasEnded = true
    if switchedIfDue() { deliver() }
    if state.isOver { writer.finish() }
    // The outer source may have ended because its actor died together with the owner of a reader. Then perhaps only the
    // relay still holds the inner source, and no delivery notices that the owner has died.
    writer.cell.sweep()
  }

  // Switches, if a switch is due. Returns false if the old inner source has more to deliver before: then its reader
  // switches.
  @inlinable
  func switchedIfDue() -> Bool {
    if !state.isDue { return true }
    if state.isLooking { return false }
    if !oldInnerIsRead {
      inner?.resume(isNested: true)
      return !state.isDue
    }
    performSwitch()
    return true
  }
}

// MARK: - Switching

extension Switcher {
  // Whether the old inner source is read as far as the switch that is due needs it: up to the version that the source had
  // when this was first asked. Otherwise its reader would never stop if an operator rejects all later elements. A writer
  // that has an instant from before the limit may not have published its version yet, but it holds the lock of its cell.
  @inlinable var oldInnerIsRead: Bool {
    guard let inner, !state.innerHasEnded, state.limit != nil else { return true }
    return state.isReached(inner.handledVersion) { inner.newestVersionUnderLock }
  }

  // Continues with the newest inner source. Nothing more is read from the old one.
  @inlinable
  func performSwitch() {
    deliver()
    guard let source = state.switched() else { return }
    let former = inner
    let next = beginInner(source) { element in
      if state.isQuiet, outerIsRead {
        writer.send(element.value)
      } else {
        state.valueCame(element, goal: goal)
      }
    }
    innerReader.begin(next.reader, idleAt: next.idleVersion)
    // Only now: if one relay feeds both inner sources, it must not lose its last reader.
    former?.cancel()
  }

  // Delivers the values that came before the next switch. Returns whether nothing waits any more.
  @inlinable
  func delivered() -> Bool {
    if state.isQuiet { return true }
    deliver()
    return state.isQuiet
  }

  @inlinable
  func deliver() {
    for value in state.takeDeliverable(at: outer?.handledVersion) { writer.send(value) }
  }
}

// MARK: - The inner source

extension Switcher {
  @inlinable
  func innerDelivered(_ element: OrderedElement<Value>) -> RelayDemand {
    if state.isQuiet, outerIsRead {
      writer.send(element.value)
      return .next
    }
    return decide(on: element)
  }

  // The outer source may have been written before this element.
  @inlinable
  @inline(never)
  func decide(on element: OrderedElement<Value>) -> RelayDemand {
    // Only the elements with which the inner source began have no instant.
    if element.instant != nil || depth != .max { state.innerIsBehind = false }
    state.valueCame(element, goal: goal)
    guard lookedAtOuter() else { return .nothing }
    deliver()
    if !state.isDue { return state.holdsNothing ? .next : .later(after: nil) }
    if element.isEarlier(than: state.limit) { return .next }
    performSwitch()
    return .nothing
  }

  @inlinable
  func innerCaughtUp() -> RelayDemand {
    state.innerIsBehind = false
    if state.isQuiet { return .next }
    guard lookedAtOuter() else { return .nothing }
    if !state.isDue { return delivered() ? .next : .later(after: nil) }
    if !oldInnerIsRead { return .next }
    performSwitch()
    return .nothing
  }

  @inlinable
  func innerTurnEnds(after version: UInt64) -> UInt64? {
    if state.isDue, oldInnerIsRead { performSwitch() }
    return state.isQuiet ? version : nil
  }

  // Returns false if values still wait, because one look does not read all of the outer source. After a switch the result
  // does not matter: this reader is cancelled.
  @inlinable
  func innerEnded() -> Bool {
    state.innerHasEnded = true
    state.innerIsBehind = false
    _ = lookedAtOuter()
    if state.isDue { performSwitch() } else { deliver() }
    if state.isOver { writer.finish() }
    return state.holdsNothing
  }

  // Reads the outer source, if it may have been written and no switch is due. The turn goes on after that, and performs
  // a switch that has become due. Returns false if the driver was stopped.
  @inlinable
  func lookedAtOuter() -> Bool {
    guard let outer else { return true }
    if outer.isCancelled { return false }
    if state.isDue || outerIsRead { return true }
    state.isLooking = true
    outer.resume(isNested: true)
    state.isLooking = false
    return !outer.isCancelled
  }
}
