import ActorBindings

extension Town {
  /// A loop that the round has not ended yet.
  struct Walk: Sendable {
    let house: House
    let follower: Follower
    let task: Task<Void, Never>
    let isEndless: Bool
  }

  /// Begins `for await` loops that break, are cancelled or continue, and makes unused streams and iterators. Returns
  /// the loops.
  func iterate(_ steps: Int) async -> [Walk] {
    var walks: [Walk] = []
    var unused: [any Sendable] = []
    for step in 0..<steps {
      if step % 10 == 9 { await Task.yield() }
      figures.readers.add()
      let (house, backlog) = (someHouse(), someBacklog())
      let stream = house.updates(backlog: backlog)
      switch Int.random(in: 0..<8) {
      case 0: unused.append(stream)
      case 1: unused = []
      case 2:
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
      case 3:
        // This loop is cancelled before it begins, while it runs, or while it waits.
        let task = Task { for await _ in stream {} }
        for _ in 0..<Int.random(in: 0..<4) { await Task.yield() }
        task.cancel()
      case 4, 5: walks.append(walk(house, stream, backlog, leavingAfter: .random(in: 0..<20)))
      default: walks.append(walk(house, stream, backlog, leavingAfter: nil))
      }
      if walks.count > 40 { walks.remove(at: .random(in: 0..<walks.count)).task.cancel() }
    }
    return walks
  }

  private func walk(
    _ house: House,
    _ stream: BindingStream<some BindingCursor<Update<Parcel>>>,
    _ backlog: Backlog,
    leavingAfter count: Int?
  ) -> Walk {
    let follower = follower(backlog)
    let executor: (any TaskExecutor)? = Bool.random() ? nil : executor
    let task = Task.detached(executorPreference: executor) {
      var remaining = count
      for await update in stream {
        follower.sees(update)
        if remaining == 0 { break }
        remaining = remaining.map { $0 - 1 }
      }
    }
    return Walk(house: house, follower: follower, task: task, isEndless: count == nil)
  }

  /// Checks G3, G11, G12: when writers have stopped, loops receive the newest value, and end when they are cancelled.
  func end(_ walks: [Walk]) async {
    for walk in walks where walk.isEndless {
      let version = walk.house.version
      let hasArrived = await comesTrue { walk.follower.lastSeen == version }
      figures.expect(hasArrived, "G3 a loop has the last value")
      if walk.house.isFinished { await walk.task.value }
    }
    walks.forEach { $0.task.cancel() }
    for walk in walks { await walk.task.value }
  }
}
