import Synchronization

// Hand-written code that keeps two values together.

typealias PairHandler = @Sendable (Int, Int) -> Void

/// Two values and the number of their writes, under one lock.
final class LockedPair: Sendable {
  private let state: Mutex<(left: Int, right: Int, version: UInt64)>

  init(_ left: Int, _ right: Int) {
    state = Mutex((left, right, 0))
  }

  var values: (left: Int, right: Int) { state.withLock { ($0.left, $0.right) } }

  func modify(_ body: (inout Int, inout Int) -> Void) {
    state.withLock { state in
      body(&state.left, &state.right)
      state.version &+= 1
    }
  }
}

/// A value and the number of its writes, under a lock. Code that holds this lock may take other locks.
final class NestedInt: Sendable {
  private let state: Mutex<(value: Int, version: UInt64)>

  init(_ value: Int) {
    state = Mutex((value, 0))
  }

  var value: Int { state.withLock { $0.value } }

  func modify(_ body: (inout Int) -> Void) {
    state.withLock { state in
      body(&state.value)
      state.version &+= 1
    }
  }
}

/// Two values, and a closure that is called with both, in order, under the lock. A closure that calls back deadlocks.
final class LockedCombination: Sendable {
  private let state: Mutex<(left: Int, right: Int)>
  private let handler: PairHandler

  init(_ left: Int, _ right: Int, _ handler: @escaping PairHandler) {
    state = Mutex((left, right))
    self.handler = handler
  }

  func sendLeft(_ value: Int) {
    state.withLock { state in
      state.left = value
      handler(state.left, state.right)
    }
  }

  func sendRight(_ value: Int) {
    state.withLock { state in
      state.right = value
      handler(state.left, state.right)
    }
  }
}

/// Several values, and a closure that is called with all, in order, under the lock. A closure that calls back deadlocks.
final class LockedList: Sendable {
  typealias ListHandler = @Sendable ([Int]) -> Void

  private let values: Mutex<[Int]>
  private let handler: ListHandler

  init(_ count: Int, _ handler: @escaping ListHandler) {
    values = Mutex(Array(repeating: -1, count: count))
    self.handler = handler
  }

  func send(_ value: Int, to index: Int) {
    values.withLock { values in
      values[index] = value
      handler(values)
    }
  }
}

/// Two balances on an actor.
actor PairActor {
  private(set) var left = 0
  private(set) var right = 0

  func transfer() {
    left += 1
    right -= 1
  }
}

/// The newest of two values, for one reader on a context. A write wakes the reader unless the reader is already
/// scheduled.
final class PairSlot: Sendable {
  typealias PairHandler = @Sendable (Int, Int) -> Void
  typealias Schedule = @Sendable (@escaping @Sendable () -> Void) -> Void

  private let state: Mutex<(left: Int, right: Int, isDue: Bool)>
  private let schedule: Schedule
  private let handler: PairHandler

  init(_ left: Int, _ right: Int, _ schedule: @escaping Schedule, _ handler: @escaping PairHandler) {
    state = Mutex((left, right, false))
    self.schedule = schedule
    self.handler = handler
  }

  func sendLeft(_ value: Int) {
    let wakes = state.withLock { state in
      state.left = value
      defer { state.isDue = true }
      return !state.isDue
    }
    if wakes { schedule { [self] in drain() } }
  }

  func sendRight(_ value: Int) {
    let wakes = state.withLock { state in
      state.right = value
      defer { state.isDue = true }
      return !state.isDue
    }
    if wakes { schedule { [self] in drain() } }
  }

  private func drain() {
    let (left, right) = state.withLock { state in
      state.isDue = false
      return (state.left, state.right)
    }
    handler(left, right)
  }
}
