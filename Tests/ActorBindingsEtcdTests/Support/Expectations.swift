import ActorBindingsSharing
import Testing

/// Returns the error that `body` throws. Records an issue if it throws none, or none of a store.
func storeError<R>(
  _ body: () async throws -> R,
  at location: SourceLocation = #_sourceLocation
) async -> StoreError? {
  do {
    _ = try await body()
    Issue.record("nothing was thrown", sourceLocation: location)
  } catch let error as StoreError {
    return error
  } catch {
    Issue.record("\(error) was thrown", sourceLocation: location)
  }
  return nil
}

extension StoreError {
  var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
  var isUncertain: Bool { if case .uncertain = self { true } else { false } }
  var isRefusal: Bool { if case .refused = self { true } else { false } }
}

/// Runs the iterator of a subscription: for tests that ask for one batch at a time.
struct Batches {
  private var iterator: any AsyncIteratorProtocol<[StoreChange], any Error>

  init(_ subscription: any AsyncSequence<[StoreChange], any Error>) {
    iterator = Self.iterator(of: subscription)
  }

  private static func iterator(
    of subscription: some AsyncSequence<[StoreChange], any Error>
  ) -> any AsyncIteratorProtocol<[StoreChange], any Error> {
    subscription.makeAsyncIterator()
  }

  mutating func next() async throws -> [StoreChange]? {
    try await iterator.next(isolation: nil)
  }
}
