/// Limits how deeply wake-ups nest if contexts run their work at once.
///
/// A context may run its work at once, inside `schedule`. If a handler on such a context writes to a second cell, the
/// write wakes a lane of that cell. The handler of that lane may write to a third cell, and so on: each handler runs on
/// the stack of the handler before it. So on each thread at most `deepest` wake-ups nest. Deeper wake-ups are deferred:
/// the outermost wake-up performs them before it returns.
enum NestedWakeUps {
  static let deepest: UInt = 64

  private static var depth: ThreadLocalWord { .wakeUpDepth }
  // The address of a retained `Deferred`, or 0.
  private static var deferred: ThreadLocalWord { .deferredWakeUps }

  // The wake-ups that a thread has deferred. Only that thread accesses this object.
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
