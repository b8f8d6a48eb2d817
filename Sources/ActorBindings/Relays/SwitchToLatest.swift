extension BindingSource {
  /// A source of the values of the newest source that `transform` has made.
  ///
  /// ```swift
  /// let messages = room.flatMapLatest { room in room.messages }
  /// ```
  ///
  /// See `switchToLatest`: the same holds here. In particular `transform` may make what it returns on the spot:
  ///
  /// ```swift
  /// let results = search.flatMapLatest { text in
  ///   let results = LoadingCell { try await api.results(for: text) }
  ///   results.beginLoading()
  ///   return results
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - backlog: How many values of an inner source may wait before they are handed to the readers.
  ///   - transform: Makes an inner source of a value.
  @inlinable
  public func flatMapLatest<Inner: BindingSource>(
    backlog: Backlog = .unbounded,
    _ transform: @escaping @Sendable (Value) -> Inner
  ) -> DerivedSource<RelayCursor<Inner.Value>> {
    map(transform).switchToLatest(backlog: backlog)
  }
}

extension BindingSource where Value: BindingSource {
  /// Of a source of sources: the values of the newest one.
  ///
  /// Once it has switched, nothing is handed out that was written to the old source after that. A reader begins with the
  /// current value of the new source. If the outer source is written while the first reader begins, that value comes a
  /// little later. The readers of what one call has made share one reading of the sources, in a cell with versions of its
  /// own; a source that came and went before the cell got to it is left out. It ends when both the outer source and the
  /// newest inner one have ended.
  ///
  /// While anything reads it, the newest inner source is held, and so are the actors whose cells that source reads, if
  /// they were alive at the switch; it is released after the next switch, or when the last reader has left. A source that
  /// is derived does not hold the object that it was derived from. So from `LoadingCell { … }.map { … }`, returned while
  /// nothing else holds that cell, nothing comes but its end: return the cell itself, or keep it elsewhere.
  ///
  /// - Parameter backlog: How many values of an inner source may wait before they are handed to the readers. Their own
  ///   backlogs count from there.
  @inlinable
  public func switchToLatest(backlog: Backlog = .unbounded) -> DerivedSource<RelayCursor<Value.Value>> {
    let outer = cursor
    return DerivedSource(
      RelayCursor(of: outer.root.cell) { outlet, actor in
        Switcher<Cursor>(into: outlet, backlog, on: actor, from: outer.root.cell).begin(
          FirstSourceCursor(outer)
        )
      }
    )
  }
}

/// What an outer and an inner source have to say about one instant.
@usableFromInline
enum Switched<Outer: BindingCursor>: Sendable where Outer.Element: BindingSource {
  case value(Outer.Element.Value)
  /// There is a new inner source: nothing of the old one comes after this.
  case source(Outer.Element, OuterReading<Outer>)
}

/// How far an outer source was read, for the next cursor that reads it.
@usableFromInline
struct OuterReading<Outer: BindingCursor>: Sendable {
  @usableFromInline let side: CursorSide<Outer>
  /// Shows the side the next update that is not newer than a version, while the place is taken in which it was read. Nil if
  /// there is none.
  @usableFromInline let readOn: @Sendable (_ version: UInt64) -> OuterReading<Outer>?

  @inlinable
  init<Other>(_ side: CursorSide<Outer>, in root: CellCursor<Joint<Outer.Origin, Other>>) {
    self.side = side
    readOn = { version in
      // A copy of the place is enough for the log. The other backlogs say that something may be left out.
      guard root.place.depth == .max, side.base.root.place.seen != version else { return nil }
      var (side, root) = (side, root)
      guard case .element(let joint, _) = root.nextFresh(in: nil) else { return nil }
      _ = side.look(at: joint.left)
      return OuterReading(side, in: root)
    }
  }
}

/// Reads an outer source together with the inner source that was its newest.
@usableFromInline
struct SwitchCursor<Outer: BindingCursor>: BindingCursor where Outer.Element: BindingSource {
  @usableFromInline typealias Inner = Outer.Element.Cursor
  @usableFromInline typealias Element = Switched<Outer>
  @usableFromInline typealias Origin = Joint<Outer.Origin, Inner.Origin>

  @usableFromInline var root: CellCursor<Origin>
  @usableFromInline var outer: CursorSide<Outer>
  @usableFromInline var inner: CursorSide<Inner>
  // Held for as long as this is read: the inner source, and what it reads.
  @usableFromInline let source: Outer.Element
  @usableFromInline let hosts: [any Actor]
  // The inner source may have more to say about what it was shown.
  @usableFromInline var isPulling = false
  // True while `former`, `first` or `unread` is not nil: one check instead of three.
  @usableFromInline var isBeginning = true
  // Until it has caught up: how far the outer source was read before.
  @usableFromInline var former: OuterReading<Outer>?
  // Until then: what it looks at first.
  @usableFromInline var first: (joint: Origin, stamp: Stamp)?
  // Read, and put back.
  @usableFromInline var unread: (element: Element, stamp: Stamp)?

  @inlinable
  init(_ outer: OuterReading<Outer>, _ source: Outer.Element) {
    let inner = source.cursor
    self.source = source
    hosts = inner.root.cell.livingHosts
    root = CellCursor(cell: Cell(joining: outer.side.base.root.cell, inner.root.cell))
    self.outer = outer.side
    self.inner = CursorSide(inner)
    former = outer
  }

  // Each call asks the operators of both sources about one update, so its cost does not depend on the number of updates.
  @inlinable
  mutating func next(in round: Round<Origin>?) -> Pull<Element> {
    if isBeginning, let begun = begin() { return begun }
    if isPulling, let pulled = pull() { return pulled }
    switch root.nextFresh(in: round) {
    case .element(let joint, let stamp):
      if !inner.hasBegun { inner.begin(at: root.place.start(or: joint).right, depth: root.place.depth) }
      return look(at: joint, stamp)
    case .rejected(let stamp): return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }

  // Nil if it has not read anything yet.
  @inlinable
  mutating func begin() -> Pull<Element>? {
    if let (element, stamp) = unread.take() {
      isBeginning = false
      return .element(element, stamp)
    }
    guard let (joint, stamp) = first.take() else { return nil }
    return look(at: joint, stamp)
  }

  @inlinable
  mutating func putBack(_ element: Element, _ stamp: Stamp) {
    unread = (element, stamp)
    isBeginning = true
  }

  @inlinable
  mutating func look(at joint: Origin, _ stamp: Stamp) -> Pull<Element> {
    if isBeginning, let former = former.take() {
      // What decides which inner source is the newest may have come and gone before this place was taken.
      if let reading = former.readOn(joint.left.version) {
        self.former = reading
        first = (joint, stamp)
        return .rejected(stamp)
      }
      outer = former.side
      isBeginning = false
    }
    _ = outer.look(at: joint.left)
    if let source = outer.newest.take() {
      return .element(.source(source, OuterReading(outer, in: root)), stamp)
    }
    inner.show(joint.right)
    isPulling = true
    return pull() ?? .rejected(stamp)
  }

  // Nil if the inner source has nothing more to say about what it was shown.
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

/// Reads an outer source that has handed out no inner one yet.
@usableFromInline
struct FirstSourceCursor<Outer: BindingCursor>: BindingCursor where Outer.Element: BindingSource {
  @usableFromInline typealias Element = Switched<Outer>
  // The same cell twice, so that it is shown as it will be together with an inner one.
  @usableFromInline typealias Origin = Joint<Outer.Origin, Outer.Origin>

  @usableFromInline var root: CellCursor<Origin>
  @usableFromInline var outer: CursorSide<Outer>

  @inlinable
  init(_ outer: Outer) {
    root = CellCursor(cell: Cell(joining: outer.root.cell, outer.root.cell))
    self.outer = CursorSide(outer)
  }

  @inlinable
  mutating func next(in round: Round<Origin>?) -> Pull<Element> {
    switch root.nextFresh(in: round) {
    case .element(let joint, let stamp):
      if !outer.hasBegun { outer.begin(at: root.place.start(or: joint).left, depth: root.place.depth) }
      guard outer.look(at: joint.left), let source = outer.newest.take() else {
        return .rejected(stamp)
      }
      return .element(.source(source, OuterReading(outer, in: root)), stamp)
    case .rejected(let stamp): return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }
}

/// Writes a relay's cell with the values of the newest of several sources.
///
/// For each inner source it has a reader of the outer and that inner one together. When that reader finds another inner
/// source it ends, and the next reader continues from its position in the outer source.
// @unchecked: nothing changes after the initializer.
@usableFromInline
final class Switcher<Outer: BindingCursor>: RelayDriver, RelayRecipient, @unchecked Sendable
where Outer.Element: BindingSource {
  @usableFromInline let outlet: Outlet<Outer.Element.Value>
  @usableFromInline let backlog: Backlog
  @usableFromInline let actor: RelayActor
  @usableFromInline let reader = NewestReader()
  // The outer source may have ended because it died with the owner of a reader. The inner source, which only the relay may
  // hold, need not tell anything after that. So dead owners are looked for then.
  @usableFromInline let outerEnd: EndWatch

  @inlinable
  init(
    into outlet: Outlet<Outer.Element.Value>,
    _ backlog: Backlog,
    on actor: RelayActor,
    from outer: AnyCell
  ) {
    self.outlet = outlet
    self.backlog = backlog
    self.actor = actor
    outerEnd = EndWatch(of: outer.sources) { [weak cell = outlet.cell] in cell?.sweep() }
  }

  /// Begins with an outer source that has handed out nothing yet.
  ///
  /// Switches to its current inner source, on the caller's thread: so a reader has the current value at once. Switches that
  /// come after this one are left to the relay's isolation, for writers may write the outer source as fast as it is read.
  @inlinable
  func begin(_ prototype: FirstSourceCursor<Outer>) {
    var first = prototype
    take(&first)
    switch first.next(in: nil) {
    case .element(.source(let source, let outer), _):
      _ = switchTo(source, outer)
      // Puts into the log what the new reader has not seen yet: after the last place is left, nothing adds to it.
      first.root.cell.locked(for: .looking) { _ in }
      // Not before the new reader has its place: an outer source that is fed while it has a reader hands out everything again
      // if its last reader leaves.
      first.root.cell.endReading(&first.root.place)
    case .element(.value, _): preconditionFailure("a switch without an inner source found a value")
    case .rejected, .idle, .finished: _ = read(first, after: nil)
    }
  }

  // Hands on the current value of the inner source, and has a reader continue from there. Returns the reader, unless the
  // relay's cell has another driver, or has ended.
  @inlinable
  func switchTo(_ source: Outer.Element, _ outer: OuterReading<Outer>) -> RelayReader? {
    var cursor = SwitchCursor(outer, source)
    take(&cursor)
    switch cursor.next(in: nil) {
    case .element(.value(let value), _): return read(cursor, after: value)
    case .element(let element, let stamp):
      cursor.putBack(element, stamp)
      return read(cursor, after: nil)
    case .rejected, .idle, .finished: return read(cursor, after: nil)
    }
  }

  @inlinable
  func take<Cursor: BindingCursor>(_ cursor: inout Cursor) {
    cursor.root.place = cursor.root.cell.beginReading(depth: backlog.depth, pin: nil)
  }

  @inlinable
  func read<Cursor: BindingCursor>(
    _ cursor: Cursor,
    after value: Outer.Element.Value?
  ) -> RelayReader? where Cursor.Element == Switched<Outer> {
    guard outlet.open(by: self) else {
      var cursor = cursor
      cursor.root.cell.endReading(&cursor.root.place)
      return nil
    }
    outerEnd.attend()
    if let value { outlet.send(value) }
    let new = DriverReader(cursor, self, to: outlet.cell, on: actor)
    reader.begin(new)
    return new
  }

  @inlinable
  func receive(_ element: Switched<Outer>) -> RelayDemand {
    switch element {
    case .value(let value):
      outlet.send(value)
      return .next
    case .source(let source, let outer):
      // The reader that has found the source gives its place up after this.
      return switchTo(source, outer).map { .handsOver(to: $0) } ?? .nothing
    }
  }

  @inlinable
  func caughtUp() -> RelayDemand { .next }

  @inlinable
  func sourceEnded() {
    outerEnd.leave()
    outlet.finish()
  }

  @usableFromInline var source: AnyCell? { reader.source }

  @inlinable
  func stop() {
    outerEnd.leave()
    reader.end()
  }
}
