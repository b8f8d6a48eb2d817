import Synchronization

// Hand-written code that shares a dictionary.

/// A dictionary under a lock.
final class LockedDictionary: Sendable {
  private let state: Mutex<[Int: Int]>

  init(_ entries: [Int: Int]) {
    state = Mutex(entries)
  }

  var value: [Int: Int] { state.withLock { $0 } }

  subscript(key: Int) -> Int? { state.withLock { $0[key] } }

  func set(_ value: Int, forKey key: Int) {
    state.withLock { $0[key] = value }
  }
}

/// A dictionary under a lock, with the keys that were written since the only reader last read the dictionary.
final class NotedDictionary: Sendable {
  private let state: Mutex<(entries: [Int: Int], written: Set<Int>)>

  init(_ entries: [Int: Int]) {
    state = Mutex((entries, []))
  }

  func set(_ value: Int, forKey key: Int) {
    state.withLock { state in
      state.entries[key] = value
      state.written.insert(key)
    }
  }

  func takeWritten() -> [(key: Int, value: Int)] {
    state.withLock { state in
      let written = state.written.map { ($0, state.entries[$0] ?? 0) }
      state.written.removeAll()
      return written
    }
  }
}

/// A dictionary under a lock, and closures for single keys, which receive the new value on a context.
final class KeyHandlers: Sendable {
  typealias Schedule = @Sendable (@escaping @Sendable () -> Void) -> Void

  private let state: Mutex<(entries: [Int: Int], handlers: [Int: [Handler]])>
  private let schedule: Schedule

  init(_ entries: [Int: Int], _ schedule: @escaping Schedule) {
    state = Mutex((entries, [:]))
    self.schedule = schedule
  }

  func add(for key: Int, _ handler: @escaping Handler) {
    state.withLock { $0.handlers[key, default: []].append(handler) }
  }

  /// Removes the closure that was added last.
  func removeLast(for key: Int) {
    // The closure is released after the lock.
    let handler = state.withLock { $0.handlers[key]?.removeLast() }
    _ = consume handler
  }

  func set(_ value: Int, forKey key: Int) {
    let handlers = state.withLock { state in
      state.entries[key] = value
      return state.handlers[key] ?? []
    }
    if handlers.isEmpty { return }
    schedule { for handler in handlers { handler(value) } }
  }
}

/// A dictionary under a lock, with the continuations of loops that wait for single keys. A cancelled loop ends.
/// Continuations are resumed after the lock.
final class KeyWatch: Sendable {
  typealias Waiting = UnsafeContinuation<Void, Never>

  private struct Entry {
    var value: Int
    var version: UInt64 = 0
    var waiting: [Int: Waiting] = [:]

    mutating func set(_ value: Int) -> [Int: Waiting] {
      self.value = value
      version &+= 1
      let taken = waiting
      if !taken.isEmpty { waiting = [:] }
      return taken
    }
  }

  private struct State {
    var entries: [Int: Entry]
    var isFinished = false
    var lastID = 0
  }

  private let state: Mutex<State>

  init(_ entries: [Int: Int]) {
    state = Mutex(State(entries: entries.mapValues { Entry(value: $0) }))
  }

  func set(_ value: Int, forKey key: Int) {
    let waiting = state.withLock { state in
      state.entries[key, default: Entry(value: value)].set(value)
    }
    for continuation in waiting.values { continuation.resume() }
  }

  func finish() {
    let waiting = state.withLock { state in
      state.isFinished = true
      return state.entries.values.flatMap(\.waiting.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  func receiver(for key: Int) -> Receiver {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return Receiver(watch: self, key: key, id: id)
  }

  /// The position of one loop.
  struct Receiver {
    let watch: KeyWatch
    let key: Int
    let id: Int
    var seen: UInt64?

    mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Int? {
      while !Task.isCancelled {
        let seen = seen
        let news = watch.state.withLock {
          ($0.entries[key]?.version ?? 0, $0.entries[key]?.value, $0.isFinished)
        }
        if news.0 != seen {
          self.seen = news.0
          return news.1
        }
        if news.2 { return nil }
        await watch.wait(id, key, seen)
      }
      return nil
    }
  }

  private func wait(_ id: Int, _ key: Int, _ seen: UInt64?, isolation: isolated (any Actor)? = #isolation)
    async
  {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: Waiting) in
        let mustWait = state.withLock { state in
          guard state.entries[key]?.version == seen, !state.isFinished, !Task.isCancelled else {
            return false
          }
          state.entries[key]?.waiting[id] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.entries[key]?.waiting.removeValue(forKey: id) }?.resume()
    }
  }
}
