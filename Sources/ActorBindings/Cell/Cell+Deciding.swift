extension Cell {
  /// Runs one step of a state machine that the lock of this cell guards. If the step returns a new value for the cell,
  /// publishes that value.
  ///
  /// This method holds the lock from the step until the publication. So readers see the values in the order of the
  /// machine's decisions. No other code writes a cell that such a machine controls.
  ///
  /// - Parameter step: One event of the machine, called with the current value.
  func decided<Result: Sendable>(_ step: (Value) -> Decided<Result>) -> Result {
    let published = written { publishedWhileLocked(step($0.value), &$0, &$1) }
    if case .published(let woken, _) = published.publication { woken.wake() }
    // Releases the replaced value, if there is one, only here: after the lock.
    withExtendedLifetime(published.former) {}
    return published.result
  }

  /// What a step has decided.
  struct Decided<Result: Sendable>: Sendable {
    /// What the caller must do after the lock.
    let result: Result
    /// The new value of the cell; nil if the value does not change.
    var shown: Value?
  }

  private struct PublishedDecision<Result: Sendable>: Sendable {
    let result: Result
    var former: Value?
    var publication = Publication<Value>.ignored
  }

  private func publishedWhileLocked<Result>(
    _ decided: Decided<Result>,
    _ state: inout CellState<Value>,
    _ roster: inout Roster
  ) -> PublishedDecision<Result> {
    guard var value = decided.shown else { return PublishedDecision(result: decided.result) }
    let publication = state.sent(&value, by: .insistent, &roster)
    return PublishedDecision(result: decided.result, former: value, publication: publication)
  }
}
