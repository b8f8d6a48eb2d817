#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import ActorBindingsTesting

  /// More programs with a fault, each beside the program without it.
  enum MorePrograms {
    /// Two mirrors race in a task group, and the first answer wins. Faulty: the program also takes the answer of the
    /// mirror that lost.
    static func mirrors(isMended: Bool) throws(ScheduleFailure) -> ExplorationCoverage {
      try explore("two mirrors, \(isMended)", within: .toItsEnd) { world in
        let shown = BindableActor("")
        let answer = await withTaskGroup(of: String.self) { group in
          for mirror in ["north", "south"] {
            group.addTask {
              await Task.yield()
              if !isMended { shown.send(mirror) }
              return mirror
            }
          }
          let first = await group.next() ?? ""
          group.cancelAll()
          return first
        }
        if isMended { shown.send(answer) }
        world.expect(shown.value == answer, "\(answer) won, and \(shown.value) is shown")
      }
    }

    /// Two producers hand jobs to a worker by a stream. Faulty: the stream keeps only the newest job.
    static func jobs(isMended: Bool) throws(ScheduleFailure) -> ExplorationCoverage {
      try explore("jobs by a stream, \(isMended)", within: .toItsEnd) { world in
        let (jobs, queue) = AsyncStream.makeStream(
          of: Int.self,
          bufferingPolicy: isMended ? .unbounded : .bufferingNewest(1)
        )
        let done = BindableActor(0)
        let worker = world.task("worker") {
          for await job in jobs { done.modify { $0 += job } }
        }
        let producers = [1, 10].map { job in
          world.task("producer of \(job)") { queue.yield(job) }
        }
        for producer in producers { await producer.value }
        queue.finish()
        await worker.value
        world.expect(done.value == 11, "the worker did \(done.value)")
      }
    }

    /// A task waits for an answer until it is cancelled. Faulty: a cancellation that comes before the continuation is
    /// stored resumes nothing.
    static func cancellation(isMended: Bool) throws(ScheduleFailure) -> ExplorationCoverage {
      try explore("a task is cancelled while it begins to wait, \(isMended)", within: .toItsEnd) { world in
        let state = ExplorableMutex((isCancelled: false, waiter: CheckedContinuation<Void, Never>?.none))
        let box = SharedBox(state)
        let task = world.task("waiter") {
          await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
              let isCancelled = box.mutex.withLock { state in
                if isMended, state.isCancelled { return true }
                state.waiter = waiter
                return false
              }
              if isCancelled { waiter.resume() }
            }
          } onCancel: {
            box.mutex.withLock { state in
              state.isCancelled = true
              return state.waiter.take()
            }?.resume()
          }
        }
        task.cancel()
      }
    }

    /// A request has an answer or a timeout. Faulty: the program looks whether there is an outcome in one step, and stores
    /// its own in another.
    static func timeout(isMended: Bool) throws(ScheduleFailure) -> ExplorationCoverage {
      try explore("an answer comes with the timeout, \(isMended)", within: .toItsEnd) { world in
        let clock = ManualClock()
        let outcomes = BindableActor<[String]>([])
        @Sendable func conclude(_ outcome: String) {
          if isMended {
            outcomes.modify { if $0.isEmpty { $0.append(outcome) } }
          } else if outcomes.value.isEmpty {
            outcomes.modify { $0.append(outcome) }
          }
        }
        let timeout = world.task("timeout") {
          try? await clock.sleep(for: .seconds(5))
          conclude("timeout")
        }
        let request = world.task("request") { conclude("answer") }
        _ = await clock.sleepers.first { $0 == 1 }
        clock.jump(by: .seconds(5))
        await timeout.value
        await request.value
        world.expect(outcomes.value.count == 1, "the outcomes are \(outcomes.value)")
      }
    }
  }

  /// An object that holds a mutex, so that closures can share it.
  final class SharedBox<Value: Sendable>: Sendable {
    let mutex: ExplorableMutex<Value>

    init(_ mutex: consuming ExplorableMutex<Value>) {
      self.mutex = mutex
    }
  }
#endif
