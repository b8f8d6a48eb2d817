#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  // Readers of keys that look at the hash only if they must.
  extension Schedules.Keys {
    @Test
    func `G3 settled waits for a write that another writer has distributed`() throws {
      try explore(
        "two batches of one key, and settled after each",
        within: ExplorationBudget(depthFirst: 3000)
      ) { world in
        let cell = BindableDictionary(["a": 0])
        let seen = Log<Int>()
        let token = cell.source(forKey: "a").observe(on: world.context()) { seen.append($0 ?? -1) }
        let writers = (1...2).map { number in
          world.task("writer \(number)") {
            await cell.settled()
            let own = cell.modify { entries in
              entries["a"]? += 1
              return entries["a"] ?? -1
            }
            await cell.settled()
            world.expect(seen.all.last ?? -1 >= own, "saw \(seen.all), and had written \(own)")
          }
        }
        world.task("judge") {
          for writer in writers { await writer.value }
          world.expectRising(seen.all, "the watcher")
          withExtendedLifetime(token) {}
        }
      }
    }

    @Test
    func `G11 settled waits for the end that another thread has begun`() throws {
      try explore(
        "a dictionary ends twice, and is settled after each",
        within: ExplorationBudget(depthFirst: 3000)
      ) { world in
        let cell = BindableDictionary(["a": 0])
        let token = cell.source(forKey: "a").observe(on: world.context()) { _ in }
        let finishers = (1...2).map { number in
          world.task("finisher \(number)") {
            await cell.settled()
            cell.finish()
            await cell.settled()
            world.expect(cell.observerCount == 0, "\(cell.observerCount) observers are left")
          }
        }
        world.task("judge") {
          for finisher in finishers { await finisher.value }
          withExtendedLifetime(token) {}
        }
      }
    }

    @Test(arguments: [Backlog.latest, .unbounded])
    func `G3 G15 a watcher is busy while its key is written`(backlog: Backlog) throws {
      try explore(
        "a key is written while its watcher is busy, \(backlog)",
        within: ExplorationBudget(depthFirst: 3000)
      ) {
        world in
        let (a, b) = (Clash("a"), Clash("b"))
        let cell = BindableDictionary([a: 0, b: 0])
        let seen = Log<Int>()
        let token = cell.source(forKey: a).observe(on: world.context(), backlog: backlog) { value in
          seen.append(value ?? -1)
        }
        let writers = [
          world.task("writer of a") {
            await cell.settled()
            cell.set(1, forKey: a)
            cell.set(2, forKey: a)
          },
          world.task("writer of b") { cell.set(1, forKey: b) },
        ]
        world.task("judge") {
          for writer in writers { await writer.value }
          await cell.settled()
          world.expectRising(seen.all, "the watcher")
          world.expect(seen.all.last == 2, "the watcher ended on \(seen.all)")
          if backlog == .unbounded { world.expect(seen.all == [0, 1, 2], "saw \(seen.all)") }
          withExtendedLifetime(token) {}
        }
      }
    }

    // Here too the judge does not call `settled`, which would bring the follower of the key up to date.
    @Test
    func `G3 the observer of a key sees the last of three writes`() throws {
      try explore("three writes to a watched key", within: ExplorationBudget(depthFirst: 3000)) { world in
        let cell = BindableDictionary(["a": 0])
        let (calls, called) = AsyncStream.makeStream(of: Int.self)
        let token = cell.source(forKey: "a").observe(on: world.context()) { called.yield($0 ?? -1) }
        world.task("writer") { for value in 1...3 { cell.set(value, forKey: "a") } }
        world.task("judge") {
          for await value in calls where value == 3 { break }
          await token.cancelAndWait()
        }
      }
    }

    // The watcher that begins last may join between the look-up of the first one and the step in which the first one
    // begins.
    @Test
    func `G3 two watchers of one key begin, and both see the first write`() throws {
      try explore("two watchers of one key begin", within: ExplorationBudget(depthFirst: 3000)) { world in
        let cell = BindableDictionary(["a": 0])
        for number in 1...2 {
          world.task("watcher \(number)") {
            for await value in cell.source(forKey: "a").values where value == 1 { break }
          }
        }
        world.task("writer") { cell.set(1, forKey: "a") }
      }
    }
  }
#endif
