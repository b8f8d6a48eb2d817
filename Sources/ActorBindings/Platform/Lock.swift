public import Synchronization

/// The only lock of this library.
///
/// A thread holds the lock for nanoseconds, to *decide*. The thread acts on the decision after the lock: code that
/// holds the lock resumes, enqueues and calls nothing, and releases no value, closure or owner. This rule has no
/// exception.
///
/// The runtime holds a task's status lock while it runs a cancellation handler, and resuming a task takes that lock
/// too. So a library will deadlock some day if it resumes a task under a lock that the task's cancellation handler also
/// takes.
@usableFromInline
package struct Lock: ~Copyable, Sendable {
  @usableFromInline let mutex = Mutex<Void>(())

  @inlinable
  package init() {}

  /// Runs `body` with the lock held. `body` may move values about, but must run no user code.
  @inlinable
  @inline(__always)
  package borrowing func withLock<Result: Sendable>(_ body: () -> Result) -> Result {
    #if Explorer
      let explorer = SchedulePoint.explorer
      unsafe explorer?.willLock(address)
      defer { unsafe explorer?.didUnlock(address) }
    #endif
    return mutex.withLock { _ in
      ThreadSanitizer.didLock(self)
      defer { ThreadSanitizer.willUnlock(self) }
      return body()
    }
  }
}

// For callers that take several locks at once. All these callers must take the locks in the same order.
extension Lock {
  package borrowing func lock() {
    #if Explorer
      unsafe SchedulePoint.explorer?.willLock(address)
    #endif
    mutex._unsafeLock()
    ThreadSanitizer.didLock(self)
  }

  package borrowing func unlock() {
    ThreadSanitizer.willUnlock(self)
    mutex._unsafeUnlock()
    #if Explorer
      unsafe SchedulePoint.explorer?.didUnlock(address)
    #endif
  }
}

extension Lock {
  /// The address by which the thread sanitizer and the explorer know this lock.
  @inlinable
  @inline(__always)
  var address: UnsafeRawPointer {
    unsafe withUnsafePointer(to: self) { unsafe UnsafeRawPointer($0) }
  }
}
