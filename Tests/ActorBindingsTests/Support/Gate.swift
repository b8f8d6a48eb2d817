import Dispatch

/// A gate that a test opens: tasks wait until then.
final class Gate: Sendable {
  private let waiters = Guarded<[CheckedContinuation<Void, Never>]?>([])

  func open() {
    let continuations = waiters.withLock { $0.take() }
    continuations?.forEach { $0.resume() }
  }

  func passed() async {
    await withCheckedContinuation { continuation in
      let isOpen = waiters.withLock { waiters in
        waiters?.append(continuation)
        return waiters == nil
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// A gate for handlers: `wait` blocks the thread until the gate is opened.
final class Latch: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() {
    semaphore.signal()
  }

  func wait() {
    semaphore.wait()
    semaphore.signal()
  }
}
