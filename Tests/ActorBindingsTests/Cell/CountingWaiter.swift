import ActorBindings
import Synchronization

/// A waiter that a test can park, and that counts how often it was woken. The waiter is a lane that was closed at once,
/// because the context of the lane runs nothing.
final class CountingWaiter: Sendable {
  let waiter: Waiter
  private let record = Recorder<Void>()

  var wakes: Int { record.count }

  init(_ onWake: @escaping @Sendable () -> Void = {}) {
    let cell = BindableActor(0)
    let lane = Mutex<Waiter?>(nil)
    let isReady = Atomic(false)
    let context = DeliveryContext(id: ObjectIdentifier(record)) { [record, cell = cell.cell] _ in
      guard !isReady.load(ordering: .relaxed) else {
        record.record(())
        return onWake()
      }
      lane.withLock { $0 = cell.locked { $0.delivererTable.all.first } }
    }
    _ = cell.observe(on: context) { _ in }
    isReady.store(true, ordering: .relaxed)
    guard let closed = lane.withLock({ $0.take() }) else { preconditionFailure("no lane was made") }
    waiter = closed
  }
}
