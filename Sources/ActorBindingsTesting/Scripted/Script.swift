import ActorBindings
import ActorBindingsSharing

/// The faults that a `ScriptedStore` has now, and its open connections.
// @unchecked: `lock` guards the variables.
final class Script: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var store: any SharedStore
  // Guarded by `lock`.
  private var faults: Set<ScriptedStore.Fault> = []
  // Guarded by `lock`.
  private var lastChanges: [StoreChange] = []
  // Guarded by `lock`.
  private var open: [ObjectIdentifier: ScriptedConnection] = [:]
  // Guarded by `lock`. The calls that wait for the end of the silence.
  private var silenced: [Int: Resumption] = [:]
  // Guarded by `lock`. Calls that were cancelled before they waited.
  private var cancelled: Set<Int> = []
  // Guarded by `lock`.
  private var lastCall = 0

  init(_ store: any SharedStore) {
    self.store = store
  }

  var base: any SharedStore { lock.withLock { store } }

  /// The store was replaced. Returns the store before, to be released after the lock.
  func replaced(by new: any SharedStore) -> any SharedStore {
    lock.withLock {
      let old = store
      store = new
      return old
    }
  }

  // MARK: Faults

  func began(_ fault: ScriptedStore.Fault) {
    lock.withLock { _ = faults.insert(fault) }
  }

  /// These faults, or all, were ended. Returns the calls that continue.
  func ended(_ ended: Set<ScriptedStore.Fault>?) -> [Resumption] {
    lock.withLock {
      if let ended { faults.subtract(ended) } else { faults = [] }
      guard !faults.contains(.silent) else { return [] }
      defer { silenced = [:] }
      return Array(silenced.values)
    }
  }

  func has(_ fault: ScriptedStore.Fault) -> Bool { lock.withLock { faults.contains(fault) } }

  /// The time that each call takes; nil if the store is not slow.
  var delay: Duration? {
    lock.withLock {
      for case .slow(let delay) in faults { return delay }
      return nil
    }
  }

  /// The message with which the store refuses; nil if it does not.
  var refusal: String? {
    lock.withLock {
      for case .refusing(let message) in faults { return message }
      return nil
    }
  }

  /// Waits for the end of the silence.
  func silenceEnded() async throws {
    let call = lock.withLock {
      lastCall += 1
      return lastCall
    }
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        lock.withLock {
          guard faults.contains(.silent), !cancelled.contains(call) else { return false }
          silenced[call] = resumption
          return true
        }
      }
    } onCancel: {
      lock.withLock { () -> Resumption? in
        cancelled.insert(call)
        return silenced.removeValue(forKey: call)
      }?.resume()
    }
    lock.withLock { _ = cancelled.remove(call) }
    try Task.checkCancellation()
  }

  // MARK: Connections

  /// A connection yields changes.
  func yielded(_ changes: [StoreChange]) {
    lock.withLock { lastChanges = (lastChanges + changes).suffix(8) }
  }

  /// The changes with which a new connection begins.
  var lateChanges: [StoreChange] {
    lock.withLock { faults.contains(.lateChanges) ? lastChanges : [] }
  }

  var connections: [ScriptedConnection] { lock.withLock { Array(open.values) } }

  var connectionCount: Int { lock.withLock { open.count } }

  func opened(_ connection: ScriptedConnection) {
    lock.withLock { open[ObjectIdentifier(connection)] = connection }
  }

  func closed(_ connection: ScriptedConnection) {
    _ = lock.withLock { open.removeValue(forKey: ObjectIdentifier(connection)) }
  }
}
