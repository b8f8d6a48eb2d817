#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    /// Scenarios of combinations of a list of sources.
    @Suite
    struct Lists {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 a list against transactions of two of its cells`(_ backlog: Backlog) throws {
        try explore("a list against a transaction, \(backlog)", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cells = (0...2).map { _ in BindableActor(0) }
          let stream = combineLatest(cells).values(backlog: backlog)
          let reader = world.task("reader") {
            var last: [Int] = []
            for await values in stream {
              last = Array(values)
              world.expect(values[0] == values[1], "half of a transaction: \(last)")
            }
            world.expect(last == [2, 2, 1], "the reader ended on \(last)")
          }
          world.task("transactions") {
            for number in 1...2 {
              BindingTransaction.run { transaction in
                transaction[cells[0]] = number
                transaction[cells[1]] = number
              }
            }
            cells[0].finish()
            cells[1].finish()
          }
          world.task("writer") {
            cells[2].send(1)
            cells[2].finish()
          }
          world.task("judge") {
            await reader.value
            for cell in cells {
              await cell.settled()
              world.expectForgotten(by: cell, "a source")
            }
          }
        }
      }

      @Test
      func `G4 all values of a merged list, against its writers`() throws {
        try explore("a merged list against its writers", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cells = (0...1).map { BindableActor(100 * $0) }
          let stream = merge(cells).values(backlog: .unbounded)
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await value in stream { seen.append(value) }
            world.expectRising(seen.filter { $0 < 100 }, "of the first cell the reader")
            world.expectRising(seen.filter { $0 >= 100 }, "of the second cell the reader")
            world.expect(seen.count == 6, "the reader saw \(seen)")
          }
          for (number, cell) in cells.enumerated() {
            world.task("writer \(number)") {
              for value in 1...2 { cell.send(100 * number + value) }
              cell.finish()
            }
          }
          world.task("judge") {
            await reader.value
            for cell in cells {
              await cell.settled()
              world.expectForgotten(by: cell, "a source")
            }
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G8 G13 readers of a list come and leave while it is written`(_ backlog: Backlog) throws {
        try explore(
          "readers of a list come and leave, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let cells = (0...1).map { _ in BindableActor(0) }
          let source = combineLatest(cells)
          let seen = Log<Int>()
          let token = source.observe(on: world.context(), backlog: .latest) { seen.append($0.reduce(0, +)) }
          let tasks = [
            world.task("leaver") { await token.cancelAndWait() },
            world.task("writer of the first cell") { cells[0].send(1) },
            world.task("writer of the second cell") { cells[1].send(2) },
            world.task("newcomer") {
              for await values in source.values(backlog: backlog) {
                if Array(values) == [1, 2] { break }
              }
            },
          ]
          world.task("judge") {
            for task in tasks { await task.value }
            world.expectRising(seen.all, "the observer")
          }
          // The lane's last turn, which takes the observer out of the count, may end after `cancelAndWait`.
          world.finally {
            for cell in cells {
              world.expectForgotten(by: cell, "a source")
              world.expect(cell.cell.locked { $0.writeObservers == nil }, "a write is noted for no reader")
            }
          }
        }
      }
    }
  }
#endif
