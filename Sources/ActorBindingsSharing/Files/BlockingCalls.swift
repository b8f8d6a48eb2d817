internal import ActorBindings
internal import Dispatch

/// Runs calls that block a thread, one after another, on a queue of their own.
///
/// The calls read files, wait for the disk and wait for the lock of a folder. They never run on a thread of the
/// cooperative pool. A caller waits without a thread. It stops waiting when its task is cancelled, or when the lock
/// stays taken for too long, as long as its call has not *begun* to change the folder.
// @unchecked: `lock` guards the variables.
final class BlockingCalls: @unchecked Sendable {
  private let queue: DispatchQueue
  private let clock: any Clock<Duration>
  private let patience: Duration
  private let busy: StoreError
  private let lock = Lock()
  // Guarded by `lock`.
  private var waiting: [ObjectIdentifier: BlockingCall] = [:]
  // Guarded by `lock`.
  private var watchdog: Task<Void, Never>?

  /// - Parameter patience: The time for which the lock may stay taken before callers receive `busy`.
  init(label: String, clock: any Clock<Duration>, patience: Duration, busy: StoreError) {
    queue = DispatchQueue(label: label)
    self.clock = clock
    self.patience = patience
    self.busy = busy
  }

  /// Runs `work` on the queue, and returns its result. `work` gets the call, to tell it when it begins.
  func run<R: Sendable>(_ work: @escaping @Sendable (BlockingCall) throws -> R) async throws -> R {
    try Task.checkCancellation()
    let call = BlockingCall()
    let answer = Answer<R>()
    lock.withLock { waiting[ObjectIdentifier(call)] = call }
    queue.async {
      if call.isWaiting {
        let result = Result { try work(call) }
        answer.set(result)
        call.ended()
      }
      _ = self.lock.withLock { self.waiting.removeValue(forKey: ObjectIdentifier(call)) }
    }
    await withTaskCancellationHandler {
      await Resumption.suspend { call.parked($0) }
    } onCancel: {
      call.abandoned(CancellationError())
    }
    if let error = call.error { throw error }
    return try answer.get()
  }

  /// The call that runs now found the lock taken, and waits for it. `lockCame` must follow: it ends the task that is
  /// started here, which holds this object.
  func lockWasTaken() {
    let task = Task {
      while (try? await clock.sleep(for: patience)) != nil { patienceEnded() }
    }
    lock.withLock { watchdog = task }
  }

  /// The call that runs now has the lock.
  func lockCame() {
    lock.withLock { watchdog.take() }?.cancel()
  }

  private func patienceEnded() {
    let calls = lock.withLock { waiting.values.map(\.self) }
    calls.forEach { $0.abandoned(busy) }
  }

  /// The result of one call: written by the queue before the call ends, read by the caller after that.
  // @unchecked: the lock of the call orders the two accesses.
  private final class Answer<R: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var result: Result<R, any Error>?

    func set(_ result: Result<R, any Error>) {
      lock.withLock { self.result = result }
    }

    func get() throws -> R {
      guard let result = lock.withLock({ self.result.take() }) else {
        fatalError("a call ended without a result")
      }
      return try result.get()
    }
  }
}

/// One call of `BlockingCalls`.
///
/// States: *waiting* (nothing has been changed), *begun* (it will end by itself), *over*.
/// Transitions: waiting → begun (`begin`), waiting → over (`abandoned`, `ended`), begun → over (`ended`).
// @unchecked: `lock` guards the variables.
final class BlockingCall: @unchecked Sendable {
  private enum Phase {
    case waiting, begun, over
  }

  private let lock = Lock()
  // Guarded by `lock`.
  private var phase = Phase.waiting
  // Guarded by `lock`.
  private var abandonment: (any Error)?
  // Guarded by `lock`.
  private var caller: Resumption?

  var isWaiting: Bool { lock.withLock { phase == .waiting } }

  /// Why the caller no longer waits; nil if the call has a result.
  var error: (any Error)? { lock.withLock { abandonment } }

  /// The call begins to change the folder: from now on the caller waits for its result. Throws if the caller no longer
  /// waits.
  func begin() throws {
    let error = lock.withLock {
      if phase == .waiting { phase = .begun }
      return abandonment
    }
    if let error { throw error }
  }

  /// The work has a result.
  func ended() {
    let caller = lock.withLock {
      phase = .over
      return self.caller.take()
    }
    caller?.resume()
  }

  /// The caller stops waiting, if the call has not begun.
  func abandoned(_ error: any Error) {
    let caller = lock.withLock { () -> Resumption? in
      guard phase == .waiting else { return nil }
      phase = .over
      abandonment = error
      return self.caller.take()
    }
    caller?.resume()
  }

  /// The caller waits. Returns false if there is nothing to wait for.
  func parked(_ caller: Resumption) -> Bool {
    lock.withLock {
      if phase == .over { return false }
      self.caller = caller
      return true
    }
  }
}
