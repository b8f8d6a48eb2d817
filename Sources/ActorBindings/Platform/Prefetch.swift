internal import CActorBindings

/// Asks the processor for memory before code needs it.
///
/// A writer of one of very many keys touches objects that no cache holds. Each object has the address of the next, so
/// the writer would wait for the memory of one object after another. If the writer knows the addresses before, it asks
/// for all of that memory at once, and waits only once.
enum Prefetch {
  /// Asks for the first `size` bytes of the object at `address`. Nothing happens if no object is there any more.
  @inline(__always)
  static func object(at address: UInt, size: Int) {
    actor_bindings_prefetch(address, size)
  }
}
