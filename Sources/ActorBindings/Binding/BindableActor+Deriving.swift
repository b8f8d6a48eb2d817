// A derived cell is an ordinary cell, which an ordinary observation writes.

extension BindableActor {
  /// Creates a cell that follows `source` as long as the cell lives. The cell computes each value once for all of its
  /// readers.
  ///
  /// ```swift
  /// // One Report for each change of the orders:
  /// let report = BindableActor(of: orders.map(Report.init))
  /// ```
  ///
  /// The operators of `source` run in this call for the first value, and on the new cell's isolation for later values.
  /// The cell may be a little behind the source: the cell's readers see a value of the source as soon as the cell has
  /// read that value. When the source ends, the cell finishes. When the cell is deallocated, it stops following. You
  /// may write to the cell: your value stays until the source changes again.
  ///
  /// - Parameters:
  ///   - source: The state to follow. The cell does not keep it alive.
  ///   - backlog: The number of values that may wait until the cell takes them.
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  public init<Source: StateSource<Value>>(
    of source: Source,
    backlog: Backlog = .latest,
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    var cursor = source.cursor
    cursor.root.begin(depth: backlog.depth, reserved: nil)
    self.init(cursor.nextOfState(), name: name, fileID: fileID, line: line)
    follow(cursor, depth: nil)
  }

  /// Creates a cell that follows a source as long as the cell lives, and holds nil until the source has a value.
  ///
  /// Even if the source has a value already, the cell holds nil at first, and reads the source later, on its own
  /// isolation. `init(initially:of:)` reads the current value at once. If the source ends without a value, the cell
  /// finishes with nil.
  ///
  /// - Parameters:
  ///   - source: The source to follow. The cell does not keep it alive.
  ///   - backlog: The number of values that may wait until the cell takes them.
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @_disfavoredOverload
  public init<Source: BindingSource>(
    of source: Source,
    backlog: Backlog = .latest,
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  )
  where Value == Source.Value? {
    self.init(nil, name: name, fileID: fileID, line: line)
    follow(MapCursor(base: source.cursor) { Optional($0) }, depth: backlog.depth)
  }

  /// Creates a cell that follows a source as long as the cell lives, and holds `initial` until the source has a value.
  ///
  /// ```swift
  /// // `alerts` is an EventSource:
  /// let newest = BindableActor(initially: .none, of: alerts)
  /// ```
  ///
  /// If the source has a value already, the cell begins with that value. The operators of `source` run in this call for
  /// the current value, and on the new cell's isolation for later values. If the source ends without a value, the cell
  /// finishes with `initial`.
  ///
  /// - Parameters:
  ///   - initial: The value of the cell until the source has one.
  ///   - source: The source to follow. The cell does not keep it alive.
  ///   - backlog: The number of values that may wait until the cell takes them.
  ///   - name: The name of the cell, which diagnostics show; nil if it has none. See `named(_:)`.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  public init<Source: BindingSource<Value>>(
    initially initial: Value,
    of source: Source,
    backlog: Backlog = .latest,
    name: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    var cursor = source.cursor
    cursor.root.begin(depth: backlog.depth, reserved: nil)
    if case .element(let element, _) = cursor.next(in: nil) {
      self.init(element, name: name, fileID: fileID, line: line)
    } else {
      self.init(initial, name: name, fileID: fileID, line: line)
    }
    follow(cursor, depth: nil)
  }

  // The end of this cell cancels the observation at once, because the source may never send another value.
  private nonisolated func follow<Cursor: BindingCursor<Value>>(_ cursor: Cursor, depth: UInt32?) {
    let observation = CursorObservation(
      cursor,
      FollowingCell(self),
      endsWithToken: false,
      isConfined: false,
      site: cell.site
    )
    cursor.root.cell.start(observation, depth: depth, on: DeliveryContext(isolation: self))
    let end = DerivedCellEnd(observation, of: cursor.root.cell, writing: cell)
    if !cell.joinEnd(end) { DerivedCells.remove(cell) }
  }
}

/// Writes the values of a source to a cell.
private struct FollowingCell<Value: Sendable>: Recipient {
  private weak let owner: BindableActor<Value>?

  init(_ owner: BindableActor<Value>) {
    self.owner = owner
  }

  func deliver(_ value: Value) -> Bool {
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
  /// Returns the first element of a `StateSource`, which always has an element.
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
