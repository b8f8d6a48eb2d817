// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Guesses of conversions and operators.

// Conversions to a source: a cell is a source already.
extension BindingSource {
  @available(*, unavailable, message: "a cell is a source itself: observe, map or stream it")
  public var publisher: Self { refused() }

  @available(*, unavailable, message: "a cell is a source itself: observe, map or stream it")
  public var projectedValue: Self { refused() }

  @available(
    *,
    unavailable,
    message: "a cell is a source itself; return it as `some BindingSource`, or its `readOnly`"
  )
  public func asObservable() -> Self { refused() }

  @available(*, unavailable, message: "sources do not fail: observe it on the main actor, or with on: .main")
  public func asDriver() -> Self { refused() }

  @available(*, unavailable, renamed: "readOnly")
  public func asStateFlow() -> Self { refused() }

  @available(*, unavailable, message: "use erased(), or return it as `some BindingSource<Value>`")
  public func eraseToAnyPublisher() -> Self { refused() }

  @available(
    *,
    unavailable,
    message: "readers share a cell already; BindableActor(of:) computes once for all readers"
  )
  public func share() -> Self { refused() }

  @available(
    *,
    unavailable,
    message: "readers share a cell already; BindableActor(of:) computes once for all readers"
  )
  public func share(replay: Int) -> Self { refused() }
}

// Guesses of where operators run.
extension BindingSource {
  @available(*, unavailable, message: "say it where you observe: observe(on: .queue(queue)) { … }")
  public func receive<Scheduler: AnyObject>(on scheduler: Scheduler) -> Self { refused() }

  @available(*, unavailable, message: "say it where you observe: observe(on: .queue(queue)) { … }")
  public func observe<Scheduler: AnyObject>(on scheduler: Scheduler) -> Self { refused() }

  @available(*, unavailable, message: "a source starts no work; say where handlers run by observe(on:_:)")
  public func subscribe<Scheduler: AnyObject>(on scheduler: Scheduler) -> Self { refused() }
}

// Guesses of operators by other names.
extension BindingSource {
  @available(*, unavailable, renamed: "removeDuplicates()")
  public func distinctUntilChanged() -> Self { refused() }

  @available(*, unavailable, renamed: "removeDuplicates()")
  public func skipRepeats() -> Self { refused() }

  @available(*, unavailable, renamed: "dropFirst(_:)")
  public func skip(_ count: Int) -> Self { refused() }

  @available(*, unavailable, renamed: "dropFirst(_:)")
  public func skip(first count: Int) -> Self { refused() }

  @available(*, unavailable, renamed: "prefix(_:)")
  public func take(_ count: Int) -> Self { refused() }

  @available(*, unavailable, renamed: "withPrevious()")
  public func pairwise() -> Self { refused() }

  @available(*, unavailable, renamed: "withPrevious()")
  public func adjacentPairs() -> Self { refused() }

  @available(*, unavailable, renamed: "withPrevious()")
  public func combinePrevious() -> Self { refused() }

  @available(*, unavailable, message: "use compactMap { $0 }")
  public func compacted() -> Self { refused() }

  @available(*, unavailable, renamed: "scan(_:_:)")
  public func reductions<Result>(_ initial: Result, _ add: @escaping (Result, Value) -> Result) -> Self {
    refused()
  }

  @available(*, unavailable, message: "use map { … other.value }, or combineLatest(_:_:)")
  public func withLatestFrom<Other: BindingSource>(_ other: Other) -> Self { refused() }

  @available(*, unavailable, message: "use flatMapLatest(_:), or a loop whose body awaits")
  public func flatMap<Inner: BindingSource>(_ transform: @escaping (Value) -> Inner) -> Inner { refused() }

  @available(
    *,
    unavailable,
    message: "a source begins with its current value; if it may have none, use orInitially(_:)"
  )
  public func prepend(_ value: Value) -> Self { refused() }

  @available(
    *,
    unavailable,
    message: "a source begins with its current value; if it may have none, use orInitially(_:)"
  )
  public func startWith(_ value: Value) -> Self { refused() }

  @available(*, unavailable, message: "use handleEvents(onValue:); for an effect, observe(_:)")
  public func handleEvents(receiveOutput: @escaping (Value) -> Void) -> Self { refused() }

  @available(*, unavailable, message: "use handleEvents(onValue:); for an effect, observe(_:)")
  public func `do`(onNext: @escaping (Value) -> Void) -> Self { refused() }

  @available(*, unavailable, message: "use debounce(for:clock:): a clock measures the time, not a scheduler")
  public func debounce<Scheduler>(for quiet: Duration, scheduler: Scheduler) -> Self { refused() }

  @available(
    *,
    unavailable,
    message: "use throttle(for:latest:clock:): a clock measures the time, not a scheduler"
  )
  public func throttle<Scheduler>(for interval: Duration, scheduler: Scheduler, latest: Bool = true) -> Self {
    refused()
  }
}
