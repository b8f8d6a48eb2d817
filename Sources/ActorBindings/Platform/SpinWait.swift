public import Synchronization

/// A short wait of a thread that spins: it does nothing, and leaves alone the memory that another thread writes.
@usableFromInline
enum SpinWait: Sendable {
  /// The number of steps in one wait, which takes about a hundred nanoseconds.
  @inlinable static var steps: Int { 256 }

  @inlinable
  static func once() {
    // A load of an atomic is a step that the compiler does not remove.
    let ownMemory = Atomic(false)
    for _ in 0..<steps { _ = ownMemory.load(ordering: .relaxed) }
  }
}
