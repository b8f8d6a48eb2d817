#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import ActorBindingsTesting
  import Testing

  extension Schedules {
    /// Scenarios of tests that wait until nothing is under way.
    @Suite
    struct Quiescence {
      @Test
      func `a write has caused everything that it causes when quiesce returns`() throws {
        try explore(
          "quiesce against calls and cells that follow",
          within: ExplorationBudget(depthFirst: 1200)
        ) {
          world in
          let cell = BindableActor(0)
          let found = cell.mapLatest { value in
            await Task.yield()
            return value
          }
          let total = BindableActor(
            initially: 0,
            of: combineLatest(found, cell).map { ($0.content ?? 0) + $1 }
          )
          let seen = Log<Int>()
          let token = total.observe(on: world.context()) { seen.append($0) }
          let writer = world.task("writer") { cell.send(1) }
          world.task("test") {
            await writer.value
            try? await quiesce(cell)
            world.expect(seen.all.last == 2, "the observer has seen \(seen.all)")
            world.expect(total.value == 2, "the total is \(total.value)")
            token.cancel()
          }
        }
      }

      @Test
      func `a timer has fired, and its value has arrived, when advance returns`() throws {
        try explore("advance against a timer and its readers", within: ExplorationBudget(depthFirst: 1200)) {
          world in
          let (cell, clock) = (BindableActor(0), ManualClock())
          let seen = Log<Int>()
          let source = cell.debounce(for: .seconds(1), clock: clock).delay(for: .seconds(1), clock: clock)
          let token = source.observe(on: world.context()) { seen.append($0) }
          world.task("test") {
            cell.send(1)
            try? await clock.advance(by: .milliseconds(1_999))
            world.expect(seen.all == [], "the observer has seen \(seen.all)")
            try? await clock.advance(by: .milliseconds(1))
            world.expect(seen.all == [1], "the observer has seen \(seen.all)")
            world.expect(clock.deadlines.isEmpty, "a timer is left")
            token.cancel()
          }
        }
      }

      @Test
      func `an element has been written when advance returns`() throws {
        try explore("advance against a sequence that sleeps", within: ExplorationBudget(depthFirst: 300)) {
          world in
          let (cell, clock) = (BindableActor(0), ManualClock())
          let sequence = AsyncStream<Int> {
            try? await clock.sleep(for: .seconds(1))
            return cell.value + 1
          }
          let token = cell.follow(sequence)
          world.task("test") {
            _ = await clock.sleepers.first { $0 == 1 }
            try? await clock.advance(by: .seconds(1))
            world.expect(cell.value == 1, "the cell holds \(cell.value)")
            token.cancel()
          }
        }
      }

      @Test
      func `a cell has the element of a scripted feed when send returns`() throws {
        struct Dropped: Error {}
        try explore("a scripted feed against advance", within: ExplorationBudget(depthFirst: 300)) { world in
          let (cell, clock, feed) = (BindableActor(0), ManualClock(), ScriptedFeed<Int>())
          let token = cell.follow(retry: .backoff(first: .seconds(1)), clock: clock) { try await feed.open() }
          world.task("test") {
            try? await feed.send(1)
            world.expect(cell.value == 1, "the cell holds \(cell.value)")
            try? await feed.end(throwing: Dropped())
            try? await clock.advance(by: .seconds(1))
            world.expect(feed.attempts.value == 2, "\(feed.attempts.value) lines were opened")
            try? await feed.send(2)
            world.expect(cell.value == 2, "the cell holds \(cell.value)")
            token.cancel()
          }
        }
      }

      @Test
      func `a function has returned when advance returns`() throws {
        try explore("advance against a call that sleeps", within: ExplorationBudget(depthFirst: 1200)) {
          world in
          let (cell, clock) = (BindableActor(0), ManualClock())
          let seen = Log<Int>()
          let found = cell.mapLatest { value in
            try await clock.sleep(for: .seconds(1))
            return value
          }
          let token = found.compactMap(\.content).observe(on: world.context()) { seen.append($0) }
          let writer = world.task("writer") { cell.send(1) }
          world.task("test") {
            await writer.value
            try? await quiesce(cell)
            world.expect(clock.deadlines.count == 1, "\(clock.deadlines.count) tasks sleep")
            try? await clock.advance(by: .seconds(1))
            world.expect(seen.all == [1], "the observer has seen \(seen.all)")
            token.cancel()
          }
        }
      }
    }
  }
#endif
