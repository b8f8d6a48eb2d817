/// The points at which the product `ActorBindingsExplorer` switches threads: at the lock, and at a few other points.
///
/// In a build without the trait `Explorer` these functions are empty, and a call of them costs nothing.
@usableFromInline
package enum SchedulePoint: Sendable {
  /// Lets the explorer run another thread.
  @inlinable
  @inline(__always)
  static func pass() {
    #if Explorer
      unsafe explorer?.pass()
    #endif
  }

  /// Runs `body`, which the runtime calls under a lock of its own. So the explorer lets no other thread run meanwhile,
  /// unless `body` must wait for a `Lock`.
  @inlinable
  @inline(__always)
  static func insideRuntime<Result>(_ body: () -> Result) -> Result {
    #if Explorer
      unsafe explorer?.enteredRuntime()
      defer { unsafe explorer?.leftRuntime() }
    #endif
    return body()
  }

  /// Whether the explorer runs. If so, what the program does must depend only on the schedule.
  static var isExploring: Bool {
    #if Explorer
      unsafe explorer != nil
    #else
      false
    #endif
  }

  #if Explorer
    /// Controls which thread runs. Set by the explorer before its program makes the first cell.
    @usableFromInline package nonisolated(unsafe) static var explorer: (any ScheduleExplorer)?
  #endif
}

#if Explorer
  /// Decides at each point which thread runs next.
  @usableFromInline
  package protocol ScheduleExplorer: Sendable {
    func pass()
    func willLock(_ lock: UnsafeRawPointer)
    func didUnlock(_ lock: UnsafeRawPointer)
    func enteredRuntime()
    func leftRuntime()
  }
#endif
