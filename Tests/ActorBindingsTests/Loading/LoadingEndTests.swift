import ActorBindings
import Testing

private struct Broken: Error {}

/// A clock that never sleeps, and says whether it should have.
private struct SleeplessClock: Clock {
  let wasAsked: Flag

  var now: ContinuousClock.Instant { ContinuousClock.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    wasAsked.set()
  }
}

/// Loads that are cancelled or replaced.
@Suite struct LoadingEndTests {
  @Test func `a cancelled task receives content that is loaded already`() async throws {
    let cell = LoadingCell { 7 }
    _ = try await cell.load()
    let task = Task {
      await eventually { Task.isCancelled }
      return try await cell.load()
    }
    task.cancel()
    #expect(try await task.value == 7)
  }

  @Test func `the policy for retries is not asked about a load that was cancelled`() async throws {
    let (loads, began, wasAsked) = (Counter(), Gate(), Flag())
    let policy = RetryPolicy { _, _ in
      wasAsked.set()
      return nil
    }
    let cell = LoadingCell(retry: policy) { () async throws -> Int in
      if loads.add() > 1 { return 2 }
      began.open()
      await eventually { Task.isCancelled }
      throw CancellationError()
    }
    cell.startLoading()
    await began.passed()
    cell.cancel()
    // This load begins when the cancelled load has ended.
    #expect(try await cell.reload() == 2)
    #expect(!wasAsked.isSet)
  }

  @Test func `a load that is cancelled while its policy is asked does not wait for another attempt`() async {
    let (census, wasAsked, sleeps) = (Census(), Gate(), Flag())
    do {
      let box = Box<LoadingCell<Int>>()
      let policy = RetryPolicy { _, _ in
        box.value?.cancel()
        wasAsked.open()
        return .zero
      }
      let cell = LoadingCell(retry: policy, clock: SleeplessClock(wasAsked: sleeps)) {
        [citizen = census.citizen()] () async throws -> Int in
        withExtendedLifetime(citizen) {}
        throw Broken()
      }
      box.value = cell
      cell.startLoading()
      await wasAsked.passed()
      #expect("\(cell.value)" == "idle")
      box.value = nil
    }
    // The load has ended.
    await eventually { census.alive == 0 }
    #expect(!sleeps.isSet)
  }

  @Test func `a load that is replaced while its policy is asked does not wait for another attempt`()
    async throws
  {
    let (loads, wasAsked, sleeps) = (Counter(), Gate(), Flag())
    let box = Box<LoadingCell<Int>>()
    let policy = RetryPolicy { _, _ in
      box.value?.startReloading()
      wasAsked.open()
      return .zero
    }
    let cell = LoadingCell(retry: policy, clock: SleeplessClock(wasAsked: sleeps)) { () async throws -> Int in
      if loads.add() == 1 { throw Broken() }
      return 2
    }
    box.value = cell
    cell.startLoading()
    await wasAsked.passed()
    // The second load begins when the first one has ended.
    #expect(try await cell.load() == 2)
    #expect(loads.value == 2)
    #expect(!sleeps.isSet)
    box.value = nil
  }

  @Test func `a load that an observer cancels before its task exists is cancelled`() async {
    let (jobs, wasCancelled) = (ManualContext(), Gate())
    let box = Box<LoadingCell<Int>>()
    let context = DeliveryContext(id: "cancels a load", now: { 0 }) { job in
      jobs.add(job)
      if let cell = box.value, cell.value.isLoading { cell.cancel() }
    }
    let cell = LoadingCell { () async throws -> Int in
      await eventually { Task.isCancelled }
      wasCancelled.open()
      throw CancellationError()
    }
    let token = cell.observe(on: context) { _ in }
    jobs.run()
    box.value = cell
    // Wakes the observer before it starts the task.
    cell.startLoading()
    #expect("\(cell.value)" == "idle")
    await wasCancelled.passed()
    box.value = nil
    token.cancel()
    // The context holds the jobs, and a job that waits holds the context.
    jobs.run()
  }
}
