import ActorBindingsSharing

/// A subscription to the changes of a scope. Its watch ends when its iterator is released, when the task that iterates
/// it is cancelled, or, without an iterator, when the subscription is released.
struct EtcdSubscription: AsyncSequence, Sendable {
  /// Ends the watch when it is released.
  final class Extent: Sendable {
    let mailbox: WatchMailbox
    private let reading: Task<Void, Never>

    init(_ mailbox: WatchMailbox, _ reading: Task<Void, Never>) {
      self.mailbox = mailbox
      self.reading = reading
    }

    deinit { end() }

    func end() {
      reading.cancel()
    }

    /// Ends the watch, and returns when its task has ended.
    func endAndWait() async {
      end()
      await reading.value
    }
  }

  struct Iterator: AsyncIteratorProtocol {
    // Ends the watch when the iterator is released, also while the subscription lives on.
    private final class Reading: Sendable {
      let extent: Extent

      init(_ extent: Extent) {
        self.extent = extent
      }

      deinit { extent.end() }
    }

    private let reading: Reading
    private let storeError: @Sendable (EtcdTrouble) -> StoreError

    init(_ subscription: EtcdSubscription) {
      reading = Reading(subscription.extent)
      storeError = subscription.storeError
    }

    mutating func next() async throws -> [StoreChange]? {
      try await next(isolation: nil)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> [StoreChange]? {
      let extent = reading.extent
      do {
        return try await withTaskCancellationHandler {
          try await extent.mailbox.next()
        } onCancel: {
          extent.end()
        }
      } catch {
        // A caller that is told of the end finds no task left.
        await extent.endAndWait()
        throw (error as? EtcdTrouble).map(storeError) ?? error
      }
    }
  }

  let extent: Extent
  /// Says what the trouble of a watch means for its reader.
  let storeError: @Sendable (EtcdTrouble) -> StoreError

  func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }
}
