#if Explorer
  public import Synchronization
#endif

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
      explorer?.pass()
    #endif
  }

  /// Runs `body`, which the runtime calls under a lock of its own. So the explorer lets no other thread run meanwhile,
  /// unless `body` must wait for a `Lock`.
  @inlinable
  @inline(__always)
  static func insideRuntime<Result>(_ body: () -> Result) -> Result {
    #if Explorer
      let explorer = explorer
      explorer?.enteredRuntime()
      defer { explorer?.leftRuntime() }
    #endif
    return body()
  }

  /// Whether the explorer controls this thread. If so, what the thread does must depend only on the schedule.
  package static var isExploring: Bool {
    #if Explorer
      explorer?.controlsThisThread() ?? false
    #else
      false
    #endif
  }

  #if Explorer
    /// Controls which thread runs, once it is installed. Other threads may use cells at that time.
    @inlinable
    package static var explorer: ScheduleExplorer? { installed.load() }

    @usableFromInline static let installed = AtomicLazyReference<ScheduleExplorer>()

    package static func install(_ explorer: ScheduleExplorer) {
      _ = installed.storeIfNil(explorer)
    }
  #endif
}

#if Explorer
  /// Decides at each point which thread runs next. The product `ActorBindingsExplorer` makes one.
  ///
  /// A class with functions, because an atomic variable can hold a reference to an object, but no existential value.
  @usableFromInline
  @safe package final class ScheduleExplorer: Sendable {
    let controlsThisThread: @Sendable () -> Bool
    @usableFromInline package let pass: @Sendable () -> Void
    @usableFromInline package let willLock: @Sendable (_ lock: UnsafeRawPointer) -> Void
    @usableFromInline package let didUnlock: @Sendable (_ lock: UnsafeRawPointer) -> Void
    @usableFromInline package let enteredRuntime: @Sendable () -> Void
    @usableFromInline package let leftRuntime: @Sendable () -> Void

    package init(
      controlsThisThread: @escaping @Sendable () -> Bool,
      pass: @escaping @Sendable () -> Void,
      willLock: @escaping @Sendable (UnsafeRawPointer) -> Void,
      didUnlock: @escaping @Sendable (UnsafeRawPointer) -> Void,
      enteredRuntime: @escaping @Sendable () -> Void,
      leftRuntime: @escaping @Sendable () -> Void
    ) {
      self.controlsThisThread = controlsThisThread
      self.pass = pass
      unsafe self.willLock = willLock
      unsafe self.didUnlock = didUnlock
      self.enteredRuntime = enteredRuntime
      self.leftRuntime = leftRuntime
    }
  }
#endif
