// Following a feed whose line may drop. `BindableCell+Follow.swift` follows a sequence that is there once.

extension BindableCell {
  /// Sends each element of a feed to this cell, and opens the feed again when it fails.
  ///
  /// ```swift
  /// let link = BindableActor(LinkState.idle)
  /// price.follow(retry: .backoff(jitter: 0.2), link: link) {
  ///   try await exchange.subscribe("ACME")
  /// }
  /// link.bind(to: lamp, \.color) { $0.isLive ? .green : .red }
  /// ```
  ///
  /// A separate task opens the feed and iterates its sequence. After a failure the task asks `retry` for a delay,
  /// waits, and calls `open` again. The attempts count from 1 again when an element has come. So a server that accepts
  /// a connection and closes it at once is asked less and less often. Between two sequences the cell keeps the last
  /// element. Elements that the feed yields while the line is down are lost, unless `open` asks for them.
  ///
  /// The task ends when the policy gives up, when a sequence ends without an error, when the token is cancelled, and
  /// when the cell ends. It keeps neither this cell nor `link` alive.
  ///
  /// - Parameters:
  ///   - retry: Decides after each failure whether to try again, and when.
  ///   - clock: Measures the delays. If its `sleep` fails, the following ends with the failure of the feed.
  ///   - reopensAtEnd: Whether a sequence that ends without an error counts as a failure too. Then `retry` is asked
  ///     with the error ``FeedEnded``.
  ///   - link: A cell that shows the state of the link: `connecting`, `live` once `open` has returned, `waiting`, and
  ///     at the end `ended`. Several followings should not share a cell.
  ///   - open: Opens the feed. It should end when its task is cancelled, and so should the sequence that it returns.
  ///     Until then the task lives on, but the cell receives nothing more. The task holds what `open` captures.
  ///   - onEnd: Called once, on that task, with the reason for the end.
  /// - Returns: A token to stop earlier. The caller need not keep it. After `cancel()`, the task sends nothing more to
  ///   this cell, except an element that it is sending at that moment. `cancelAndWait()` also waits until the task has
  ///   sent that element.
  @discardableResult
  public nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    retry: RetryPolicy,
    clock: any Clock<Duration> = ContinuousClock(),
    reopensAtEnd: Bool = false,
    link: BindableActor<LinkState>? = nil,
    opening open: @escaping @Sendable () async throws -> sending Elements,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) -> BindingToken where Elements.Element == Value {
    let feed = Feed(open: open, retry: retry, clock: clock, reopensAtEnd: reopensAtEnd, link: link?.cell)
    let cell = cursor.cell
    return cell.follow(feed, writing: { cell.send($0) }, onEnd: onEnd)
  }

  /// Sends each element of a feed to this cell, whose value is an optional, and opens the feed again when it fails: see
  /// the other `follow(retry:…)`.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    retry: RetryPolicy,
    clock: any Clock<Duration> = ContinuousClock(),
    reopensAtEnd: Bool = false,
    link: BindableActor<LinkState>? = nil,
    opening open: @escaping @Sendable () async throws -> sending Elements,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) -> BindingToken where Value == Elements.Element? {
    let feed = Feed(open: open, retry: retry, clock: clock, reopensAtEnd: reopensAtEnd, link: link?.cell)
    let cell = cursor.cell
    return cell.follow(feed, writing: { cell.send($0) }, onEnd: onEnd)
  }

  /// Changes the value with each element of a feed, and opens the feed again when it fails.
  ///
  /// ```swift
  /// prices.follow(retry: .backoff()) {
  ///   try await exchange.ticks()
  /// } applying: { prices, tick in
  ///   prices[tick.symbol] = tick.price
  /// }
  /// ```
  ///
  /// Apart from `body`, this behaves as the other `follow(retry:…)` does. `body` runs as the body of `modify` does: on
  /// a copy, without a lock, and again if another writer publishes first.
  @discardableResult
  public nonisolated func follow<Elements: AsyncSequence & SendableMetatype>(
    retry: RetryPolicy,
    clock: any Clock<Duration> = ContinuousClock(),
    reopensAtEnd: Bool = false,
    link: BindableActor<LinkState>? = nil,
    opening open: @escaping @Sendable () async throws -> sending Elements,
    applying body: @escaping @Sendable (inout Value, Elements.Element) -> Void,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) -> BindingToken {
    let feed = Feed(open: open, retry: retry, clock: clock, reopensAtEnd: reopensAtEnd, link: link?.cell)
    let cell = cursor.cell
    return cell.follow(feed, writing: { element in cell.modify { body(&$0, element) } }, onEnd: onEnd)
  }
}

extension EventSource {
  /// Sends each element of a sequence to the readers that observe at that time, until the sequence or this source ends.
  ///
  /// - Parameters:
  ///   - elements: The sequence. It should end when its task is cancelled.
  ///   - onEnd: Called once, on the task that iterates the sequence, with the reason for the end.
  /// - Returns: A token to stop earlier. The caller need not keep it.
  @discardableResult
  public func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: sending Elements,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) -> BindingToken where Elements.Element == Event {
    let cell = cell.cell
    return cell.follow(elements, writing: { cell.send($0) }, onEnd: onEnd)
  }

  /// Sends each element of a feed to the readers that observe at that time, and opens the feed again when it fails: see
  /// `follow(retry:…)` of a cell.
  @discardableResult
  public func follow<Elements: AsyncSequence & SendableMetatype>(
    retry: RetryPolicy,
    clock: any Clock<Duration> = ContinuousClock(),
    reopensAtEnd: Bool = false,
    link: BindableActor<LinkState>? = nil,
    opening open: @escaping @Sendable () async throws -> sending Elements,
    onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
  ) -> BindingToken where Elements.Element == Event {
    let feed = Feed(open: open, retry: retry, clock: clock, reopensAtEnd: reopensAtEnd, link: link?.cell)
    let cell = cell.cell
    return cell.follow(feed, writing: { cell.send($0) }, onEnd: onEnd)
  }
}
