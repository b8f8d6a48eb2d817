/// A suspended task, to be resumed once, after the lock.
@safe
@usableFromInline
package struct Resumption: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  private init(_ continuation: UnsafeContinuation<Void, Never>) {
    unsafe self.continuation = continuation
  }

  package func resume() {
    unsafe continuation.resume()
    // The resumed task may have run far before this method returns.
    SchedulePoint.pass()
  }

  /// Suspends the current task.
  ///
  /// - Parameter park: A function that stores the resumption where another thread will find it. It returns false if
  ///   there is nothing to wait for: then the task continues.
  @inline(__always)
  nonisolated(nonsending) package static func suspend(until park: (Resumption) -> Bool) async {
    unsafe await withUnsafeContinuation { continuation in
      let resumption = unsafe Resumption(continuation)
      if !park(resumption) { resumption.resume() }
    }
    ThreadSanitizer.didResume()
  }
}
