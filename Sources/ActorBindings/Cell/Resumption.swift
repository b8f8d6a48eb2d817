/// A suspended task, to be resumed once: after the lock.
@safe
@usableFromInline
package struct Resumption: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  private init(_ continuation: UnsafeContinuation<Void, Never>) {
    unsafe self.continuation = continuation
  }

  package func resume() {
    unsafe continuation.resume()
    // Who was resumed may have gone far before this returns.
    SchedulePoint.pass()
  }

  /// Suspends the current task. `park` puts the resumption where somebody will find it; if it returns false,
  /// there was nothing to wait for, and the task goes on.
  @inline(__always)
  nonisolated(nonsending) package static func suspend(until park: (Resumption) -> Bool) async {
    unsafe await withUnsafeContinuation { continuation in
      let resumption = unsafe Resumption(continuation)
      if !park(resumption) { resumption.resume() }
    }
    ThreadSanitizer.didResume()
  }
}
