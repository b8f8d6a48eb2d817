internal import CActorBindings

/// A thread-local word of memory: 0 until the thread sets it. Each use has a word of its own.
///
/// The word is a plain number: when its thread ends, nothing is released.
enum ThreadLocalWord: Int {
  /// The number of wake-ups that are under way, each inside the wake-up before it.
  case wakeUpDepth
  /// The address of the retained list of deferred wake-ups, or 0.
  case deferredWakeUps
  /// The number of steps that calls have counted since one of these calls had to yield.
  case uncountedSteps

  /// The word of the calling thread.
  var value: UInt {
    get { unsafe actor_bindings_thread_local_words()[rawValue] }
    nonmutating set { unsafe actor_bindings_thread_local_words()[rawValue] = newValue }
  }
}
