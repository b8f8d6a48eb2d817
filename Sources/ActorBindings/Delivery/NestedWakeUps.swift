/// Keeps wake-ups that are served at once from nesting without end.
///
/// A context may run its work at once, in its `schedule`. A handler there that writes to a second cell wakes a lane of that
/// cell, whose handler writes to a third one, and so on: each runs on the stack of the one before. So on each thread only
/// `deepest` wake-ups nest. Those that come deeper wait for the outermost one, which makes them before it returns.
enum NestedWakeUps {
  static let deepest: UInt = 64

  // How many wake-ups are under way on a thread, each inside the one before.
  private static let depth = ThreadWord()
  // The address of a retained `Deferred`, or 0.
  private static let deferred = ThreadWord()

  // One thread's own.
  private final class Deferred {
    var lanes: [Lane] = []
  }

  /// Enqueues `lane`, now or before the outermost call on this thread returns.
  static func perform(_ lane: Lane) {
    let depth = depth.value
    if depth >= deepest { return deferWakeUp(of: lane) }
    Self.depth.value = depth + 1
    lane.enqueue()
    if depth == 0 { performDeferred() }
    Self.depth.value = depth
  }

  private static func deferWakeUp(of lane: Lane) {
    if let known = unsafe UnsafeRawPointer(bitPattern: deferred.value) {
      unsafe Unmanaged<Deferred>.fromOpaque(known).takeUnretainedValue().lanes.append(lane)
    } else {
      let list = Deferred()
      list.lanes.append(lane)
      deferred.value = unsafe UInt(bitPattern: Unmanaged.passRetained(list).toOpaque())
    }
  }

  private static func performDeferred() {
    while let list = unsafe UnsafeRawPointer(bitPattern: deferred.value) {
      deferred.value = 0
      for lane in unsafe Unmanaged<Deferred>.fromOpaque(list).takeRetainedValue().lanes { lane.enqueue() }
    }
  }
}
