extension BindableCell {
  /// Sends what a sequence yields, until it ends, or the cell does.
  ///
  /// ```swift
  /// let price = BindableActor(0.0)
  /// price.follow(exchange.ticks) { end in
  ///   if case .failed(let error) = end { log.error("no more prices: \(error)") }
  /// }
  /// ```
  ///
  /// The sequence is iterated once, on a task of its own, which is cancelled by the token and with the cell. The cell is
  /// not kept alive. It does not finish with the sequence, and keeps what was sent last. Cells that follow each other in a
  /// circle never come to rest: for that there is `bindTwoWay(to:)`.
  ///
  /// - Parameters:
  ///   - elements: What feeds the cell: of a database, a broker, a socket. It should end when its task is cancelled; as long
  ///     as it does not it keeps that task, though nothing is sent any more.
  ///   - onEnd: Is called once, on that task, with how it has ended. What it captures lives until then.
  /// - Returns: A token to end it earlier, which need not be kept. After `cancel()` nothing is sent any more, but for an
  ///   element that is being sent just then; `cancelAndWait()` waits for that too.
  @discardableResult
  public nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: sending Elements,
    onEnd: @escaping @Sendable (FollowingEnd) -> Void = { _ in }
  ) -> BindingToken where Elements.Element == Value {
    let cell = cursor.cell
    return follow(elements, writing: { cell.send($0) }, onEnd: onEnd)
  }

  /// Sends what a sequence yields, until it ends, or the cell does: to a cell of an optional.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: sending Elements,
    onEnd: @escaping @Sendable (FollowingEnd) -> Void = { _ in }
  ) -> BindingToken where Value == Elements.Element? {
    let cell = cursor.cell
    return follow(elements, writing: { cell.send($0) }, onEnd: onEnd)
  }

  /// Changes the value by each element of a sequence, until it ends, or the cell does.
  ///
  /// ```swift
  /// let prices = BindableDictionary<Symbol, Double>()
  /// prices.follow(exchange.ticks) { prices, tick in prices[tick.symbol] = tick.price }
  /// ```
  ///
  /// What is said of `follow(_:onEnd:)` holds for this one.
  ///
  /// - Parameters:
  ///   - elements: What feeds the cell.
  ///   - body: Is run as that of `modify`: on a copy, without a lock, and again when another writer gets in first.
  ///   - onEnd: Is called once with how it has ended.
  /// - Returns: A token to end it earlier.
  @discardableResult
  public nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: sending Elements,
    applying body: @escaping @Sendable (inout Value, Elements.Element) -> Void,
    onEnd: @escaping @Sendable (FollowingEnd) -> Void = { _ in }
  ) -> BindingToken {
    let cell = cursor.cell
    return follow(elements, writing: { element in cell.modify { body(&$0, element) } }, onEnd: onEnd)
  }

  private nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: sending Elements,
    writing write: @escaping @Sendable (Elements.Element) -> Void,
    onEnd: @escaping @Sendable (FollowingEnd) -> Void
  ) -> BindingToken {
    // Handed to the task, and touched by nobody else.
    nonisolated(unsafe) let elements = elements
    let following = Following()
    following.begin(in: cursor.cell) {
      onEnd(await following.write(unsafe elements, write))
    }
    return BindingToken(following)
  }
}

extension BindableActor {
  /// A cell that holds `value`, and then what a sequence yields.
  ///
  /// - Parameters:
  ///   - value: Is there before the first element is.
  ///   - elements: What feeds the cell, while it lives: see `follow(_:onEnd:)`.
  ///   - onEnd: Is called once with how it has ended.
  public init<Elements: AsyncSequence & SendableMetatype>(
    _ value: Value,
    following elements: sending Elements,
    onEnd: @escaping @Sendable (FollowingEnd) -> Void = { _ in }
  ) where Elements.Element == Value {
    self.init(value)
    follow(elements, onEnd: onEnd)
  }

  /// A cell that holds nil, and then what a sequence yields.
  ///
  /// - Parameters:
  ///   - elements: What feeds the cell, while it lives: see `follow(_:onEnd:)`.
  ///   - onEnd: Is called once with how it has ended.
  public init<Elements: AsyncSequence & SendableMetatype>(
    following elements: sending Elements,
    onEnd: @escaping @Sendable (FollowingEnd) -> Void = { _ in }
  ) where Value == Elements.Element? {
    self.init(nil)
    follow(elements, onEnd: onEnd)
  }
}
