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
  /// value of the new inner source. If a write to the outer source and a write to the inner source overlap, either may
  /// count as the first. If the outer source is written while the first reader begins, the current value comes a little
  /// later. Readers of one returned source share one cell, which has its own versions. That cell leaves out an inner
  /// source that was replaced before the cell looked at it. So while one switch follows another without a pause, readers
  /// may receive nothing until a pause comes. The returned source ends when both the outer source and the newest inner
  /// source have ended.
  ///
  /// While the returned source has readers, it holds the newest inner source. It also holds the actors whose cells the
  /// inner source reads, if they were alive at the switch. It releases all of these after the next switch, or when the
  /// last reader has left. A derived source does not hold the object that it was derived from. So if an inner source is
  /// `LoadingCell { … }.map { … }`, and nothing else holds that cell, readers receive only the end. Return the cell
  /// itself instead, or keep it elsewhere.
  ///
  /// The result is no `StateSource`, because the outer source may be ahead of the switch. Each call creates a cell.
  /// A switch takes a position in the new inner source, so it costs more than a value.
  ///
  /// - Parameter innerBacklog: The number of values of an inner source that may wait until the cell of the returned
  ///   source takes them. With `.unbounded`, readers receive each value that was written before the switch. With other
  ///   backlogs, values that still wait at a switch are left out. The outer source is read with this backlog too. The
  ///   readers of the returned source have backlogs of their own.
  @inlinable
  public func switchToLatest(innerBacklog: Backlog = .unbounded) -> some BindingSource<Value.Value> {
    let outer = cursor
    return DerivedSource(
      RelayCursor("switchToLatest", of: outer.root.cell) { writer, turns in
        Switcher<Cursor>(into: writer, innerBacklog, in: turns).start(with: outer)
      }
    )
  }
}
