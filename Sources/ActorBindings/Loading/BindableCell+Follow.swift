extension BindableCell {
  /// Sends each element of a sequence to this cell, until the sequence or the cell ends.
  ///
  /// ```swift
  /// let price = BindableActor(0.0)
  /// price.follow(exchange.ticks) { end in
  ///   if case .failed(let error) = end { log("no more prices: \(error)") }
  /// }
  /// ```
  ///
  /// A separate task iterates the sequence. The token cancels this task, and so does the end of the cell. The task does
  /// not keep the cell alive. If the sequence ends, the cell does not finish: it keeps the last element. Cells that
  /// follow each other in a circle write to each other without end: use `bindTwoWay(to:)` instead.
  ///
  /// - Parameters:
  ///   - elements: The sequence, for example from a database, a broker or a socket. The sequence should end when its
  ///     task is cancelled. If the sequence ignores the cancellation, the task lives until the sequence yields again or
  ///     ends, but the cell receives nothing more.
  ///   - onEnd: Called once, on the task that iterates the sequence, with the reason for the end. The captures of
  ///     `onEnd` live until this call.
  /// - Returns: A token to stop earlier. The caller need not keep it. After `cancel()`, the task sends nothing more,
  ///   except an element that it is sending at that moment. `cancelAndWait()` also waits until the task has sent that
  ///   element.
  @discardableResult
  public nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: sending Elements,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) -> BindingToken where Elements.Element == Value {
    let cell = cursor.cell
    return cell.follow(elements, writing: { cell.send($0) }, onEnd: onEnd)
  }

  /// Sends each element of a sequence to this cell, whose value is an optional, until the sequence or the cell ends.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: sending Elements,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) -> BindingToken where Value == Elements.Element? {
    let cell = cursor.cell
    return cell.follow(elements, writing: { cell.send($0) }, onEnd: onEnd)
  }

  /// Changes the value with each element of a sequence, until the sequence or the cell ends.
  ///
  /// ```swift
  /// let prices = BindableDictionary<Symbol, Double>()
  /// prices.follow(exchange.ticks) { prices, tick in
  ///   prices[tick.symbol] = tick.price
  /// }
  /// ```
  ///
  /// Apart from `body`, this behaves as `follow(_:onEnd:)` does.
  ///
  /// - Parameters:
  ///   - elements: The sequence.
  ///   - body: Runs as the body of `modify` does: on a copy, without a lock, and again if another writer publishes
  ///     first.
  ///   - onEnd: Called once, with the reason for the end.
  /// - Returns: A token to stop earlier.
  @discardableResult
  public nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: sending Elements,
    applying body: @escaping @Sendable (inout Value, Elements.Element) -> Void,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) -> BindingToken {
    let cell = cursor.cell
    return cell.follow(elements, writing: { element in cell.modify { body(&$0, element) } }, onEnd: onEnd)
  }
}

extension AnyCell {
  /// Calls `write` with each element of a sequence, on a task that ends with this cell. See `follow(_:onEnd:)`.
  func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: sending Elements,
    writing write: @escaping @Sendable (Elements.Element) -> Void,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void
  ) -> BindingToken {
    // This is safe, because only the task uses `elements`.
    nonisolated(unsafe) let elements = elements
    let following = SequenceFollowing()
    following.start(in: self) {
      onEnd(await following.write(unsafe elements, write))
    }
    return BindingToken(following)
  }
}

extension BindableActor {
  /// Creates a cell that holds `value` first, and then each element of a sequence.
  ///
  /// - Parameters:
  ///   - value: The value before the first element.
  ///   - elements: The sequence that the cell follows until the cell is deallocated: see `follow(_:onEnd:)`.
  ///   - onEnd: Called once, with the reason for the end.
  public init<Elements: AsyncSequence & SendableMetatype>(
    _ value: Value,
    following elements: sending Elements,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) where Elements.Element == Value {
    self.init(value)
    follow(elements, onEnd: onEnd)
  }

  /// Creates a cell that holds nil first, and then each element of a sequence.
  ///
  /// - Parameters:
  ///   - elements: The sequence that the cell follows until the cell is deallocated: see `follow(_:onEnd:)`.
  ///   - onEnd: Called once, with the reason for the end.
  public init<Elements: AsyncSequence & SendableMetatype>(
    following elements: sending Elements,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) where Value == Elements.Element? {
    self.init(nil)
    follow(elements, onEnd: onEnd)
  }
}
