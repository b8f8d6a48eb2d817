import ActorBindings
import Testing

/// Tests the cost of waiting: the jobs of the waiting tasks and the updates of the cell, for n and for 4 n requests.
@Suite struct LoadingGrowthTests {
  enum Way: CaseIterable {
    case answered
    case cancelled
    case finished
  }

  /// The total cost of a number of requests or calls.
  private struct Cost: Equatable {
    var jobs = 0
    var updates: UInt64 = 0
  }

  @Test(arguments: Way.allCases)
  func `each waiting reload is resumed once, and readers see no update`(_ way: Way) async {
    let (few, many) = (await reloads(50, way), await reloads(200, way))
    // Each task has two jobs: it begins, and is resumed once.
    #expect(few.jobs == 100)
    #expect(many.jobs == 400)
    #expect(many.updates == few.updates)
  }

  private func reloads(_ count: Int, _ way: Way) async -> Cost {
    let (executor, going, ended) = (ManualExecutor(), Gate(), Counter())
    let cell = LoadingCell { () async -> Int in
      await going.passed()
      return 1
    }
    let tasks = (0..<count).map { _ in
      let task = Task(executorPreference: executor) {
        _ = try? await cell.reload()
        ended.add()
      }
      executor.run()
      return task
    }
    switch way {
    case .answered: going.open()
    case .cancelled: for task in tasks { task.cancel() }
    case .finished: cell.finish()
    }
    await eventually {
      executor.run()
      return ended.value == count
    }
    let update = await cell.updates().first { _ in true }
    going.open()
    return Cost(jobs: executor.total, updates: update?.version ?? 0)
  }

  @Test(arguments: [Way.answered, .cancelled])
  func `each queued call is resumed once, and readers see no update`(_ way: Way) async {
    let (few, many) = (await calls(50, way), await calls(200, way))
    #expect(few.jobs == 100)
    #expect(many.jobs == 400)
    #expect(many.updates == few.updates)
  }

  private func calls(_ count: Int, _ way: Way) async -> Cost {
    let (executor, going, ended) = (ManualExecutor(), Gate(), Counter())
    let note = AsyncAction(whileBusy: .queue) { (isFirst: Bool) in
      if isFirst { await going.passed() }
    }
    note.start(true)
    let tasks = (0..<count).map { _ in
      let task = Task(executorPreference: executor) {
        try? await note.execute(false)
        ended.add()
      }
      executor.run()
      return task
    }
    #expect(note.waitingCount == count)
    if way == .cancelled {
      for task in tasks { task.cancel() }
      executor.run()
      #expect(note.waitingCount == 0)
    }
    going.open()
    await eventually {
      executor.run()
      return ended.value == count
    }
    _ = await note.isExecuting.first { !$0 }
    let update = await note.isExecuting.updates().first { _ in true }
    return Cost(jobs: executor.total, updates: update?.version ?? 0)
  }
}
