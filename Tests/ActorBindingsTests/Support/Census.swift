import Synchronization

/// A counter of objects that are alive.
final class Census: Sendable {
  private let count = Atomic(0)
  private let born = Atomic(0)

  /// The number of objects that are alive.
  var alive: Int { count.load(ordering: .sequentiallyConsistent) }
  /// The number of objects ever made.
  var total: Int { born.load(ordering: .sequentiallyConsistent) }

  func citizen(_ number: Int = 0) -> Citizen { Citizen(number, of: self) }

  final class Citizen: Sendable {
    let number: Int
    private let census: Census

    fileprivate init(_ number: Int, of census: Census) {
      self.number = number
      self.census = census
      census.count.add(1, ordering: .sequentiallyConsistent)
      census.born.add(1, ordering: .sequentiallyConsistent)
    }

    deinit {
      census.count.subtract(1, ordering: .sequentiallyConsistent)
    }
  }
}

/// A counter that tasks increment.
final class Counter: Sendable {
  private let number: Atomic<Int>

  init(_ number: Int = 0) {
    self.number = Atomic(number)
  }

  var value: Int { number.load(ordering: .sequentiallyConsistent) }

  func set(_ value: Int) {
    number.store(value, ordering: .sequentiallyConsistent)
  }

  /// Adds, and returns the sum.
  @discardableResult
  func add(_ addend: Int = 1) -> Int {
    number.add(addend, ordering: .sequentiallyConsistent).newValue
  }
}

/// A flag that can be set once.
final class Flag: Sendable {
  private let state = Atomic(false)

  var isSet: Bool { state.load(ordering: .sequentiallyConsistent) }

  func set() {
    state.store(true, ordering: .sequentiallyConsistent)
  }
}

/// A variable that is set after it was captured.
final class Box<Content: Sendable>: Sendable {
  private let content: Guarded<Content?>

  init(_ content: Content? = nil) {
    self.content = Guarded(content)
  }

  var value: Content? {
    get { content.withLock { $0 } }
    set {
      let old = content.withLock { content in
        let old = content
        content = newValue
        return old
      }
      _ = consume old
    }
  }
}
