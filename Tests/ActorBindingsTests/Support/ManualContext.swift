import ActorBindings

/// A delivery context that a test pumps by hand, on any thread. The clock of the context stands still, so no turn ends
/// only because the thread of the test had to wait for a processor.
final class ManualContext: Sendable {
  private let jobs = Guarded<[@Sendable () -> Void]>([])
  private let id: Int

  private static let ids = Guarded(0)

  init() {
    id = Self.ids.withLock { ids in
      ids += 1
      return ids
    }
  }

  var delivery: DeliveryContext {
    DeliveryContext(id: id, now: { 0 }) { [weak self] job in
      self?.add(job)
    }
  }

  var pending: Int { jobs.withLock { $0.count } }

  func add(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
  }

  /// Runs one job, if there is one.
  @discardableResult
  func runOne() -> Bool {
    let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    job?()
    return job != nil
  }

  /// Runs jobs until there are none.
  func run() {
    while runOne() {}
  }

  /// Drops waiting jobs, like an event loop that shuts down.
  func drop() {
    let dropped = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    _ = consume dropped
  }
}
