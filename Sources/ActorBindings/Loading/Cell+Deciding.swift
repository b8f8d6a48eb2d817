extension Cell {
  /// One step of a state machine that the lock of this cell guards, together with the update that it leads to.
  ///
  /// So readers see in the order of the machine's decisions what it shows. Only such steps write this cell.
  ///
  /// - Parameter step: Is run under the lock, with the current value. Returns the new value, if there is one, and what is
  ///   to be done after the lock.
  func decided<Result: Sendable>(_ step: (Value) -> (Result, shown: Value?)) -> Result {
    let (result, former, publication) = written { state, roster in
      let (result, shown) = step(state.value)
      guard var value = shown else { return (result, Value?.none, Publication<Value>.ignored) }
      let publication = state.sent(&value, by: .impatient, &roster)
      return (result, value, publication)
    }
    if case .published(let woken, _) = publication { woken.wake() }
    // What was shown before is released here, after the lock.
    withExtendedLifetime(former) {}
    return result
  }
}
