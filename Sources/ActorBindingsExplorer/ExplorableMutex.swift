public import Synchronization

#if Explorer
  import ActorBindings
#endif

/// A mutex that an exploration controls.
///
/// In a build with the trait `Explorer`, the explorer may run another task before the mutex is taken and after it is freed,
/// and finds deadlocks. In other builds it adds nothing to the `Mutex` of the standard library that it holds.
///
/// ```swift
/// final class Stock: Sendable {
///   private let items = ExplorableMutex<[String: Int]>([:])
///
///   func take(_ name: String) -> Bool {
///     items.withLock { items in
///       guard let count = items[name], count > 0 else { return false }
///       items[name] = count - 1
///       return true
///     }
///   }
/// }
/// ```
public struct ExplorableMutex<Value: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>

  /// Makes a mutex that guards a value.
  @inlinable
  public init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs `body` with exclusive access to the value.
  @inlinable
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    #if Explorer
      willLock()
      defer { didUnlock() }
    #endif
    return try mutex.withLock(body)
  }

  #if Explorer
    @usableFromInline
    borrowing func willLock() {
      withUnsafePointer(to: self) { SchedulePoint.explorer?.willLock(UnsafeRawPointer($0)) }
    }

    @usableFromInline
    borrowing func didUnlock() {
      withUnsafePointer(to: self) { SchedulePoint.explorer?.didUnlock(UnsafeRawPointer($0)) }
    }
  #endif
}
