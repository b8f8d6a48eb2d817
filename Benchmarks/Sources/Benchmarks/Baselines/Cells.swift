import Observation
import Synchronization

// Hand-written code that holds a value. This code is not generic, so that it is as fast as possible.

/// A value and the number of its writes, under a lock.
final class LockedInt: Sendable {
  private let state = Mutex((value: 0, version: UInt64(0)))

  var value: Int { state.withLock { $0.value } }
  var version: UInt64 { state.withLock { $0.version } }

  func store(_ value: Int) {
    state.withLock { $0 = (value, $0.version &+ 1) }
  }

  func modify(_ body: (inout Int) -> Void) {
    state.withLock { state in
      body(&state.value)
      state.version &+= 1
    }
  }
}

/// A value on an actor.
actor PlainActor {
  private(set) var value = 0
  private(set) var version: UInt64 = 0

  func store(_ value: Int) {
    self.value = value
    version &+= 1
  }

  func modify(_ body: @Sendable (inout Int) -> Void) {
    body(&value)
    version &+= 1
  }
}

/// A typical struct of strings and arrays: a copy of it changes reference counts.
struct Settings: Sendable, Equatable {
  var revision = 0
  var host = "settings.example.org/production"
  var level = "information, and nothing besides"
  var ports = [80, 443, 8080]
  var names = ["first of the names", "second of the names"]
}

/// A struct and the number of its writes, under a lock. The old value is released after the lock.
final class LockedSettings: Sendable {
  private struct State {
    var value = Settings()
    var version: UInt64 = 0
  }

  private let state = Mutex(State())

  var value: Settings { state.withLock { $0.value } }
  var version: UInt64 { state.withLock { $0.version } }

  func store(_ value: Settings) {
    var value = value
    state.withLock { state in
      swap(&state.value, &value)
      state.version &+= 1
    }
  }

  func modify(_ body: (inout Settings) -> Void) {
    state.withLock { state in
      body(&state.value)
      state.version &+= 1
    }
  }
}

/// A struct on an actor.
actor SettingsActor {
  private(set) var value = Settings()
  private(set) var version: UInt64 = 0

  func store(_ value: Settings) {
    self.value = value
    version &+= 1
  }
}

/// The expansion of an `@Observable` property, with a lock around the value, so that any thread can set and read it.
final class ObservableInt: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let state: Mutex<Int>

  init(_ value: Int) {
    state = Mutex(value)
  }

  var value: Int {
    get {
      registrar.access(self, keyPath: \.value)
      return state.withLock { $0 }
    }
    set {
      registrar.withMutation(of: self, keyPath: \.value) {
        state.withLock { $0 = newValue }
      }
    }
  }
}
