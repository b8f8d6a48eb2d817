#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#endif

/// A thread-local word of memory: 0 until the thread sets it.
///
/// The word is a plain number: when its thread ends, nothing is released.
struct ThreadLocalWord: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key, nil)
    precondition(status == 0, "the system has no room for one more word per thread")
    self.key = key
  }

  /// The word of the calling thread.
  var value: UInt {
    get { unsafe UInt(bitPattern: pthread_getspecific(key)) }
    nonmutating set { _ = unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
  }
}
