// @unchecked: `lock` guards the variables.
/// A container of tokens. When the bag is disposed of or deallocated, it ends the observations of all its tokens at
/// once, cancels its tasks, and runs its actions.
public final class DisposeBag: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var contents: [BindingToken] = []
  // Guarded by `lock`.
  private var kept: [any Sendable] = []
  // Guarded by `lock`.
  private var isOver = false
  // Guarded by `lock`. The number of tokens at which the bag removes the tokens whose observations have ended.
  private var sweepSize = 16

  /// Creates an empty bag.
  public init() {}

  deinit {
    // No other thread can access the bag any more, so this needs no lock.
    contents.forEach { $0.cancel() }
  }

  /// Puts tokens into the bag. A bag that has been disposed of cancels them at once.
  public func insert(_ tokens: BindingToken...) {
    insert(tokens)
  }

  /// Puts the tokens of a list into the bag. A bag that has been disposed of cancels them at once.
  ///
  /// ```swift
  /// bag.insert {
  ///   user.bind(\.name, to: title, \.text)
  ///   if isAdmin { audit.observe(on: .queue(log)) { print($0) } }
  /// }
  /// ```
  public func insert(@TokenListBuilder _ tokens: () -> [BindingToken]) {
    insert(tokens())
  }

  /// Puts an array of tokens into the bag. A bag that has been disposed of cancels them at once.
  public func insert(_ tokens: [BindingToken]) {
    let insertion = lock.withLock { insertWhileLocked(tokens) }
    withExtendedLifetime(insertion.ended) {}
    if !insertion.isTaken { tokens.forEach { $0.cancel() } }
  }

  private func insertWhileLocked(_ tokens: [BindingToken]) -> Insertion {
    if isOver { return Insertion(isTaken: false) }
    contents.append(contentsOf: tokens)
    return Insertion(isTaken: true, ended: sweepWhileLocked())
  }

  private struct Insertion: Sendable {
    /// False if the bag has been disposed of.
    let isTaken: Bool
    /// The tokens that the bag held before it looked for ended tokens; empty if it did not look. Released after the
    /// lock.
    var ended: [BindingToken] = []
  }

  /// Starts a task that the bag cancels when it is disposed of or deallocated.
  ///
  /// ```swift
  /// bag.addTask { [weak self] in
  ///   for await price in prices.values { self?.show(price) }
  /// }
  /// ```
  ///
  /// The task does not keep the bag alive. If the closure refers to an object that holds the bag, capture that object
  /// weakly; otherwise both live until the task ends. A bag that has been disposed of cancels the task at once.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task; nil for the priority of the caller's task.
  ///   - operation: The function to run. Like a child of a task group, it runs on no actor, unless it says so.
  /// - Returns: A token that cancels the task. Its `cancelAndWait()` also waits until the task has ended, so do not
  ///   call that in the task itself. The token is no longer active when it was cancelled or when the task has ended.
  @discardableResult
  public func addTask(
    priority: TaskPriority? = nil,
    operation: sending @escaping @isolated(any) () async -> Void
  ) -> BindingToken {
    let task = CancellableTask()
    task.start(priority: priority, operation)
    let token = BindingToken(task)
    insert(token)
    return token
  }

  /// Calls `action` when the bag is disposed of or deallocated, or at once if the bag has been disposed of.
  ///
  /// `action` runs once, without a lock, on the thread that disposes of the bag. The tokens of the bag end and the
  /// actions run in the order in which they were put in.
  public func onDispose(_ action: @escaping @Sendable () -> Void) {
    insert(BindingToken(onCancel: action))
  }

  /// Keeps `object` alive until the bag is disposed of or deallocated.
  ///
  /// Use this method for a service or a derived cell that no other code holds.
  ///
  /// ```swift
  /// let title = bag.keep(BindableActor(of: user.map(\.title)))
  /// ```
  ///
  /// If `object` itself holds the bag, directly or in a closure, both live for ever, unless the bag is disposed of.
  ///
  /// - Returns: The object. A bag that has been disposed of does not keep it alive.
  @discardableResult
  public func keep<Object: Sendable>(_ object: Object) -> Object {
    lock.withLock {
      if !isOver { kept.append(object) }
    }
    return object
  }

  /// Cancels all tokens in the bag and releases the objects that it keeps.
  ///
  /// After this, the bag cancels each token that is put into it.
  public func dispose() {
    // The tokens stay in the bag until all are cancelled. So another thread that disposes of the bag meanwhile cancels
    // them too, and need not wait.
    let tokens = lock.withLock {
      isOver = true
      return contents
    }
    tokens.forEach { $0.cancel() }
    // Tokens and objects are released after the lock.
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

  /// The number of tokens in the bag, including tokens that have ended and were not removed yet. For tests.
  package var tokenCount: Int {
    lock.withLock { contents.count }
  }

  // Removes the tokens whose observations have ended. Otherwise such tokens would pile up in a long-lived bag. Returns
  // the tokens that the bag held before, or an empty array if it is too early to look for ended tokens. The caller
  // releases the result after the lock.
  private func sweepWhileLocked() -> [BindingToken] {
    let all = contents
    guard all.count >= sweepSize else { return [] }
    let alive = all.filter { !$0.hasEnded }
    contents = alive
    sweepSize = max(16, 2 * alive.count)
    return all
  }
}
