/// The changes of one subscription of an `InMemoryStore`. Only the first iterator receives them.
struct InMemorySubscription: AsyncSequence {
  typealias Element = [StoreChange]
  typealias Failure = any Error

  private let extent: Extent

  init(_ id: Int, of store: InMemoryStore) {
    extent = Extent(id, of: store)
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(extent: extent)
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let extent: Extent

    func next() async throws -> [StoreChange]? {
      try await extent.store.nextChanges(of: extent.id)
    }
  }

  /// Ends the subscription in its deinit.
  fileprivate final class Extent: Sendable {
    let id: Int
    let store: InMemoryStore

    init(_ id: Int, of store: InMemoryStore) {
      self.id = id
      self.store = store
    }

    deinit {
      store.end(id)
    }
  }
}
