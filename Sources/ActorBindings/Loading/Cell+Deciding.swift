extension Cell {
  /// Runs one step of a state machine that the lock of this cell guards, and publishes the update that the step leads to.
  ///
  /// Both happen under the lock, so readers see the updates in the order of the machine's decisions. Only such steps write
  /// this cell.
  ///
  /// - Parameter step: Called under the lock, with the current value. Returns what the caller must do after the lock, and
  ///   the new value; nil if the value does not change.
  func decided<Result: Sendable>(_ step: (Value) -> (Result, shown: Value?)) -> Result {
    let (result, former, publication) = written { state, roster in
      let (result, shown) = step(state.value)
      guard var value = shown else { return (result, Value?.none, Publication<Value>.ignored) }
      let publication = state.sent(&value, by: .insistent, &roster)
      return (result, value, publication)
    }
    if case .published(let woken, _) = publication { woken.wake() }
    // Releases the value before, if there is a new one: only now, after the lock.
    withExtendedLifetime(former) {}
    return result
  }
}
