import Synchronization

// Hand-written code that calls observers.

typealias Handler = @Sendable (Int) -> Void

/// Closures that are copied under the lock, and called after it. Values may arrive out of order.
final class ClosureList: Sendable {
  private struct State {
    var value = 0
    var handlers: [Handler] = []
  }

  private let state = Mutex(State())

  var value: Int { state.withLock { $0.value } }

  func add(_ handler: @escaping Handler) {
    state.withLock { $0.handlers.append(handler) }
  }

  func send(_ value: Int) {
    let handlers = state.withLock { state in
      state.value = value
      return state.handlers
    }
    for handler in handlers { handler(value) }
  }
}

/// Closures that are called in order, under the lock. A closure that calls back deadlocks.
final class LockedClosures: Sendable {
  private struct State {
    var value = 0
    var version: UInt64 = 0
    var handlers: [Handler] = []
  }

  private let state = Mutex(State())

  var value: Int { state.withLock { $0.value } }

  func add(_ handler: @escaping Handler) {
    state.withLock { $0.handlers.append(handler) }
  }

  func send(_ value: Int) {
    state.withLock { state in
      state.value = value
      state.version &+= 1
      for handler in state.handlers { handler(value) }
    }
  }

  func modify(_ body: (inout Int) -> Void) {
    state.withLock { state in
      body(&state.value)
      state.version &+= 1
      for handler in state.handlers { handler(state.value) }
    }
  }
}

/// Closures on an actor, which calls them.
actor ClosureActor {
  private(set) var value = 0
  private var handlers: [Handler] = []

  func add(_ handler: @escaping Handler) {
    handlers.append(handler)
  }

  func send(_ value: Int) {
    self.value = value
    for handler in handlers { handler(value) }
  }

  func modify(_ body: @Sendable (inout Int) -> Void) {
    body(&value)
    for handler in handlers { handler(value) }
  }
}

/// Closures by number, under a lock, for subscribing and cancelling.
final class Registry: Sendable {
  private struct State {
    var handlers: [Int: Handler] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.handlers.count } }

  func subscribe(_ handler: @escaping Handler) -> Int {
    state.withLock { state in
      state.next += 1
      state.handlers[state.next] = handler
      return state.next
    }
  }

  func cancel(_ id: Int) {
    // The handler is released after the lock.
    let handler = state.withLock { $0.handlers.removeValue(forKey: id) }
    _ = consume handler
  }
}

/// An object that ends a subscription to a registry when its owner is deallocated.
final class RegistryToken: Sendable {
  private let registry: Registry
  private let id: Int

  init(_ registry: Registry, _ handler: @escaping Handler) {
    self.registry = registry
    id = registry.subscribe(handler)
  }

  deinit {
    registry.cancel(id)
  }
}

/// The values of several sources, and a closure that is called with the values of the newest source, under the lock.
final class LockedSwitch: Sendable {
  private let state: Mutex<(newest: Int, values: [Int])>
  private let handler: Handler

  init(_ values: [Int], newest: Int, _ handler: @escaping Handler) {
    state = Mutex((newest, values))
    self.handler = handler
  }

  func select(_ source: Int) {
    state.withLock { state in
      state.newest = source
      handler(state.values[source])
    }
  }

  func send(_ value: Int, to source: Int) {
    state.withLock { state in
      state.values[source] = value
      if state.newest == source { handler(value) }
    }
  }
}
