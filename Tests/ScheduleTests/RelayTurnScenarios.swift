#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    /// Scenarios of the turns of relays, which run on the threads of writers, of lanes and of jobs.
    @Suite
    struct RelayTurns {
      @Test(arguments: [Backlog.latest, .unbounded])
      func `G2 a switch whose observer is called on the writers' threads`(_ backlog: Backlog) throws {
        try explore(
          "a switch on a context that runs at once, \(backlog)",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          let outer = BindableActor(0)
          let rooms = (0...1).map { BindableActor(10 * $0) }
          let seen = Log<Int>()
          let source = outer.flatMapLatest { [rooms] in rooms[$0] }
          let cell: AnyCell = source.cursor.root.cell
          let token = source.observe(on: atOnce(seen), backlog: backlog) { seen.append($0) }
          let writers = [
            world.task("guide") {
              rooms[0].send(1)
              outer.send(1)
              rooms[0].send(2)
            },
            world.task("speaker") { rooms[1].send(11) },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            for source in rooms + [outer] { await source.settled() }
            await cell.settled()
            world.expectRising(seen.all, "the observer")
            world.expect(!seen.all.contains(2), "what the old source got after the switch: \(seen.all)")
            world.expect(seen.all.last == 11, "the observer ended on \(seen.all)")
            token.cancel()
            // The outer source first: a turn of the switch that was under way may just begin to read a room.
            for cell in [outer] + rooms {
              await cell.settled()
              world.expectForgotten(by: cell, "a source")
            }
          }
        }
      }

      @Test(arguments: [Backlog.bounded(4), .unbounded])
      func `G4 a switch whose newest source has two writers`(_ backlog: Backlog) throws {
        try explore(
          "two writers of the newest source of a switch, \(backlog)",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          let (outer, room) = (BindableActor(0), BindableActor(0))
          let seen = Log<Int>()
          let source = outer.flatMapLatest(innerBacklog: backlog) { [room] _ in room }
          let cell: AnyCell = source.cursor.root.cell
          let token = source.observe(on: atOnce(seen), backlog: backlog) { seen.append($0) }
          let writers = (0..<2).map { _ in world.task("writer") { room.modify { $0 += 1 } } }
          world.task("judge") {
            for writer in writers { await writer.value }
            await room.settled()
            await cell.settled()
            world.expect(seen.all == [0, 1, 2], "the observer saw \(seen.all)")
            token.cancel()
            for cell in [room, outer] {
              await cell.settled()
              world.expectForgotten(by: cell, "a source")
            }
          }
        }
      }

      @Test
      func `G3 a switch whose observer's context queues its work`() throws {
        try explore(
          "a lane leaves the turn of a switch to a job",
          within: ExplorationBudget(depthFirst: 2000)
        ) { world in
          let outer = BindableActor(0)
          let rooms = (0...1).map { BindableActor(10 * $0) }
          let seen = Log<Int>()
          let source = outer.flatMapLatest { [rooms] in rooms[$0] }
          let cell: AnyCell = source.cursor.root.cell
          let token = source.observe(on: world.context()) { seen.append($0) }
          let writers = [
            world.task("guide") { outer.send(1) },
            world.task("speaker") { rooms[1].send(11) },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            for source in rooms + [outer] { await source.settled() }
            await cell.settled()
            world.expectRising(seen.all, "the observer")
            world.expect(seen.all.last == 11, "the observer ended on \(seen.all)")
            token.cancel()
          }
        }
      }

      @Test
      func `G8 an observer of a switch is cancelled while it takes a turn`() throws {
        try explore(
          "an observer on a writer's thread is cancelled",
          within: ExplorationBudget(depthFirst: 2000)
        ) { world in
          let outer = BindableActor(0)
          let rooms = (0...1).map { BindableActor(10 * $0) }
          let (seen, isQuiet) = (Log<Int>(), Flag())
          let source = outer.flatMapLatest { [rooms] in rooms[$0] }
          let token = source.observe(on: atOnce(seen)) { value in
            world.expect(!isQuiet.isSet, "called with \(value) after cancelAndWait had returned")
          }
          let others = [
            world.task("guide") { outer.send(1) },
            world.task("speaker") { rooms[0].send(1) },
            world.task("canceller") {
              await token.cancelAndWait()
              isQuiet.set()
            },
          ]
          world.task("judge") {
            for task in others { await task.value }
            // The outer source first: a turn of the switch that was under way may just begin to read a room.
            for cell in [outer] + rooms {
              await cell.settled()
              world.expectForgotten(by: cell, "a source")
            }
          }
        }
      }

      @Test
      func `G3 a throttled cell with two writers and the end`() throws {
        try explore("throttle against two writers and the end", within: ExplorationBudget(depthFirst: 2000)) {
          world in
          let cell = BindableActor(0)
          let stream = cell.throttle(for: .zero).values(backlog: .unbounded)
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await value in stream { seen.append(value) }
            world.expect(seen == seen.sorted(), "the reader saw \(seen)")
            world.expect(seen.last == 2, "the reader ended on \(seen)")
          }
          let writers = [1, 2].map { value in
            world.task("writer of \(value)") { cell.modify { $0 = max($0, value) } }
          }
          world.task("judge") {
            for writer in writers { await writer.value }
            cell.finish()
            await reader.value
            await cell.settled()
            world.expectForgotten(by: cell, "the source")
          }
        }
      }

      // A context that runs each job on the thread that schedules it.
      private func atOnce(_ id: AnyObject) -> DeliveryContext {
        DeliveryContext(id: ObjectIdentifier(id)) { $0() }
      }
    }
  }
#endif
