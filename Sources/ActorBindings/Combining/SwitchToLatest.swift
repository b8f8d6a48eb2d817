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
  /// Once it has switched, nothing is handed out that was written to the old source after that. It begins with the
  /// current value of the new source. The readers of what one call has made share one reading of the sources, in a cell
  /// with versions of its own; a source that came and went before the cell got to it is left out. It ends when both the
  /// outer source and the newest inner one have ended.
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

/// How far an outer source was read, for who goes on with it.
@usableFromInline
struct OuterReading<Outer: BindingCursor>: Sendable {
  @usableFromInline var side: CursorSide<Outer>
  // What comes after it, while the place is taken in which it was read.
  @usableFromInline let rest: @Sendable (_ version: UInt64, inout CursorSide<Outer>) -> Void

  @inlinable
  init<Other>(_ side: CursorSide<Outer>, in root: CellCursor<Joint<Outer.Origin, Other>>) {
    self.side = side
    self.side.newest = nil
    rest = { (version: UInt64, side: inout CursorSide<Outer>) in
      // A copy of the place does for the log alone. The other backlogs say that something may be left out.
      guard root.place.depth == .max else { return }
      var cursor = root
      // All that was written so far is in its log then.
      cursor.cell.locked(for: .looking) { _ in }
      while side.base.root.place.seen != version, case .element(let joint, _) = cursor.next(in: nil) {
        _ = side.look(at: joint.left)
      }
    }
  }

  /// Has it look at all that came up to a version: what decides which inner source is the newest may have come and gone
  /// before the next place was taken.
  @inlinable
  func caughtUp(with version: UInt64) -> CursorSide<Outer> {
    var side = side
    rest(version, &side)
    return side
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
  // Until it begins: where the outer source was read before.
  @usableFromInline var former: OuterReading<Outer>?
  // The inner source may have more to say about what it was shown.
  @usableFromInline var isPulling = false

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

  @inlinable
  mutating func next(in round: Round<Origin>?) -> Pull<Element> {
    while true {
      while isPulling {
        switch inner.pull() {
        case .element(let element, let stamp): return .element(.value(element), stamp)
        case .rejected(let stamp): return .rejected(stamp)
        case .idle, .finished: isPulling = false
        }
      }
      switch root.nextFresh(in: round) {
      case .element(let joint, let stamp):
        // The outer source has begun long ago.
        if let former = former.take() {
          inner.begin(at: root.place.start(or: joint).right, depth: root.place.depth)
          outer = former.caughtUp(with: joint.left.version)
        }
        _ = outer.look(at: joint.left)
        if let source = outer.newest {
          return .element(.source(source, OuterReading(outer, in: root)), stamp)
        }
        inner.show(joint.right)
        isPulling = true
      case .rejected(let stamp): return .rejected(stamp)
      case .idle: return .idle
      case .finished: return .finished
      }
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
      guard outer.look(at: joint.left), let source = outer.newest else {
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
/// For each inner source it has a reader of the outer and that inner one together. When that finds another inner source it
/// ends, and the next reader goes on where it has stood in the outer source.
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

  /// An inner source, and where it was found.
  @usableFromInline
  struct Find: Sendable {
    @usableFromInline let source: Outer.Element
    @usableFromInline let outer: OuterReading<Outer>
    /// Gives the place up in which it was found. Not before there is another one: an outer source that is fed while
    /// somebody reads it would be fed anew, and hand out all again.
    @usableFromInline let leave: @Sendable () -> Void

    @inlinable
    init(source: Outer.Element, outer: OuterReading<Outer>, leave: @escaping @Sendable () -> Void) {
      self.source = source
      self.outer = outer
      self.leave = leave
    }
  }

  /// Begins with an outer source that has handed out nothing yet.
  @inlinable
  func begin(_ first: FirstSourceCursor<Outer>) {
    goOn(with: advance(first))
  }

  @inlinable
  func goOn(with find: Find?) {
    var newest = find
    while let find = newest {
      newest = advance(SwitchCursor(find.outer, find.source))
      find.leave()
    }
  }

  // Hands on what is there already, up to the first value, and has a reader go on from there. Returns the inner source
  // that is newer, if there is one; then there is no reader.
  @inlinable
  func advance<Cursor: BindingCursor>(
    _ prototype: Cursor
  ) -> Find? where Cursor.Element == Switched<Outer> {
    var cursor = prototype
    let cell = cursor.root.cell
    cursor.root.place = cell.beginReading(depth: backlog.depth, pin: nil)
    while true {
      switch cursor.next(in: nil) {
      case .element(.source(let source, let outer), _):
        return Find(source: source, outer: outer) { [place = cursor.root.place] in
          var place = place
          cell.endReading(&place)
        }
      case .element(.value(let value), _): read(cursor, after: value)
      case .idle, .finished: read(cursor, after: nil)
      case .rejected: continue
      }
      return nil
    }
  }

  @inlinable
  func read<Cursor: BindingCursor>(
    _ cursor: Cursor,
    after value: Outer.Element.Value?
  ) where Cursor.Element == Switched<Outer> {
    guard outlet.open(by: self) else {
      var cursor = cursor
      return cursor.root.cell.endReading(&cursor.root.place)
    }
    outerEnd.attend()
    if let value { outlet.send(value) }
    reader.begin(DriverReader(cursor, self, to: outlet.cell, on: actor))
  }

  @inlinable
  func receive(_ element: Switched<Outer>) -> RelayDemand {
    switch element {
    case .value(let value):
      outlet.send(value)
      return .next
    case .source(let source, let outer):
      // The place in which this was found is given up afterwards, with its reader.
      goOn(with: Find(source: source, outer: outer) {})
      return .nothing
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
