// A derived cell is a cell that an observation writes: all that is said of cells and of observations holds for it.

extension BindableActor {
  /// A cell that follows a state while it lives: its value is computed once, however many read it.
  ///
  /// ```swift
  /// let report = BindableActor(of: orders.map(Report.init))       // one Report for each change of the orders
  /// ```
  ///
  /// The operators of `source` run here for the first value, and on the new cell's isolation for those after it. It is
  /// a little behind: a value that was sent to the source is read here as soon as the cell has come to it. When the
  /// source ends it finishes; when it dies it stops. Writing to it is allowed, until the source changes again.
  ///
  /// - Parameters:
  ///   - source: What it follows. It is not kept alive.
  ///   - backlog: How many values may wait.
  public init<Source: StateSource<Value>>(of source: Source, backlog: Backlog = .latest) {
    var cursor = source.cursor
    let origin = cursor.root.cell
    cursor.root.place = origin.beginReading(depth: backlog.depth, pin: nil)
    self.init(cursor.nextOfState())
    follow(cursor, depth: nil)
  }

  /// A cell that follows a source while it lives, and holds nil until there is a value.
  ///
  /// - Parameters:
  ///   - source: What it follows. It is not kept alive.
  ///   - backlog: How many values may wait.
  @_disfavoredOverload
  public init<Source: BindingSource>(of source: Source, backlog: Backlog = .latest)
  where Value == Source.Value? {
    self.init(nil)
    follow(MapCursor(base: source.cursor) { Optional($0) }, depth: backlog.depth)
  }

  // The source may have nothing more to tell when this cell dies. So the cell's end cancels the observation at once.
  private nonisolated func follow<Cursor: BindingCursor<Value>>(_ cursor: Cursor, depth: UInt32?) {
    let observation = CursorObservation(cursor, FollowingCell(self), endsWithToken: false, isConfined: false)
    cursor.root.cell.begin(observation, depth: depth, on: DeliveryContext(isolation: self))
    _ = cell.locked { $0.attended(by: Attendant { observation.cancel() }) }
  }
}

/// A cell that follows a source.
private struct FollowingCell<Value: Sendable>: Recipient {
  private weak let owner: BindableActor<Value>?

  init(_ owner: BindableActor<Value>) {
    self.owner = owner
  }

  func receive(_ value: Value) -> Bool {
    guard let owner else { return false }
    owner.send(value)
    return true
  }

  var isGone: Bool { owner == nil }

  func sourceEnded() {
    owner?.finish()
  }
}

extension BindingCursor {
  /// The first element of a state, which is there.
  fileprivate mutating func nextOfState() -> Element {
    while true {
      switch next(in: nil) {
      case .element(let element, _): return element
      case .rejected: continue
      case .idle, .finished: preconditionFailure("a state has no value")
      }
    }
  }
}
