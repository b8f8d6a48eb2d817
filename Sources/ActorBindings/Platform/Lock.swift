public import Synchronization

/// The only lock of this library.
///
/// It is held for nanoseconds, to *decide*. What was decided is done after it: nothing is resumed, enqueued
/// or called under it, and no value, closure or owner is released under it. The runtime holds a task's status
/// lock while it runs a cancellation handler, and resuming a task takes that lock too; a library that resumes
/// under a lock which its cancellation handler also takes will hang some day. This rule has no exception.
@usableFromInline
package struct Lock: ~Copyable, Sendable {
  @usableFromInline let mutex = Mutex<Void>(())

  @inlinable
  package init() {}

  /// Runs `body` alone. `body` may move values about; it must not run anybody else's code.
  @inlinable
  @inline(__always)
  package borrowing func withLock<Result: Sendable>(_ body: () -> Result) -> Result {
    #if EXPLORER
      unsafe SchedulePoint.explorer?.willLock(address)
      defer { unsafe SchedulePoint.explorer?.didUnlock(address) }
    #endif
    return mutex.withLock { _ in
      ThreadSanitizer.didLock(self)
      defer { ThreadSanitizer.willUnlock(self) }
      return body()
    }
  }
}

// Several locks at once, for who takes them in the order that everybody takes them in.
extension Lock {
  package borrowing func lock() {
    #if EXPLORER
      unsafe SchedulePoint.explorer?.willLock(address)
    #endif
    mutex._unsafeLock()
    ThreadSanitizer.didLock(self)
  }

  package borrowing func unlock() {
    ThreadSanitizer.willUnlock(self)
    mutex._unsafeUnlock()
    #if EXPLORER
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
