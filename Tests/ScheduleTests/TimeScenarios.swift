#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  /// A clock that a scenario advances, with schedule points like those of cells.
  private struct CellClock: Clock {
    struct Instant: InstantProtocol {
      var ticks: Int

      func advanced(by duration: Swift.Duration) -> Instant {
        Instant(ticks: ticks + Int(duration.components.seconds))
      }

      func duration(to other: Instant) -> Swift.Duration { .seconds(other.ticks - ticks) }
      static func < (left: Instant, right: Instant) -> Bool { left.ticks < right.ticks }
    }

    let ticks = BindableActor(0)

    var now: Instant { Instant(ticks: ticks.value) }
    var minimumResolution: Swift.Duration { .seconds(1) }

    func sleep(until instant: Instant, tolerance: Swift.Duration?) async throws {
      let found = await ticks.first { $0 >= instant.ticks }
      if found == nil { throw CancellationError() }
    }

    func advance() {
      ticks.modify { $0 += 10 }
    }
  }

  extension Schedules {
    /// Scenarios of operators that wait for a clock, against writers, readers that leave, and the end.
    @Suite
    struct Times {
      @Test
      func `G3 the last value comes through debounce`() throws {
        try explore("debounce against its source and the clock", within: ExplorationBudget(depthFirst: 2000))
        { world in
          let (cell, clock) = (BindableActor(0), CellClock())
          let source = cell.debounce(for: .seconds(1), clock: clock)
          let stream = source.values(backlog: .unbounded)
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await value in stream {
              seen.append(value)
              if value == 2 { break }
            }
            world.expectRising(seen, "the reader")
          }
          let writer = world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          let ticker = world.task("ticker") { clock.advance() }
          world.task("judge") {
            await writer.value
            await ticker.value
            await cell.settled()
            clock.advance()
            await reader.value
          }
        }
      }

      @Test
      func `a feed has a line while it is read, and none when the time without readers has passed`() throws {
        try explore(
          "readers of a feed come and leave as its time ends",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (clock, opened, closed) = (CellClock(), Log<Int>(), Log<Int>())
          let source = feed(keepingOpen: .seconds(10), clock: clock) { () -> AsyncStream<Int> in
            world.expect(opened.all.count == closed.all.count, "two lines are open")
            opened.append(1)
            return AsyncStream { $0.yield(1) }
          } onEnd: { _ in
            closed.append(1)
          }
          let readers = (1...2).map { number in
            world.task("reader \(number)") {
              let (calls, called) = AsyncStream.makeStream(of: Int.self)
              let token = source.observe(on: world.context()) { called.yield($0) }
              for await value in calls where value == 1 { break }
              await token.cancelAndWait()
            }
          }
          let ticker = world.task("ticker") { clock.advance() }
          world.task("judge") {
            for task in readers + [ticker] { await task.value }
            clock.advance()
          }
          world.finally {
            world.expect(opened.all.count <= closed.all.count, "\(opened.all.count) lines were opened")
            world.expect(closed.all.count <= 2, "\(closed.all.count) lines were closed")
          }
        }
      }

      @Test
      func `a feed that closes when its last reader leaves has one line at a time`() throws {
        try explore("readers of a feed come and leave", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (opened, closed) = (Log<Int>(), Log<Int>())
          let source = feed { () -> AsyncStream<Int> in
            world.expect(opened.all.count == closed.all.count, "two lines are open")
            opened.append(1)
            return AsyncStream { $0.yield(1) }
          } onEnd: { _ in
            closed.append(1)
          }
          for number in 1...2 {
            world.task("reader \(number)") {
              for await value in source.values(backlog: .unbounded) where value == 1 { break }
            }
          }
          world.finally { world.expect(opened.all.count == closed.all.count, "a line is open") }
        }
      }

      @Test(arguments: [true, false])
      func `G3 the last value comes through throttle`(latest: Bool) throws {
        try explore(
          "throttle against its source and the clock, \(latest)",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          let (cell, clock) = (BindableActor(0), CellClock())
          let source = cell.throttle(for: .seconds(1), latest: latest, clock: clock)
          let stream = source.values(backlog: .unbounded)
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await value in stream {
              seen.append(value)
              clock.advance()
            }
            world.expectRising(seen, "the reader")
            world.expect(seen.last == 3, "the reader ended on \(seen)")
          }
          let writer = world.task("writer") { for value in 1...3 { cell.send(value) } }
          world.task("judge") {
            await writer.value
            await cell.settled()
            clock.advance()
            cell.finish()
            await reader.value
          }
        }
      }

      @Test
      func `G11 the source ends as the time of a value comes`() throws {
        try explore("debounce against the clock and the end", within: ExplorationBudget(depthFirst: 2000)) {
          world in
          let (cell, clock) = (BindableActor(0), CellClock())
          let stream = cell.debounce(for: .seconds(1), clock: clock).values(backlog: .unbounded)
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await value in stream { seen.append(value) }
            world.expectRising(seen, "the reader")
            world.expect(seen.last == 1, "the reader ended on \(seen)")
          }
          let others = [
            world.task("writer") {
              cell.send(1)
              cell.finish()
            },
            world.task("ticker") { clock.advance() },
          ]
          world.task("judge") {
            for task in [reader] + others { await task.value }
          }
        }
      }

      @Test
      func `G11 the sources of a throttled combination end at different times`() throws {
        try explore(
          "throttle over a combination against both ends",
          within: ExplorationBudget(depthFirst: 2000)
        ) { world in
          let (a, b, clock) = (BindableActor(0), BindableActor(0), CellClock())
          let source = combineLatest(a, b).map { $0 + $1 }.throttle(for: .seconds(1), clock: clock)
          let stream = source.values(backlog: .unbounded)
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await value in stream { seen.append(value) }
            world.expectRising(seen, "the reader")
            world.expect(seen.last == 12, "the reader ended on \(seen)")
          }
          let writers = [
            world.task("writer of a") {
              a.send(1)
              a.send(2)
              a.finish()
            },
            world.task("writer of b") {
              b.send(10)
              b.finish()
            },
            world.task("ticker") { clock.advance() },
          ]
          world.task("judge") {
            for task in writers + [reader] { await task.value }
            for cell in [a, b] { await cell.settled() }
            world.expectForgotten(by: a, "a")
            world.expectForgotten(by: b, "b")
          }
        }
      }

      @Test
      func `G3 readers of throttle come and leave as its interval ends`() throws {
        try explore(
          "readers of throttle come and leave as its interval ends",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          let (cell, clock) = (BindableActor(0), CellClock())
          let source = cell.throttle(for: .seconds(1), clock: clock)
          let readers = [1, 2].map { last in
            world.task("until \(last)") {
              var seen: [Int] = []
              for await value in source.values(backlog: .unbounded) {
                seen.append(value)
                if value >= last { break }
              }
              world.expectRising(seen, "the reader until \(last)")
            }
          }
          let others = [
            world.task("writer") { for value in 1...2 { cell.send(value) } },
            world.task("ticker") { clock.advance() },
          ]
          world.task("judge") {
            for task in others { await task.value }
            await cell.settled()
            clock.advance()
            for task in readers { await task.value }
            await cell.settled()
            world.expectForgotten(by: cell, "the source")
          }
        }
      }

      @Test
      func `G16 a wait ends in time, whatever is written`() throws {
        try explore("the time of first passes against a write", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (cell, clock) = (BindableActor(0), CellClock())
          let others = [
            world.task("writer") {
              cell.send(1)
              cell.send(2)
            },
            world.task("ticker") { clock.advance() },
          ]
          let search = world.task("search") {
            // The clock may be advanced before the call reads it. Then nothing but the value ends the wait.
            let found = await cell.first(where: { $0 == 2 }, timeout: .seconds(1), clock: clock)
            world.expect(found == 2 || found == nil, "it found \(String(describing: found))")
            world.expect(found == 2 || clock.ticks.value > 0, "it gave up early")
          }
          world.task("judge") {
            for task in others { await task.value }
            await search.value
            world.expectForgotten(by: cell, "the source")
          }
        }
      }

      @Test
      func `G16 a wait that only the clock can end does end`() throws {
        try explore("the time of first passes against parking", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (cell, clock) = (BindableActor(0), CellClock())
          let hasAsked = BindableActor(false)
          let search = world.task("search") {
            let found = await cell.first(
              where: { _ in
                hasAsked.send(true)
                return false
              },
              timeout: .seconds(1),
              clock: clock
            )
            world.expect(found == nil, "it found \(String(describing: found))")
          }
          let ticker = world.task("ticker") {
            // The call has read the clock before it asks the predicate.
            _ = await hasAsked.first { $0 }
            clock.advance()
          }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          world.task("judge") {
            await search.value
            await ticker.value
          }
        }
      }

      @Test
      func `G13 the last reader leaves as the time of a value comes`() throws {
        try explore(
          "a reader of debounce leaves as its time comes",
          within: ExplorationBudget(depthFirst: 2000)
        ) { world in
          let (cell, clock) = (BindableActor(0), CellClock())
          let source = cell.debounce(for: .seconds(1), clock: clock)
          let seen = Log<Int>()
          let token = source.observe(on: world.context()) { seen.append($0) }
          let others = [
            world.task("writer") { cell.send(1) },
            world.task("ticker") { clock.advance() },
            world.task("leaver") { await token.cancelAndWait() },
          ]
          world.task("judge") {
            for task in others { await task.value }
            world.expectRising(seen.all, "the observer")
            // A reader that begins now waits again, for the newest value.
            var late = source.values(backlog: .unbounded).makeAsyncIterator()
            await cell.settled()
            clock.advance()
            let value = await late.next()
            world.expect(value == 1, "a later reader got \(String(describing: value))")
          }
        }
      }
    }
  }
#endif
