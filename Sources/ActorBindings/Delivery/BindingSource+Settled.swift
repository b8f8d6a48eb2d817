extension BindingSource {
  /// Waits until everything that was published upstream before the call has reached this source, and each observation
  /// of this source has handled it or has ended. Cancelling the task ends the wait.
  ///
  /// Upstream are the cells that this source reads, the operators in between, and the cells that a derived cell
  /// follows. So one call is enough, however many steps there are from the cell that is written to the observer:
  ///
  /// ```swift
  /// let total = BindableActor(of: basket.map(\.total))
  /// let canBuy = combineLatest(total, limit).map { $0 <= $1 }
  ///
  /// basket.send(newBasket)
  /// // The observers of `canBuy` have handled `newBasket`:
  /// await canBuy.settled()
  /// ```
  ///
  /// This does not wait for:
  /// - loops, because a loop shows that it is done with a value only when it asks for the next value
  /// - values that wait for a timer, as in `debounce` or `delay`, and asynchronous work, as in `mapLatest` or `asyncMap`
  /// - observations of the cells upstream that have nothing to do with this source
  /// - cells that only a `bind`, a two-way binding or code of your own writes
  ///
  /// An operator such as `debounce` or `switchToLatest` does its work once for all readers of one returned source. So
  /// call this on the source that you observe, or on a copy of it. A source that has no readers has nothing to wait for
  /// behind such an operator.
  public func settled() async {
    await cursor.root.cell.settled()
  }
}
