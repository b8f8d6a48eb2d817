/// Where the schedule explorer of the tests takes hold: at the lock, and at a few points beside it.
///
/// In a build without the flag `EXPLORER` there is nothing here, and calls of it are nothing.
@usableFromInline
package enum SchedulePoint: Sendable {
  /// Another thread may run now.
  @inlinable
  @inline(__always)
  static func pass() {
    #if EXPLORER
      unsafe explorer?.pass()
    #endif
  }

  /// `body` runs inside the runtime, which holds a lock of its own: nobody else runs unless it must.
  @inlinable
  @inline(__always)
  static func insideRuntime<Result>(_ body: () -> Result) -> Result {
    #if EXPLORER
      unsafe explorer?.enteredRuntime()
      defer { unsafe explorer?.leftRuntime() }
    #endif
    return body()
  }

  /// Whether schedules are explored. Then what a program does must depend on its schedule only.
  static var isExploring: Bool {
    #if EXPLORER
      unsafe explorer != nil
    #else
      false
    #endif
  }

  #if EXPLORER
    /// Controls who runs. Set before the first cell is made.
    @usableFromInline package nonisolated(unsafe) static var explorer: (any ScheduleExplorer)?
  #endif
}

#if EXPLORER
  /// Decides, at each point, which thread runs on.
  @usableFromInline
  package protocol ScheduleExplorer: Sendable {
    func pass()
    func willLock(_ lock: UnsafeRawPointer)
    func didUnlock(_ lock: UnsafeRawPointer)
    func enteredRuntime()
    func leftRuntime()
  }
#endif
