extension BindableCell where Value: PersistentCollection {
  /// A source of the changes of the collection since a version that a reader already has.
  ///
  /// ```swift
  /// let board = BindableArray(tasks, history: 1_000)
  ///
  /// let changes = board.changes(since: client.version, backlog: .latest)
  /// for await change in changes {
  ///   try await client.send(change.delta)
  /// }
  /// ```
  ///
  /// If the cell still holds that version, the first change of a reader has the edits from that version to the current
  /// one, and no edits if the two are the same. Otherwise the first change is a reset, as with `changes`. As with every
  /// source, the reader misses nothing between its first change and the later ones. The cell holds the versions that
  /// its `history` says, and perhaps some more.
  ///
  /// A version counts the updates of this cell. The same number means nothing for another cell, or after the process
  /// was started again: let the client also send back an ID that your server chose when it created the cell, and pass
  /// nil if it is another ID.
  ///
  /// The source holds the version on which it is based, as long as the source exists.
  ///
  /// - Parameter version: The version that the reader has: `version` of the last change that it applied; nil if it has
  ///   none.
  /// - Complexity: Finding the version takes constant time, whatever the length of the history. Each reader then
  ///   compares that version with the current one, in time proportional to what has changed.
  @inlinable
  public nonisolated func changes(since version: UInt64?) -> some BindingSource<CollectionChange<Value>> {
    let known = version.flatMap { cursor.cell.value(atVersion: $0) }
    return DerivedSource(ChangesCursor(base: VersionedCursor(base: cursor), after: known))
  }

  /// Returns a stream of the changes of the collection since a version that the reader already has: see
  /// `changes(since:)`.
  ///
  /// - Parameters:
  ///   - version: The version that the reader has; nil if it has none.
  ///   - backlog: The number of changes that may wait. A change for which there is no room is merged into the next
  ///     change.
  @inlinable
  public nonisolated func changes(
    since version: UInt64?,
    backlog: Backlog
  ) -> BindingStream<some BindingCursor<CollectionChange<Value>>> {
    changes(since: version).values(backlog: backlog)
  }
}
