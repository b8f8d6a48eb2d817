#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    /// Scenarios of asynchronous functions that sources call with their values.
    @Suite
    struct AsyncFunctions {
      @Test
      func `G3 a newer value comes as the call for an older one ends`() throws {
        try explore("a newer value against the end of a call", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let running = Log<Int>()
          let stream = cell.mapLatest { value in
            running.append(1)
            world.expect(running.all.reduce(0, +) == 1, "two calls run")
            await Task.yield()
            running.append(-1)
            return value
          }
          .values(backlog: .unbounded)
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await phase in stream {
              if case .loaded(let content) = phase { seen.append(content) }
            }
            world.expectRising(seen, "the reader")
            world.expect(seen.last == 2, "the reader ended on \(seen)")
          }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
            cell.finish()
          }
          world.task("judge") {
            await reader.value
            await cell.settled()
            world.expectForgotten(by: cell, "the source")
          }
        }
      }

      @Test
      func `G8 G13 the last reader leaves as a call ends, and another one comes`() throws {
        try explore("the last reader leaves as a call ends", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(1)
          let source = cell.mapLatest { $0 }.compactMap(\.content)
          let seen = Log<Int>()
          let relayCell: AnyCell = source.cursor.root.cell
          let token = source.observe(on: world.context()) { seen.append($0) }
          let tasks = [
            world.task("leaver") { await token.cancelAndWait() },
            world.task("writer") { cell.send(2) },
            world.task("newcomer") {
              let content = await source.first { $0 == 2 }
              world.expect(content == 2, "the newcomer found \(content, default: "nothing")")
            },
          ]
          world.task("judge") {
            for task in tasks { await task.value }
            world.expectRising(seen.all, "the observer")
          }
          // The lane's last turn, which takes the observer out of the count, may end after `cancelAndWait`.
          world.finally {
            world.expectForgotten(by: cell, "the source")
            world.expect(relayCell.readerCount == 0, "\(relayCell.readerCount) read the phases")
          }
        }
      }

      @Test
      func `G4 calls end in any order, against the end of their source`() throws {
        try explore("calls end against their source", within: ExplorationBudget(depthFirst: 3000)) { world in
          let cell = BindableActor(0)
          let stream = cell.asyncMap(maxConcurrent: 2) { value in
            await Task.yield()
            return value
          }
          .values(backlog: .unbounded)
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await value in stream { seen.append(value) }
            world.expect(seen == [0, 1, 2, 3], "the reader saw \(seen)")
          }
          world.task("writer") {
            for value in 1...3 { cell.send(value) }
            cell.finish()
          }
          world.task("judge") {
            await reader.value
            await cell.settled()
            world.expectForgotten(by: cell, "the source")
          }
        }
      }

      @Test
      func `G3 G12 a newer value cancels the call of a loop`() throws {
        try explore("a newer value against a loop's call", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let (began, running) = (Log<Int>(), Log<Int>())
          let loop = world.task("loop") {
            await cell.forEachLatest { value in
              began.append(value)
              running.append(1)
              world.expect(running.all.reduce(0, +) == 1, "two calls run")
              await Task.yield()
              running.append(-1)
            }
          }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
            cell.finish()
          }
          world.task("judge") {
            await loop.value
            world.expectRising(began.all, "the loop")
            world.expect(began.all.last == 2, "the loop ended on \(began.all)")
            world.expect(running.all.reduce(0, +) == 0, "a call runs after the loop has ended")
            await cell.settled()
            world.expectForgotten(by: cell, "the source")
          }
        }
      }
    }
  }
#endif
