public import ActorBindingsSharing

extension EtcdStore {
  /// Opens a subscription to the changes of a scope after a revision, and returns once etcd has confirmed it.
  ///
  /// The subscription reads what etcd sends at once, and keeps the newest change of each key until its iterator asks.
  public func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable {
    try Task.checkCancellation()
    let (key, end) = keys.range(of: scope)
    let request = EtcdRequest.Watch(key: key, end: end, start: revision.number + 1)
    return try await self.request(key: scope.name) {
      let body = EtcdRequest.body(request)
      let extent = try await client.attempt { attempt in
        try await open(WatchReader(client, attempt, WatchState(after: revision, in: keys)), body)
      }
      return EtcdSubscription(extent: extent) { [name, user = client.credentials?.user] in
        $0.storeError(key: scope.name, isWrite: false, store: name, user: user)
      }
    }
  }

  private func open(_ reader: WatchReader, _ body: [UInt8]) async throws -> EtcdSubscription.Extent {
    let mailbox = reader.mailbox
    let extent = EtcdSubscription.Extent(mailbox, Task { await reader.read(body) })
    do {
      try await client.answering(reader.attempt) { try await mailbox.waitUntilOpen() }
    } catch {
      await extent.endAndWait()
      throw error
    }
    return extent
  }
}
