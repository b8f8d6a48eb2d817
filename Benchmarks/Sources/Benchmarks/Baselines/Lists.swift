import Synchronization

// Hand-written code that shares an array.

/// An array under a lock.
final class LockedArray: Sendable {
  private let state: Mutex<[Int]>

  init(_ elements: some Sequence<Int>) {
    state = Mutex(Array(elements))
  }

  var value: [Int] { state.withLock { $0 } }
  var count: Int { state.withLock { $0.count } }

  func append(_ element: Int) {
    state.withLock { $0.append(element) }
  }

  func removeLast() -> Int {
    state.withLock { $0.removeLast() }
  }

  func insert(_ element: Int, at index: Int) {
    state.withLock { $0.insert(element, at: index) }
  }

  func remove(at index: Int) -> Int {
    state.withLock { $0.remove(at: index) }
  }

  /// Replaces an element, and returns the previous one.
  func update(_ element: Int, at index: Int) -> Int {
    state.withLock { elements in
      let old = elements[index]
      elements[index] = element
      return old
    }
  }

  /// Replaces the elements, and returns the previous ones.
  func store(_ elements: [Int]) -> [Int] {
    state.withLock { state in
      let old = state
      state = elements
      return old
    }
  }
}

/// An array with a log of the edits since the only follower last read the array. An edit wakes the follower unless the
/// follower is already scheduled.
final class LoggedArray: Sendable {
  enum Edit {
    case insert(Int, at: Int)
    case remove(at: Int)
  }

  typealias Schedule = @Sendable (@escaping @Sendable () -> Void) -> Void

  private struct State {
    var elements: [Int]
    var log: [Edit] = []
    var isDue = false

    mutating func becomesDue() -> Bool {
      defer { isDue = true }
      return !isDue
    }
  }

  private let state: Mutex<State>
  private let schedule: Schedule
  private let follower: @Sendable ([Edit]) -> Void

  init(
    _ elements: some Sequence<Int>,
    _ schedule: @escaping Schedule,
    _ follower: @escaping @Sendable ([Edit]) -> Void
  ) {
    state = Mutex(State(elements: Array(elements)))
    self.schedule = schedule
    self.follower = follower
  }

  var value: [Int] { state.withLock { $0.elements } }
  var count: Int { state.withLock { $0.elements.count } }

  func append(_ element: Int) {
    let wakes = state.withLock { state in
      state.log.append(.insert(element, at: state.elements.count))
      state.elements.append(element)
      return state.becomesDue()
    }
    if wakes { schedule { [self] in drain() } }
  }

  func removeLast() -> Int {
    let (element, wakes) = state.withLock { state in
      let element = state.elements.removeLast()
      state.log.append(.remove(at: state.elements.count))
      return (element, state.becomesDue())
    }
    if wakes { schedule { [self] in drain() } }
    return element
  }

  private func drain() {
    let log = state.withLock { state in
      state.isDue = false
      let log = state.log
      state.log = []
      return log
    }
    follower(log)
  }
}

/// An array under a lock. Each version goes through a stream, whose reader takes the newest.
final class StreamedArray: Sendable {
  let stream: AsyncStream<[Int]>
  private let continuation: AsyncStream<[Int]>.Continuation
  private let state: Mutex<[Int]>

  init(_ elements: some Sequence<Int>) {
    state = Mutex(Array(elements))
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var count: Int { state.withLock { $0.count } }

  func append(_ element: Int) {
    continuation.yield(
      state.withLock { elements in
        elements.append(element)
        return elements
      }
    )
  }

  func removeLast() -> Int {
    let (element, elements) = state.withLock { elements in (elements.removeLast(), elements) }
    continuation.yield(elements)
    return element
  }
}
