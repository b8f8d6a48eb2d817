public import CActorBindings

/// Tells the thread sanitizer about orderings that it cannot see.
///
/// The standard library is not compiled for the sanitizer. So the sanitizer misses the orderings that three parts of
/// that library make: the slow path of `Mutex`, a continuation that is resumed before its task suspends, and reference
/// counting. Without the functions below, the sanitizer would report races in correct programs.
///
/// In a build without the sanitizer, each call of these functions costs a load of a constant and a branch that is never
/// taken.
@usableFromInline
package enum ThreadSanitizer: Sendable {
  /// Whether the program was built with `--sanitize=thread`. The answer is also right in a client into which this
  /// property is inlined, because the package manager builds all packages with the same options.
  @inlinable
  @inline(__always)
  package static var isOn: Bool { _slowPath(actor_bindings_thread_sanitizer_is_on) }

  /// The calling thread has taken `lock`.
  @inlinable
  @inline(__always)
  static func didLock(_ lock: borrowing Lock) {
    if isOn { unsafe actor_bindings_thread_sanitizer_acquire(lock.address) }
  }

  /// The calling thread is about to release `lock`.
  @inlinable
  @inline(__always)
  static func willUnlock(_ lock: borrowing Lock) {
    if isOn { unsafe actor_bindings_thread_sanitizer_release(lock.address) }
  }

  /// The current task has been resumed. The runtime tells the sanitizer which thread resumes a task, but it does not do
  /// so if the task was resumed before it suspended.
  static func didResume() {
    guard isOn else { return }
    unsafe withUnsafeCurrentTask { task in
      guard let task = unsafe task else { return }
      unsafe actor_bindings_thread_sanitizer_acquire(unsafeBitCast(task, to: UnsafeRawPointer.self))
    }
  }
}

// MARK: - Writing in place

// A writer that finds itself the only owner of an object writes in place. Readers that have released the object have
// finished reading, but the sanitizer does not know that: it reports their reads as a race. So under the sanitizer a
// writer holds a second reference until it has written. Then the writer finds the object shared, and writes to a copy.
extension ThreadSanitizer {
  /// Returns a second reference to `object` under the sanitizer, and nil without it.
  @inlinable
  @inline(__always)
  static func secondReference<Object: AnyObject>(to object: Object?) -> Object? {
    isOn ? object : nil
  }

  /// Returns a copy of `value` under the sanitizer, and nil without it. The copy is a second reference to each object
  /// to which `value` refers.
  @inlinable
  @inline(__always)
  static func secondCopy<Value>(of value: Value) -> Value? {
    isOn ? value : nil
  }

  /// Ends the life of a second reference or copy.
  @inlinable
  @inline(__always)
  static func release<Second>(_ second: Second?) {
    withExtendedLifetime(second) {}
  }
}
