import ActorBindingsExplorer

/// What a shop has. In a build without the trait, the mutex is that of the standard library.
package final class Stock: Sendable {
  private let items = ExplorableMutex<[String: Int]>([:])

  package init() {}

  package func add(_ name: String) {
    items.withLock { $0[name, default: 0] += 1 }
  }

  package func take(_ name: String) -> Bool {
    items.withLock { items in
      guard let count = items[name], count > 0 else { return false }
      items[name] = count - 1
      return true
    }
  }
}
