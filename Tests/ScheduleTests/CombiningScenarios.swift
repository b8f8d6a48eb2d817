#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  private struct Pair: Hashable, Sendable {
    var left: Int
    var right: Int

    init(_ left: Int, _ right: Int) {
      self.left = left
      self.right = right
    }
  }

  private typealias Cursors = CombineLatestCursor<CellCursor<Int>, CellCursor<Int>>

  // The type says which cell the source reads, so that a scenario can check the state of that cell.
  private func pairs(
    _ left: BindableActor<Int>,
    _ right: BindableActor<Int>
  ) -> DerivedSource<MapCursor<Cursors, Pair>> {
    combineLatest(left, right).map { Pair($0, $1) }
  }

  /// An actor that follows two cells on its own isolation.
  private actor Reviewer {
    private(set) var seen: [Pair] = []
    private var token: BindingToken?

    func follow(_ source: some BindingSource<Pair>, backlog: Backlog) {
      token = source.observe(self, backlog: backlog) { me, pair in
        me.assumeIsolated { $0.seen.append(pair) }
      }
    }

    func cancel() {
      token?.cancel()
    }
  }

  extension ExplorationWorld {
    /// Checks that each joint state differs from the previous state, and that neither cell goes back.
    fileprivate func expectRising(_ pairs: [Pair], _ who: String) {
      let isRising = zip(pairs, pairs.dropFirst()).allSatisfy { former, later in
        former != later && former.left <= later.left && former.right <= later.right
      }
      expect(isRising, "\(who) saw \(pairs)")
    }
  }

  extension Schedules {
    /// Scenarios of combinations: readers that read, park and leave, against writers.
    @Suite
    struct Combining {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 a loop over two cells against their writers`(_ backlog: Backlog) throws {
        try explore(
          "a loop over two cells against their writers, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let reader = world.task("reader") {
            var seen: [Pair] = []
            var former: Update<Pair>?
            for await update in pairs(a, b).updates(backlog: backlog) {
              seen.append(update.value)
              world.expect(
                Int(update.version) == update.value.left + update.value.right,
                "\(update) is not of that version"
              )
              if let former {
                // Each cell has only one update, so no update can have been skipped.
                world.expect(update.skipped == 0, "\(update) after \(former)")
                let isNext = update.version == former.version + 1
                world.expect(isNext || backlog == .latest, "\(update) after \(former)")
              }
              former = update
              if update.value == Pair(1, 1) { break }
            }
            world.expectRising(seen, "the reader")
            world.expect(seen.last == Pair(1, 1), "the reader ended on \(seen)")
          }
          let writers = [a, b].map { cell in world.task("writer") { cell.send(1) } }
          world.task("judge") {
            await reader.value
            for writer in writers { await writer.value }
            world.expectForgotten(by: a, "a")
            world.expectForgotten(by: b, "b")
          }
        }
      }

      @Test
      func `G3 a look finds a write before its writer wakes the input waiter`() throws {
        try explore("a look between a write and its wake-up", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await pair in pairs(a, b).values {
              seen.append(10 * pair.left + pair.right)
              if pair.left == 2, pair.right == 1 { break }
            }
            world.expectRising(seen, "the reader")
            world.expect(seen.last == 21, "the reader ended on \(seen)")
          }
          let writers = [
            world.task("writer of a") {
              a.send(1)
              a.send(2)
            },
            world.task("writer of b") { b.send(1) },
          ]
          world.task("judge") {
            for task in writers + [reader] { await task.value }
            world.expectForgotten(by: a, "a")
            world.expectForgotten(by: b, "b")
          }
        }
      }

      @Test
      func `G2 two combinations of two cells see one order`() throws {
        try explore("two combinations see one order", within: ExplorationBudget(depthFirst: 3000)) { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let seen = Log<Pair>()
          let streams = [pairs(a, b).values(backlog: .unbounded), pairs(a, b).values(backlog: .unbounded)]
          let readers = streams.map { stream in
            world.task("reader") { for await pair in stream { seen.append(pair) } }
          }
          for cell in [a, b] {
            world.task("writer") {
              cell.send(1)
              cell.finish()
            }
          }
          world.task("judge") {
            for reader in readers { await reader.value }
            world.expect(seen.all.count == 6, "they saw \(seen.all)")
            world.expect(Set(seen.all).count == 3, "they saw different orders: \(seen.all)")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
      func `G3 an observer of two cells ends on the last values`(_ backlog: Backlog) throws {
        try explore(
          "an observer of two cells against their writers, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let seen = Log<Pair>()
          let token = pairs(a, b).observe(on: world.context(), backlog: backlog) { seen.append($0) }
          let writers = [a, b].map { cell in world.task("writer") { cell.send(1) } }
          world.task("judge") {
            for writer in writers { await writer.value }
            await b.settled()
            world.expectRising(seen.all, "the observer")
            world.expect(seen.all.last == Pair(1, 1), "the observer ended on \(seen.all)")
            world.expect(backlog == .latest || seen.all.count == 3, "the observer saw \(seen.all)")
            await token.cancelAndWait()
            world.expectForgotten(by: a, "a")
            world.expectForgotten(by: b, "b")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G6 two cells observed on the caller's isolation against their writers`(_ backlog: Backlog) throws
      {
        try explore(
          "two cells observed on the caller's isolation, \(backlog)",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let reviewer = Reviewer()
          let following = world.task("reviewer") { await reviewer.follow(pairs(a, b), backlog: backlog) }
          let writers = [a, b].map { cell in world.task("writer") { cell.send(1) } }
          world.task("judge") {
            await following.value
            for writer in writers { await writer.value }
            await a.settled()
            let seen = await reviewer.seen
            world.expectRising(seen, "the reviewer")
            world.expect(seen.last == Pair(1, 1), "the reviewer ended on \(seen)")
            await reviewer.cancel()
            world.expect(a.observerCount == 0 && b.observerCount == 0, "it still counts")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `two sources of one cell show one update`(_ backlog: Backlog) throws {
        try explore("the diamond against send, \(backlog)", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let diamond = pairs(cell, cell)
          let stream = diamond.versioned().values(backlog: backlog)
          world.task("reader") {
            var last = -1
            for await update in stream {
              world.expect(update.value.left == update.value.right, "a pair that never existed: \(update)")
              world.expect(update.value.left > last, "\(update) after \(last)")
              world.expect(update.version == UInt64(update.value.left), "\(update) is not of that version")
              last = update.value.left
            }
            world.expect(last == 2, "the reader ended on \(last)")
          }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
            cell.finish()
          }
          world.task("passer-by") {
            let value = diamond.value
            world.expect(value.left == value.right, "a pair that never existed: \(value)")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `readers of a combination come and go beside a writer`(_ backlog: Backlog) throws {
        try explore(
          "readers of two cells come and go, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let source = pairs(a, b)
          let readers = ["a", "b"].map { name in
            world.task(name) {
              var seen: [Pair] = []
              for await pair in source.values(backlog: backlog) {
                seen.append(pair)
                // One reader leaves at once; the other waits for the last value.
                if name == "a" || pair == Pair(1, 1) { break }
              }
              world.expectRising(seen, name)
            }
          }
          let writers = [a, b].map { cell in world.task("writer") { cell.send(1) } }
          world.task("judge") {
            for task in readers + writers { await task.value }
            world.expectForgotten(by: a, "a")
            world.expectForgotten(by: b, "b")
            source.cursor.root.cell.locked { state, roster in
              state.checkInvariants(roster)
              world.expect(roster.readers == 0, "\(roster.readers) read what follows them")
            }
          }
        }
      }

      @Test
      func `G5 an unbounded reader of a combination leaves a bounded one behind`() throws {
        try explore(
          "an unbounded reader of two cells leaves a bounded one",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let source = pairs(a, b).versioned()
          let updates = source.values(backlog: .bounded(2))
          let all = source.values(backlog: .unbounded)
          world.task("unbounded") { for await _ in all { break } }
          world.task("bounded") {
            var former = Pair(-1, -1)
            for await update in updates {
              let new = update.value
              let steps = [new.left - former.left, new.right - former.right]
              world.expect(
                update.skipped == steps.reduce(0) { $0 + max(0, $1 - 1) },
                "\(update) after \(former)"
              )
              former = new
            }
            world.expect(former == Pair(2, 1), "the reader ended on \(former)")
          }
          world.task("writer") {
            a.send(1)
            b.send(1)
            a.send(2)
            a.finish()
            b.finish()
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G11 a combination ends with both cells`(_ backlog: Backlog) throws {
        try explore(
          "finish of two cells against a loop over both, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let reader = world.task("reader") {
            var last: Pair?
            for await pair in pairs(a, b).values(backlog: backlog) { last = pair }
            world.expect(last == Pair(1, 0), "the reader ended on \(String(describing: last))")
          }
          world.task("a") {
            a.send(1)
            a.finish()
          }
          world.task("b") { b.finish() }
          world.task("judge") {
            await reader.value
            world.expectForgotten(by: a, "a")
            world.expectForgotten(by: b, "b")
          }
        }
      }

      @Test
      func `G11 deallocation of one cell against an observer of both`() throws {
        try explore(
          "deinit of one of two cells against delivery",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let holder = Holder(BindableActor(0))
          let b = BindableActor(0)
          let seen = Log<Pair>()
          let token = holder.withElement { a in
            pairs(a, b).observe(on: world.context(), backlog: .unbounded) { seen.append($0) }
          }
          let dropper = world.task("dropper") {
            holder.withElement { $0.send(1) }
            holder.empty()
          }
          let writer = world.task("writer") {
            b.send(1)
            b.finish()
          }
          world.task("judge") {
            await dropper.value
            await writer.value
            await b.settled()
            world.expectRising(seen.all, "the observer")
            world.expect(seen.all.last == Pair(1, 1), "the observer ended on \(seen.all)")
            world.expect(!token.isCancelled, "its end was taken for a cancellation")
            world.expectForgotten(by: b, "b")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G12 cancel of a loop over two cells against an input waiter`(_ backlog: Backlog) throws {
        // Runs fewer schedules: a cancellation that waits for a lock inside the runtime takes a long time.
        let fewer = ExplorationBudget(depthFirst: 200, random: 100, priority: 50)
        try explore("cancel of a loop over two cells, \(backlog)", within: fewer) { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let reader = world.task("reader") {
            for await _ in pairs(a, b).values(backlog: backlog) {}
            world.expect(Task.isCancelled, "the loop ended, though it was not cancelled")
          }
          let others = [
            world.task("canceller") { reader.cancel() },
            world.task("writer") { a.send(1) },
          ]
          world.task("judge") {
            await reader.value
            for other in others { await other.value }
            world.expectForgotten(by: a, "a")
            world.expectForgotten(by: b, "b")
          }
        }
      }

      @Test
      func `G8 cancel of an observer of two cells against an input waiter`() throws {
        try explore("cancel of an observer of two cells", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let isQuiet = Flag()
          let jobs = Log<Task<Void, Never>>()
          let context = DeliveryContext(id: ObjectIdentifier(jobs)) { job in
            jobs.append(world.task("job") { job() })
          }
          let token = pairs(a, b).observe(on: context, backlog: .bounded(2)) { pair in
            world.expect(!isQuiet.isSet, "called with \(pair) after cancelAndWait had returned")
          }
          let writer = world.task("writer") {
            a.send(1)
            b.send(1)
          }
          world.task("canceller") {
            await token.cancelAndWait()
            isQuiet.set()
            await writer.value
            for job in jobs.all { await job.value }
            world.expectForgotten(by: a, "a")
            world.expectForgotten(by: b, "b")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 a merge within a combination ends on what was written last`(_ backlog: Backlog) throws {
        try explore("a merge within a combination, \(backlog)", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (a, b, c) = (BindableActor(0), BindableActor(0), BindableActor(0))
          let seen = Log<Int>()
          let token = combineLatest(merge(a, b), c)
            .observe(on: world.context(), backlog: backlog) { value, _ in seen.append(value) }
          let writers = [
            world.task("writer") {
              b.send(1)
              a.send(2)
            },
            world.task("other") { c.send(1) },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            await a.settled()
            world.expect(seen.all.last == 2, "the observer saw \(seen.all)")
            await token.cancelAndWait()
          }
        }
      }

      // The second write may come while the lane waits for its context: then the turn finds it when it begins, and must
      // look again before it parks. The judge waits for the last call instead of calling `settled`, which would bring
      // the combination up to date, and so would hide that the lane was not woken.
      @Test
      func `G3 the observer of a combination sees the last of three writes`() throws {
        try explore("three writes to a combination", within: ExplorationBudget(depthFirst: 3000)) { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let (calls, called) = AsyncStream.makeStream(of: Int.self)
          let token = combineLatest(a, b).observe(on: world.context()) { value, _ in called.yield(value) }
          world.task("writer") { for value in 1...3 { a.send(value) } }
          world.task("judge") {
            for await value in calls where value == 3 { break }
            await token.cancelAndWait()
          }
        }
      }

      @Test
      func `settled of one cell waits for an observer of two`() throws {
        try explore("settled against an observer of two cells", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let seen = Log<Pair>()
          let token = pairs(a, b).observe(on: world.context()) { seen.append($0) }
          for (name, cell, part) in [("a", a, \Pair.left), ("b", b, \Pair.right)] as [Writing] {
            world.task(name) {
              cell.send(1)
              await cell.settled()
              let last = seen.all.last
              world.expect(
                last?[keyPath: part] == 1,
                "settled() of \(name) returned, the observer saw \(seen.all)"
              )
              withExtendedLifetime(token) {}
            }
          }
        }
      }

      private typealias Writing = (String, BindableActor<Int>, any KeyPath<Pair, Int> & Sendable)
    }
  }
#endif
