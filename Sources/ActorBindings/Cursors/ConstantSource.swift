// The cells of these sources belong to no actor, so no handler can run on their isolation.

extension AnyBindingSource {
  /// A source with one value, which never changes. Each reader receives the value, and then ends.
  ///
  /// ```swift
  /// let limit: AnyBindingSource<Int> =
  ///   isTrial ? .constant(10) : plan.map(\.limit).erased()
  /// ```
  ///
  /// The source has ended from the start, because no other value can come. So a combination with a constant ends with
  /// its other sources, and a switch to a constant ends with its outer source. The library never calls a handler on
  /// `.cell`, because a constant belongs to no actor. Each call creates a cell.
  @inlinable
  public static func constant(_ value: Value) -> AnyBindingSource {
    AnyBindingSource(CellCursor(cell: Cell(constant: value)))
  }

  /// A source without values that never ends. Its readers end only when they are cancelled, or with their owners.
  /// Each access creates a cell.
  @inlinable
  public static var never: AnyBindingSource {
    AnyBindingSource(CompactMapCursor(base: CellCursor(cell: Cell<Value?>(nil)), transform: { $0 }))
  }

  /// A source without values that has ended. Its readers end at once. Each access creates a cell.
  @inlinable
  public static var empty: AnyBindingSource {
    AnyBindingSource(CompactMapCursor(base: CellCursor(cell: Cell<Value?>(constant: nil)), transform: { $0 }))
  }
}

extension AnyStateSource {
  /// A source whose value never changes. Each reader receives the value, and then ends.
  ///
  /// ```swift
  /// let name = session.flatMapLatest { session -> AnyStateSource<String?> in
  ///   session.map { $0.name.map(Optional.some).erased() } ?? .constant(nil)
  /// }
  /// ```
  ///
  /// The source has ended from the start, because no other value can come. So a combination with a constant ends with
  /// its other sources, and a switch to a constant ends with its outer source. The library never calls a handler on
  /// `.cell`, because a constant belongs to no actor. Each call creates a cell.
  @inlinable
  public static func constant(_ value: Value) -> AnyStateSource {
    AnyStateSource(CellCursor(cell: Cell(constant: value)))
  }
}

extension Cell {
  /// Creates a cell that has finished, with a value.
  @usableFromInline
  convenience init(constant value: Value) {
    self.init(value)
    finish()
  }
}
