extension BindingSource {
  /// Transforms each value into a source, and delivers the values of the newest of these sources.
  ///
  /// ```swift
  /// let messages = room.flatMapLatest { room in room.messages }
  /// ```
  ///
  /// See `switchToLatest` for the promises of this operator. `transform` may create the source that it returns:
  ///
  /// ```swift
  /// let results = search.flatMapLatest { text in
  ///   let results = LoadingCell { try await api.results(for: text) }
  ///   results.startLoading()
  ///   return results
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - innerBacklog: The number of values of an inner source that may wait until the cell of the returned source
  ///     takes them.
  ///   - transform: Creates an inner source from a value.
  @inlinable
  public func flatMapLatest<Inner: BindingSource>(
    innerBacklog: Backlog = .unbounded,
    _ transform: @escaping @Sendable (Value) -> Inner
  ) -> some BindingSource<Inner.Value> {
    map(transform).switchToLatest(innerBacklog: innerBacklog)
  }
}

extension BindingSource where Value: BindingSource {
  /// Hands out the values of the newest inner source. This source is the outer source; its values are the inner
  /// sources.
  ///
  /// Readers receive nothing that is written to the old inner source after a switch. They continue with the current
  /// value of the new inner source. If the outer source is written while the first reader begins, the current value
  /// comes a little later. Readers of one returned source share one cell, which has its own versions. That cell leaves
  /// out an inner source that was replaced before the cell looked at it. The returned source ends when both the outer
  /// source and the newest inner source have ended.
  ///
  /// While the returned source has readers, it holds the newest inner source. It also holds the actors whose cells the
  /// inner source reads, if they were alive at the switch. It releases all of these after the next switch, or when the
  /// last reader has left. A derived source does not hold the object that it was derived from. So if an inner source is
  /// `LoadingCell { … }.map { … }`, and nothing else holds that cell, readers receive only the end. Return the cell
  /// itself instead, or keep it elsewhere.
  ///
  /// The result is no `StateSource`, because the outer source may be ahead of the switch. Each call creates a cell.
  /// Each switch creates another joint cell, so a switch costs more than a value.
  ///
  /// - Parameter innerBacklog: The number of values of an inner source that may wait until the cell of the returned
  ///   source takes them. The readers of that cell have backlogs of their own.
  @inlinable
  public func switchToLatest(innerBacklog: Backlog = .unbounded) -> some BindingSource<Value.Value> {
    let outer = cursor
    return DerivedSource(
      RelayCursor("switchToLatest", of: outer.root.cell) { writer, turns in
        Switcher<Cursor>(into: writer, innerBacklog, in: turns, from: outer.root.cell).start(
          with: FirstSourceCursor(outer)
        )
      }
    )
  }
}

/// An element of an outer source, or of the inner source that a cursor reads together with it.
@usableFromInline
enum SwitchElement<Outer: BindingCursor>: Sendable where Outer.Element: BindingSource {
  case value(Outer.Element.Value)
  /// A new inner source. No value of the old inner source comes after this element.
  case source(OuterReading<Outer>)
}

/// Reads an outer source together with the inner source that was its newest when the cursor was created.
///
/// The cursor is the only one that uses its `OuterReading`, so it must not be copied to read twice.
@usableFromInline
struct SwitchCursor<Outer: BindingCursor>: BindingCursor where Outer.Element: BindingSource {
  @usableFromInline typealias Inner = Outer.Element.Cursor
  @usableFromInline typealias Element = SwitchElement<Outer>
  @usableFromInline typealias Origin = JointValue<Outer.Origin, Inner.Origin>

  @usableFromInline var root: CellCursor<Origin>
  @usableFromInline let outer: OuterReading<Outer>
  @usableFromInline var inner: CursorSide<Inner>
  // Whether the inner cursor may have more elements of what it was shown.
  @usableFromInline var isPulling = false
  @usableFromInline var lastMove = LastMove()
  // Whether `former` or `unread` of `outer` is not nil: one check instead of two.
  @usableFromInline var isBeginning = true

  @inlinable
  init(_ outer: OuterReading<Outer>) {
    let inner = outer.source.cursor
    unsafe outer.hosts = inner.root.cell.livingHosts
    // Private: the reader of this cursor is the only one of this joint cell. If a write to the outer source and a write
    // to the inner source overlap, either may count as the first.
    root = unsafe CellCursor(
      cell: Cell(joining: outer.side.base.root, inner.root, for: "switchToLatest", isPrivate: true)
    )
    self.outer = outer
    self.inner = CursorSide(inner)
  }

  @inlinable var completed: UInt64 { lastMove.completed(at: root.seen) }

  // Each call runs the operators of both sources for only one update, so the cost of a call does not depend on the
  // number of updates.
  @inlinable
  mutating func next(in pass: PassSnapshot<Origin>?) -> Pull<Element> {
    if isBeginning, let begun = pullPending() { return begun }
    if isPulling, let pulled = pull() { return pulled }
    let former = root.seen
    let pull = root.nextFresh(in: pass)
    lastMove.moved(from: former, to: root.seen)
    return pull.flatMap { joint, stamp in
      if !inner.hasBegun {
        inner.start(at: root.position.firstValue(or: joint).right, depth: root.depth)
      }
      return read(joint, stamp)
    }
  }

  // Returns nil if nothing was left unread.
  @inlinable
  mutating func pullPending() -> Pull<Element>? {
    switch unsafe outer.unread.take() {
    case .source(let source, let stamp):
      isBeginning = false
      return .element(.source(source), stamp)
    case .update(let joint, let stamp): return read(joint, stamp)
    case nil: return nil
    }
  }

  @inlinable
  mutating func putBack(_ source: OuterReading<Outer>, _ stamp: Stamp) {
    unsafe outer.unread = .source(source, stamp)
    isBeginning = true
  }

  @inlinable
  mutating func read(_ joint: Origin, _ stamp: Stamp) -> Pull<Element> {
    if isBeginning {
      // Before this cursor took its position, there may have been an update that the former cursor has not read. That
      // update may decide which inner source is the newest.
      if outer.readOn(to: joint.left.version) {
        unsafe outer.unread = .update(joint, stamp)
        return .rejected(stamp)
      }
      isBeginning = false
    }
    _ = unsafe outer.side.drain(joint.left)
    if let source = unsafe outer.side.newest.take() {
      return .element(.source(unsafe OuterReading(source, outer.side, after: .later(root))), stamp)
    }
    inner.show(joint.right)
    isPulling = true
    return pull() ?? .rejected(stamp)
  }

  // Returns nil if the inner cursor has no more elements of what it was shown.
  @inlinable
  mutating func pull() -> Pull<Element>? {
    switch inner.pull() {
    case .element(let element, let stamp): return .element(.value(element), stamp)
    case .rejected(let stamp): return .rejected(stamp)
    case .idle, .finished:
      isPulling = false
      return nil
    }
  }
}

/// Reads an outer source that has not delivered an inner source yet.
@usableFromInline
struct FirstSourceCursor<Outer: BindingCursor>: BindingCursor where Outer.Element: BindingSource {
  @usableFromInline typealias Element = SwitchElement<Outer>
  // The same cell twice: so this cursor reads the outer source through a joint cell, as a `SwitchCursor` does later.
  @usableFromInline typealias Origin = JointValue<Outer.Origin, Outer.Origin>

  @usableFromInline var root: CellCursor<Origin>
  @usableFromInline var outer: CursorSide<Outer>

  @inlinable
  init(_ outer: Outer) {
    root = CellCursor(cell: Cell(joining: outer.root, outer.root, for: "switchToLatest"))
    self.outer = CursorSide(outer)
  }

  @inlinable
  mutating func next(in pass: PassSnapshot<Origin>?) -> Pull<Element> {
    root.nextFresh(in: pass).flatMap { joint, stamp in
      if !outer.hasBegun {
        outer.start(at: root.position.firstValue(or: joint).left, depth: root.depth)
      }
      guard outer.drain(joint.left), let source = outer.newest.take() else {
        return .rejected(stamp)
      }
      return .element(.source(OuterReading(source, outer, after: .first(root))), stamp)
    }
  }
}

/// Writes the values of the newest inner source to a relay's cell.
///
/// For each inner source the switcher has a reader, which reads the outer source and that inner source together. When
/// this reader finds a newer inner source, it ends. The next reader continues from the same position in the outer
/// source.
// @unchecked: nothing changes after the initializer.
@usableFromInline
final class Switcher<Outer: BindingCursor>: RelayDriver, RelayRecipient, @unchecked Sendable
where Outer.Element: BindingSource {
  @usableFromInline let writer: RelayWriter<Outer.Element.Value>
  @usableFromInline let backlog: Backlog
  @usableFromInline let turns: RelayTurns
  @usableFromInline let reader = NewestReader()
  // The outer source may have ended because its actor died together with the owner of a reader. Then perhaps only the
  // relay still holds the inner source, and no delivery notices that the owner has died. So the end of the outer source
  // starts a sweep for dead owners.
  @usableFromInline let outerEnd: EndWaiterGroup

  @inlinable
  init(
    into writer: RelayWriter<Outer.Element.Value>,
    _ backlog: Backlog,
    in turns: RelayTurns,
    from outer: AnyCell
  ) {
    self.writer = writer
    self.backlog = backlog
    self.turns = turns
    // Not a weak reference to the cell: it would make each strong reference to the cell more expensive.
    outerEnd = EndWaiterGroup(of: outer.sources) { [weak writer] in writer?.cell.sweep() }
  }

  // The problem: when the first reader has joined, it must find the current inner value, and must miss no later value.
  // But the outer source may be written meanwhile. A reader of only the outer source would have to take its position in
  // the inner source later, in another step. So from the first switch on, one reader reads both sources as a
  // combination. The previous reader gives up its position only when the new reader has its own.

  /// Begins with an outer source that has delivered nothing yet.
  ///
  /// This switches to the current inner source on the caller's thread, so a reader has the current value at once. Later
  /// switches happen in the relay's turns, because the caller might never return: writers may write the outer
  /// source as fast as the switcher reads it.
  @inlinable
  func start(with prototype: FirstSourceCursor<Outer>) {
    var first = prototype
    take(&first)
    switch first.next(in: nil) {
    case .element(.source(let outer), _):
      let demand = switchTo(outer, isInTurn: true)
      // Brings the log of this joint cell up to date for the new reader, which reads on in it. Once the last position
      // is given up, the log no longer grows. So the turn of the new reader begins after that: a turn that came
      // meanwhile would miss what the log did not hold yet.
      first.root.cell.refresh()
      // The first cursor gives up its position only now, when the new reader has a position. Otherwise the outer source
      // could lose its last reader. If a relay feeds that source, the relay would then deliver everything again.
      first.root.end()
      if case .handsOver(let next, _) = demand { next.enqueue() }
    case .element(.value, _): preconditionFailure("a switch without an inner source found a value")
    case .rejected, .idle, .finished: _ = read(first, after: nil, isInTurn: false)
    }
  }

  // Delivers the current value of the inner source, and starts a reader that continues from there. That reader is
  // behind if the outer source was written again meanwhile. Returns `.nothing` if the relay's cell has another driver
  // or has ended.
  @inlinable
  func switchTo(_ outer: OuterReading<Outer>, isInTurn: Bool) -> RelayDemand {
    var cursor = SwitchCursor(outer)
    take(&cursor)
    var value: Outer.Element.Value?
    switch cursor.next(in: nil) {
    case .element(.value(let current), _): value = current
    case .element(.source(let newer), let stamp): cursor.putBack(newer, stamp)
    case .rejected, .idle, .finished: break
    }
    let isBehind = cursor.isBeginning
    return read(cursor, after: value, isInTurn: isInTurn).map { .handsOver(to: $0, isBehind: isBehind) }
      ?? .nothing
  }

  @inlinable
  func take<Cursor: BindingCursor>(_ cursor: inout Cursor) {
    cursor.root.begin(depth: backlog.depth, reserved: nil)
  }

  @inlinable
  func read<Cursor: BindingCursor>(
    _ cursor: consuming Cursor,
    after value: Outer.Element.Value?,
    isInTurn: Bool
  ) -> RelayReader? where Cursor.Element == SwitchElement<Outer> {
    guard writer.open(by: self) else {
      cursor.root.end()
      return nil
    }
    outerEnd.start()
    if let value { writer.send(value) }
    let new = DriverReader(cursor, self, to: writer.cell, in: turns)
    reader.replace(with: new, isInTurn: isInTurn)
    return new
  }

  @inlinable
  func take(_ element: SwitchElement<Outer>) -> RelayDemand {
    switch element {
    case .value(let value):
      writer.send(value)
      return .next
    case .source(let outer):
      // The reader that has found the new source gives up its position after this call.
      return switchTo(outer, isInTurn: true)
    }
  }

  @inlinable
  func caughtUp() -> RelayDemand { .next }

  @inlinable
  func sourceEnded() {
    outerEnd.stop()
    writer.finish()
  }

  @usableFromInline var currentReader: RelayReader? { reader.current }

  @inlinable
  func stop() {
    outerEnd.stop()
    reader.end()
  }
}
