import Dispatch
import Synchronization

/// Hand-written code that delivers every value to one loop, which takes all waiting values at once.
final class Mailbox: Sendable {
  private struct State {
    var values: [Int] = []
    var waiting: UnsafeContinuation<Void, Never>?
    var isFinished = false
  }

  private let state = Mutex(State())

  func send(_ value: Int) {
    state.withLock { state in
      state.values.append(value)
      return state.waiting.take()
    }?.resume()
  }

  func finish() {
    state.withLock { state in
      state.isFinished = true
      return state.waiting.take()
    }?.resume()
  }

  /// Returns all waiting values, or nil at the end. `spare` is empty, and its storage is reused.
  func next(_ spare: consuming [Int] = []) async -> [Int]? {
    while true {
      let isFinished = state.withLock { state in
        swap(&state.values, &spare)
        return state.isFinished
      }
      if !spare.isEmpty { return spare }
      if isFinished { return nil }
      await withUnsafeContinuation { continuation in
        let mustWait = state.withLock { state in
          guard state.values.isEmpty, !state.isFinished else { return false }
          state.waiting = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    }
  }
}

/// Hand-written code that delivers the newest value to one handler on a queue. A write schedules a block unless a block
/// is already scheduled.
final class QueueSlot: Sendable {
  private let newest = Mutex<Int?>(nil)
  private let queue: DispatchQueue
  private let handler: Handler

  init(_ queue: DispatchQueue, _ handler: @escaping Handler) {
    self.queue = queue
    self.handler = handler
  }

  func send(_ value: Int) {
    let mustSchedule = newest.withLock { newest in
      defer { newest = value }
      return newest == nil
    }
    if mustSchedule { queue.async { [self] in drain() } }
  }

  private func drain() {
    if let value = newest.withLock({ $0.take() }) { handler(value) }
  }
}

/// Hand-written code that delivers every value to one handler on a queue, by one block for all waiting values.
final class QueueMailbox: Sendable {
  private struct State {
    var values: [Int] = []
    var isScheduled = false
  }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let handler: Handler

  init(_ queue: DispatchQueue, _ handler: @escaping Handler) {
    self.queue = queue
    self.handler = handler
  }

  func send(_ value: Int) {
    let mustSchedule = state.withLock { state in
      state.values.append(value)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { queue.async { [self] in drain() } }
  }

  private func drain() {
    var values: [Int] = []
    while true {
      // The storage of delivered values is reused for the next ones.
      values.removeAll(keepingCapacity: true)
      state.withLock { state in
        swap(&state.values, &values)
        if values.isEmpty { state.isScheduled = false }
      }
      if values.isEmpty { return }
      for value in values { handler(value) }
    }
  }
}

/// Hand-written code that delivers every value to one handler on an actor, by one task for all waiting values.
actor ActorMailbox {
  private struct State {
    var values: [Int] = []
    var isScheduled = false
  }

  private let state = Mutex(State())
  private let handler: Handler

  init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  nonisolated func send(_ value: Int) {
    let mustSchedule = state.withLock { state in
      state.values.append(value)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { Task { await drain() } }
  }

  private func drain() {
    var values: [Int] = []
    while true {
      // The storage of delivered values is reused for the next ones.
      values.removeAll(keepingCapacity: true)
      state.withLock { state in
        swap(&state.values, &values)
        if values.isEmpty { state.isScheduled = false }
      }
      if values.isEmpty { return }
      for value in values { handler(value) }
    }
  }
}

/// Hand-written code with a value under a lock, and a handler on a queue that receives each value in order. A change
/// runs on a copy, without the lock, and runs again if another write came first.
final class MailedInt: Sendable {
  private struct State {
    var value = 0
    var version: UInt64 = 0
    var values: [Int] = []
    var isScheduled = false
  }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let handler: Handler

  init(_ queue: DispatchQueue, _ handler: @escaping Handler) {
    self.queue = queue
    self.handler = handler
  }

  var value: Int { state.withLock { $0.value } }

  func modify(_ body: (inout Int) -> Void) {
    var (draft, version) = state.withLock { ($0.value, $0.version) }
    while true {
      body(&draft)
      // The result is nil if another write came first.
      let mustSchedule = state.withLock { state -> Bool? in
        guard state.version == version else {
          (draft, version) = (state.value, state.version)
          return nil
        }
        state.value = draft
        state.version &+= 1
        state.values.append(draft)
        defer { state.isScheduled = true }
        return !state.isScheduled
      }
      guard let mustSchedule else { continue }
      if mustSchedule { queue.async { [self] in drain() } }
      return
    }
  }

  private func drain() {
    var values: [Int] = []
    while true {
      // The storage of delivered values is reused for the next ones.
      values.removeAll(keepingCapacity: true)
      state.withLock { state in
        swap(&state.values, &values)
        if values.isEmpty { state.isScheduled = false }
      }
      if values.isEmpty { return }
      for value in values { handler(value) }
    }
  }
}
