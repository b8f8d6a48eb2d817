// @unchecked: `contents` is guarded by `lock`.
/// Ends, all at once, the observations whose tokens were put in: when it is disposed of, or dies.
public final class DisposeBag: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var contents: [BindingToken] = []
  // Guarded by `lock`.
  private var kept: [any Sendable] = []
  // Guarded by `lock`.
  private var isOver = false
  // Guarded by `lock`. At this size the ended are looked for.
  private var sweepSize = 16

  /// An empty bag.
  public init() {}

  deinit {
    // Nobody else is here any more.
    contents.forEach { $0.cancel() }
  }

  /// Puts tokens in. A bag that has been disposed of cancels them at once.
  public func insert(_ tokens: BindingToken...) {
    // What is let go of, is let go of after the lock.
    let (isTaken, ended) = lock.withLock { () -> (Bool, [BindingToken]) in
      if isOver { return (false, []) }
      contents.append(contentsOf: tokens)
      return (true, sweep())
    }
    _ = consume ended
    if !isTaken { tokens.forEach { $0.cancel() } }
  }

  /// Keeps `object` alive until the bag is disposed of, or dies: a service, or a derived cell, that nobody else holds.
  ///
  /// ```swift
  /// let title = bag.keep(BindableActor(of: user.map(\.title)))
  /// ```
  ///
  /// What holds the bag itself, also by a closure, would keep both for ever, unless the bag is disposed of.
  ///
  /// - Returns: The object. A bag that has been disposed of does not keep it.
  @discardableResult
  public func keep<Object: Sendable>(_ object: Object) -> Object {
    lock.withLock {
      if !isOver { kept.append(object) }
    }
    return object
  }

  /// Cancels everything that was put in, and from now on whatever is put in; and lets go of what it keeps.
  public func dispose() {
    // They stay in until all are cancelled: who disposes of the bag meanwhile cancels them too, and need not wait.
    let tokens = lock.withLock {
      isOver = true
      return contents
    }
    tokens.forEach { $0.cancel() }
    // What is let go of, is let go of after the lock.
    var ended: [BindingToken] = []
    var forgotten: [any Sendable] = []
    lock.withLock {
      swap(&contents, &ended)
      swap(&kept, &forgotten)
    }
  }

  /// Whether the bag has been disposed of.
  public var isDisposed: Bool {
    lock.withLock { isOver }
  }

  // A bag that lives long does not collect what ended long ago.
  private func sweep() -> [BindingToken] {
    let all = contents
    guard all.count >= sweepSize else { return [] }
    let alive = all.filter { !$0.hasEnded }
    contents = alive
    sweepSize = max(16, 2 * alive.count)
    return all
  }
}
