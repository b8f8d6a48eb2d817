#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Dispatch
  import Foundation
  import Synchronization
  import Testing

  /// Tests of the explorer as a product: programs with a fault, and the same programs without it.
  @Suite
  struct ExplorerTests {
    typealias Exploring = @Sendable () throws(ScheduleFailure) -> ExplorationCoverage

    private static let classic: [(String, faulty: Exploring, mended: Exploring, message: String)] = [
      (
        "account", Withdrawals<Faulty.Account>.run, Withdrawals<Mended.Account>.run,
        "the account is overdrawn: -60"
      ),
      ("cache", Requests<Faulty.Cache>.run, Requests<Mended.Cache>.run, "the page was loaded 2 times"),
      ("latch", Waiting<Faulty.Latch>.run, Waiting<Mended.Latch>.run, "lost wake-up: "),
      ("broadcaster", Following<Faulty.Broadcaster>.run, Following<Mended.Broadcaster>.run, "lost wake-up: "),
    ]

    private static let more:
      [(String, run: @Sendable (Bool) throws(ScheduleFailure) -> ExplorationCoverage)] = [
        ("group", MorePrograms.mirrors), ("stream", MorePrograms.jobs),
        ("cancellation", MorePrograms.cancellation),
        ("timeout", MorePrograms.timeout),
      ]

    @Test(arguments: classic.indices)
    func `a classic fault is found, and its mend is explored to its end`(_ index: Int) throws {
      let program = Self.classic[index]
      let failure = try #require(throws: ScheduleFailure.self) { _ = try program.faulty() }
      #expect(failure.message.hasPrefix(program.message), "\(failure)")
      #expect(failure.timeUntilFound > .zero)
      report(failure, of: program.0)
      let coverage = try program.mended()
      #expect(coverage.isExhausted, "\(coverage)")
    }

    @Test(arguments: more.indices)
    func
      `a fault of a group, a stream, a cancellation or a timeout is found, and its mend is explored to its end`(
        _ index: Int
      ) throws
    {
      let program = Self.more[index]
      let failure = try #require(throws: ScheduleFailure.self) { _ = try program.run(false) }
      report(failure, of: program.0)
      let coverage = try program.run(true)
      #expect(coverage.isExhausted, "\(coverage)")
    }

    private func report(_ failure: ScheduleFailure, of fault: String) {
      let seconds = String(format: "%.4f", failure.timeUntilFound / .seconds(1))
      print("\(fault): found in schedule \(failure.schedules) after \(seconds) s\n\(failure)")
    }

    // Explores a program, and returns how it failed.
    private func failure(
      _ name: String,
      _ program: @escaping @Sendable (ExplorationWorld) async -> Void
    ) throws -> ScheduleFailure {
      try #require(throws: ScheduleFailure.self) { try explore(name, program) }
    }

    @Test
    func `two tasks that take two mutexes in different orders are a deadlock`() throws {
      let failure = try failure("two mutexes") { world in
        let left = SharedBox(ExplorableMutex(0))
        let right = SharedBox(ExplorableMutex(0))
        world.task("one") { left.mutex.withLock { $0 += right.mutex.withLock { $0 } } }
        world.task("two") { right.mutex.withLock { $0 += left.mutex.withLock { $0 } } }
      }
      #expect(failure.message.hasPrefix("deadlock: "), "\(failure)")
      #expect(failure.message.contains("one waits for lock 2, which two has"), "\(failure)")
    }

    @Test
    func `a failure has the choices that repeat it, and a timeline that fits a screen`() throws {
      let name = "lost increments"
      let line = #line + 4
      let program: @Sendable (ExplorationWorld) async -> Void = { world in
        let counter = SharedBox(ExplorableMutex(0))
        for number in 1...3 {
          world.task("task \(number)") {
            for _ in 0..<10 {
              let old = counter.mutex.withLock { $0 }
              world.point("between read and write")
              counter.mutex.withLock { $0 = old + 1 }
            }
          }
        }
        world.finally { world.expect(counter.mutex.withLock { $0 } == 30, "the counter lost increments") }
      }
      let failure = try failure(name, program)
      let lines = failure.description.split(separator: "\n")
      #expect(lines.count <= 36, "\(failure)")
      #expect(lines.contains { $0.contains("between read and write at ExplorerTests.swift:") }, "\(failure)")
      // The first turn of each task says where the program has started the task, and only that turn.
      for task in ["task 1", "task 2", "task 3"] {
        let turns = lines.filter { $0.dropFirst(3).trimmingPrefix { $0 == " " }.hasPrefix("\(task) ") }
        #expect(turns.first?.contains("  started at ExplorerTests.swift:\(line), ") == true, "\(failure)")
        #expect(turns.dropFirst().allSatisfy { !$0.contains("started at") }, "\(failure)")
      }
      let again = try #require(throws: ScheduleFailure.self) { try replay(name, failure.choices, program) }
      #expect(again.message == failure.message)
      #expect(again.timeline == failure.timeline)
      // The shortest schedule has one preemption.
      #expect(failure.choices.split(separator: ".").filter { !$0.hasPrefix("z") }.count == 1, "\(failure)")
    }

    @Test
    func `explorations in parallel tests do not disturb each other`() async throws {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<4 {
          group.addTask {
            try explore(
              "parallel \(number)",
              within: ExplorationBudget(depthFirst: 200, random: 50, priority: 50)
            ) { world in
              let cell = BindableActor(0)
              let tasks = (0..<3).map { _ in world.task("writer") { cell.modify { $0 += 1 } } }
              for task in tasks { await task.value }
              world.expect(cell.value == 3)
            }.schedules == 300
          }
        }
        for try await isComplete in group { #expect(isComplete) }
      }
    }

    @Test
    func `a task that sleeps by a clock of the system is reported as such`() throws {
      let failure = try failure("a sleeping task") { world in
        world.task("sleeper") { try? await ContinuousClock().sleep(for: .seconds(1_000)) }
      }
      #expect(failure.message.hasPrefix("a task sleeps by a clock of the system"), "\(failure)")
    }

    @Test
    func `a task that waits for a semaphore is no deadlock`() throws {
      let semaphore = DispatchSemaphore(value: 0)
      let failure = try failure("a semaphore") { world in
        world.task("waiter") { wait(for: semaphore) }
      }
      semaphore.signal()
      #expect(
        failure.message.hasPrefix("blocked outside: waiter computes, or waits for something"),
        "\(failure)"
      )
    }

    @Test
    func `a task that another thread continues is reported as such`() throws {
      let failure = try failure("a thread from outside") { world in
        world.task("waiter") {
          await withCheckedContinuation { waiter in
            Thread.detachNewThread { waiter.resume() }
          }
          world.fail("it was continued in time")
        }
      }
      let isReported = failure.message.hasPrefix("continued from outside: ")
      #expect(isReported || failure.message.hasPrefix("it was continued in time"), "\(failure)")
    }

    @Test
    func `a task that runs for ever is reported as such`() throws {
      let failure = try failure("a loop without an end") { world in
        world.task("loop") { while !Task.isCancelled { world.point() } }
        world.task("other") { await Task.yield() }
      }
      #expect(
        failure.message.hasPrefix("endless loop: loop runs on after 100000 steps of the program"),
        "\(failure)"
      )
    }

    @Test
    func `a mutex that is taken twice by one task is a deadlock`() throws {
      let failure = try failure("a mutex taken twice") { world in
        let count = SharedBox(ExplorableMutex(0))
        world.task("one") { count.mutex.withLock { $0 += count.mutex.withLock { $0 } } }
      }
      #expect(failure.message.hasPrefix("deadlock: one waits for lock 1, which one has"), "\(failure)")
    }

    @Test
    func `a program that differs from run to run is not explored to its end`() throws {
      let runs = Atomic(0)
      let coverage = try explore("a random program", within: .toItsEnd) { world in
        let run = runs.add(1, ordering: .relaxed).newValue
        for number in 0..<(run % 3) { world.task("task \(number)") { world.point() } }
      }
      #expect(coverage.unrepeatable > 0)
      #expect(!coverage.isExhausted, "\(coverage)")
    }

    @Test
    func `a budget without a schedule is an error`() throws {
      let nothing = ExplorationBudget(depthFirst: 0, random: 0, priority: -1)
      let failure = try #require(throws: ScheduleFailure.self) {
        try explore("no schedule", within: nothing) { _ in }
      }
      #expect(failure.message == "the budget allows no schedule")
    }

    @Test
    func `tasks with one name have different names in messages`() throws {
      let failure = try failure("two waiters") { world in
        for _ in 0..<2 {
          world.task("waiter") {
            unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
          }
        }
      }
      #expect(failure.message.hasSuffix("are not done: waiter, waiter (2)"), "\(failure)")
    }

    @Test
    func `a task that moves to the main actor is reported as such`() throws {
      let failure = try failure("the main actor") { world in
        world.task("writer") { await MainActor.run {} }
      }
      #expect(failure.message.hasPrefix("a task moves to the main actor"), "\(failure)")
    }

    @Test
    func `a budget of time ends the exploration, and gives each strategy a share`() throws {
      let coverage = try explore("a budget of time", within: .time(.seconds(1))) { world in
        let cell = BindableActor(0)
        for number in 0..<4 { world.task("writer \(number)") { for _ in 0..<10 { cell.modify { $0 += 1 } } } }
      }
      #expect(coverage.random > 0 && coverage.priority > 0 && coverage.depthFirst > 0, "\(coverage)")
      #expect(!coverage.isExhausted)
    }

    @Test
    func `an exploration of more than five seconds says on the standard error how far it is`() async throws {
      let result = try #require(
        await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
          try explore("a long exploration", within: .time(.seconds(6))) { world in
            let cell = BindableActor(0)
            for number in 0..<4 { world.task("writer \(number)") { cell.modify { $0 += 1 } } }
          }
        }
      )
      let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
      let line = /exploring a long exploration: \d+ schedules in \d s …/
      #expect(lines.filter { $0.wholeMatch(of: line) != nil }.count == 1, "\(lines)")
    }

    @Test
    func `operations of a user's own type are checked by a model`() throws {
      let failure = try #require(throws: ScheduleFailure.self) { _ = try Additions<Faulty.Tally>.run() }
      #expect(failure.message.hasPrefix("the operations are not linearizable: "), "\(failure)")
      report(failure, of: "tally")
      let coverage = try Additions<Mended.Tally>.run()
      #expect(coverage.isExhausted, "\(coverage)")
    }
  }

  // Blocks its thread, which an asynchronous function must not do.
  private func wait(for semaphore: DispatchSemaphore) {
    semaphore.wait()
  }
#endif
