extension BindingSource {
  /// Waits for the first value for which `predicate` is true. Checks the current value and each later value, and skips
  /// none.
  ///
  /// ```swift
  /// guard await connection.state.first(where: { $0 == .open }) != nil else { return }
  /// ```
  ///
  /// - Parameters:
  ///   - isolation: The actor that the caller runs on.
  ///   - predicate: A function to call with each value, on the isolation of the caller.
  /// - Returns: The value, or nil if the source ends before there is such a value, or if the task is cancelled.
  @inlinable
  public func first<E: Error>(
    isolation: isolated (any Actor)? = #isolation,
    where predicate: (Value) throws(E) -> Bool
  ) async throws(E) -> Value? {
    var values = values(backlog: .unbounded).makeAsyncIterator()
    while let value = await values.next(isolation: isolation) {
      if try predicate(value) { return value }
    }
    return nil
  }
}
