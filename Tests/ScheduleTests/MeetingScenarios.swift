#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    /// Scenarios in which more than two things meet: lanes, cells, ends.
    @Suite
    struct Meetings {
      @Test
      func `update against an observer that registers on the cell`() throws {
        try explore("update against observe on the cell") { world in
          let cell = BindableActor(0)
          let seen = Log<Int>()
          let tokens = Log<BindingToken>()
          let isThere = Flag()
          world.task("observer") {
            tokens.append(cell.observe(on: .cell) { seen.append($0) })
            // If the version is 0, the observation began before the update.
            if cell.version == 0 { isThere.set() }
          }
          world.task("updater") {
            await cell.update(1)
            if isThere.isSet {
              world.expect(seen.all.last == 1, "update returned, the observer saw \(seen.all)")
            }
            withExtendedLifetime(tokens) {}
          }
        }
      }

      @Test
      func `G11 an observer whose context is the source's cell, while that cell dies`() throws {
        try explore("deinit against observe on the cell") { world in
          let holder = Holder(BindableActor(7))
          let source = holder.withElement { $0.map { $0 } }
          let seen = Log<Int>()
          world.task("dropper") { holder.empty() }
          world.task("observer") {
            let token = source.observe(on: .cell) { seen.append($0) }
            await token.cancelAndWait()
            world.expect(seen.all.count <= 1, "saw \(seen.all)")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G13 the last release of a cell against delivery on it`(_ backlog: Backlog) throws {
        try explore(
          "last release of a cell against delivery on it, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let seen = Log<Int>()
          let tokens = Log<BindingToken>()
          let holder = Holder(BindableActor(0))
          let stream = holder.stream
          world.task("owner") {
            holder.withElement { cell in
              tokens.append(cell.observe(on: .cell, backlog: backlog) { seen.append($0) })
              cell.send(1)
            }
            holder.empty()
          }
          world.task("judge") {
            // This loop ends with the cell.
            for await _ in stream {}
            for token in tokens.all { await token.cancelAndWait() }
            world.expect(seen.all.last == 1, "ended on \(seen.all)")
          }
        }
      }

      @Test
      func `G8 an observation beside one that lags is cancelled while the cell finishes`() throws {
        try explore("laggards, a cancellation and the end", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let context = world.context()
          let isCancelled = Flag()
          let late = Log<Int>()
          let room = Log<Update<Int>>()
          let all = Log<Int>()
          let sibling = cell.observe(on: context, backlog: .unbounded) { value in
            if isCancelled.isSet { late.append(value) }
          }
          let tokens = [
            cell.versioned().observe(on: context, backlog: .bounded(2)) { room.append($0) },
            cell.observe(on: context, backlog: .unbounded) { all.append($0) },
          ]
          // These are more values than one visit delivers.
          for value in 1...66 { cell.send(value) }
          let writer = world.task("writer") {
            cell.send(67)
            cell.finish()
          }
          let canceller = world.task("canceller") {
            sibling.cancel()
            isCancelled.set()
          }
          world.task("judge") {
            await writer.value
            await canceller.value
            await cell.settled()
            world.expect(late.all.count <= 1, "calls with \(late.all) started after cancel had returned")
            world.expect(all.all == Array(0...67), "a gap in \(all.all)")
            let accounted = room.all.reduce(0) { $0 + $1.skipped + 1 }
            world.expect(accounted == 68, "accounted for \(accounted) versions of 68")
            world.expect(room.all.last?.value == 67, "ended on \(String(describing: room.all.last))")
            world.expect(cell.observerCount == 0, "\(cell.observerCount) count")
            withExtendedLifetime(tokens) {}
          }
        }
      }

      @Test
      func `settled with two lanes, on one of which the last observer is cancelled`() throws {
        try explore("settled on two lanes against cancel", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let (a, b) = (Log<Int>(), Log<Int>())
          let first = cell.observe(on: world.context()) { a.append($0) }
          let second = cell.observe(on: world.context()) { b.append($0) }
          world.task("canceller") { second.cancel() }
          world.task("writer") {
            cell.send(1)
            await cell.settled()
            world.expect(a.all.last == 1, "settled() returned, and the first saw \(a.all)")
            world.expect(
              second.isCancelled || b.all.last == 1,
              "settled() returned, and the second saw \(b.all)"
            )
            withExtendedLifetime(first) {}
          }
        }
      }

      @Test
      func `G10 a handler on a cell that follows another cell calls update`() throws {
        try explore("update in a handler of another cell", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let (onA, onB) = (Log<Int>(), Log<Int>())
          let tokens = [
            b.observe(on: .cell, backlog: .unbounded) { onB.append($0) },
            a.observe(on: .cell, backlog: .unbounded) { [unowned a] value in
              onA.append(value)
              guard value == 1 else { return }
              b.send(1)
              a.assumeIsolated { $0.update(2) }
              world.expect(onA.all.last == 1, "update was delivered inside the handler: \(onA.all)")
            },
          ]
          let updater = world.task("updater") {
            await a.update(1)
            world.expect(onA.all.contains(1), "update returned, and the observer saw \(onA.all)")
          }
          let other = world.task("other") { await b.update(5) }
          world.task("judge") {
            await updater.value
            await other.value
            await a.settled()
            await b.settled()
            world.expect(onA.all == [0, 1, 2], "on a: \(onA.all)")
            world.expect(
              onB.all.last == b.value && onB.all.count == 3,
              "on b: \(onB.all), it holds \(b.value)"
            )
            withExtendedLifetime(tokens) {}
          }
        }
      }

      @Test
      func `G11 an observer that registers in a handler while the cell finishes`() throws {
        try explore("observe in a handler against finish", within: .toItsEnd) { world in
          let cell = BindableActor(0)
          let context = world.context()
          let inner = Log<Int>()
          let tokens = Log<BindingToken>()
          tokens.append(
            cell.observe(on: context, backlog: .unbounded) { [unowned cell] value in
              guard value == 1 else { return }
              tokens.append(cell.observe(on: context, backlog: .unbounded) { inner.append($0) })
            }
          )
          world.task("writer") {
            cell.send(1)
            await cell.settled()
            await cell.settled()
            world.expect(inner.all == (cell.value == 1 ? [1] : []), "it saw \(inner.all) of \(cell.value)")
            withExtendedLifetime(tokens) {}
          }
          world.task("finisher") { cell.finish() }
        }
      }

      @Test
      func `G9 an owner dies while two lanes are swept`() throws {
        final class Owner: Sendable {}
        try explore("last release against a sweep of two lanes", within: ExplorationBudget(depthFirst: 3000))
        { world in
          let cell = BindableActor(0)
          let (holder, survivor) = (Holder(Owner()), Owner())
          let calls = Log<Int>()
          holder.withElement { owner in _ = cell.observe(owner, on: world.context()) { _, _ in } }
          cell.observe(survivor, on: world.context()) { _, value in calls.append(value) }
          await cell.settled()
          let shelf = Log<@Sendable () -> Void>()
          let nowhere = DeliveryContext(id: ObjectIdentifier(shelf)) { [weak shelf] in shelf?.append($0) }
          let comeAndGo: @Sendable () -> Void = { cell.observe(on: nowhere) { _ in }.cancel() }
          for _ in 0..<62 { comeAndGo() }
          let newcomer = world.task("newcomer") { comeAndGo() }
          let dropper = world.task("dropper") { holder.empty() }
          world.task("judge") {
            await newcomer.value
            await dropper.value
            cell.send(1)
            await cell.settled()
            world.expect(cell.observerCount == 1, "\(cell.observerCount) count")
            world.expect(calls.all == [0, 1], "the survivor saw \(calls.all)")
            withExtendedLifetime((shelf, survivor)) {}
          }
        }
      }

      @Test
      func `G5 the deeper of two bounded readers leaves`() throws {
        try explore("the deepest bounded reader leaves", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let updates = cell.updates(backlog: .bounded(2))
          let deeper = cell.updates(backlog: .bounded(4))
          world.task("deeper") {
            for await update in deeper {
              if update.version > 0 { break }
            }
          }
          world.task("reader") {
            var accounted: UInt64 = 0
            for await update in updates {
              accounted += UInt64(update.skipped) + 1
              world.expect(update.version == accounted - 1, "\(update) after \(accounted) versions")
            }
            world.expect(accounted == 4, "accounted for \(accounted) versions of 4")
            cell.cell.locked { state, roster in state.checkInvariants(roster) }
          }
          world.task("writer") {
            for value in 1...3 { cell.send(value) }
            cell.finish()
          }
        }
      }

      @Test(arguments: [Backlog.bounded(2), .unbounded])
      func `G12 a loop is cancelled while another one continues`(_ backlog: Backlog) throws {
        try explore("cancel of one of two loops, \(backlog)", within: ExplorationBudget(depthFirst: 1000)) {
          world in
          let cell = BindableActor(0)
          let stream = cell.values(backlog: backlog)
          let cancelled = world.task("cancelled") { for await _ in stream {} }
          world.task("sibling") {
            var seen: [Int] = []
            for await value in stream { seen.append(value) }
            world.expectRising(seen, "the sibling")
            world.expect(seen.last == 2, "the other loop ended on \(seen)")
            await cancelled.value
            world.expect(cell.observerCount == 0, "\(cell.observerCount) count")
            cell.cell.locked { state, roster in state.checkInvariants(roster) }
          }
          world.task("canceller") { cancelled.cancel() }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
            cell.finish()
          }
        }
      }

      @Test
      func `G13 a bag dies in a handler of an observation that it holds`() throws {
        try explore("a bag dies in a handler") { world in
          let cell = BindableActor(0)
          let context = world.context()
          let holder = Holder(DisposeBag())
          let isGone = Flag()
          let held = world.task("builder") {
            holder.withElement { bag in
              for _ in 0..<2 {
                cell.observe(on: context, backlog: .unbounded) { value in
                  world.expect(!isGone.isSet, "called with \(value) after its bag had died")
                  if value == 1 {
                    holder.empty()
                    isGone.set()
                  }
                }.store(in: bag)
              }
            }
          }
          world.task("writer") {
            await held.value
            cell.send(1)
            cell.send(2)
            await cell.settled()
            world.expect(cell.observerCount == 0, "\(cell.observerCount) count")
          }
        }
      }

      @Test
      func `a context drops its work beside a writer`() throws {
        try explore("a context drops its work against send", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let isShut = Flag()
          let context = DeliveryContext(id: ObjectIdentifier(isShut)) { job in
            if !isShut.isSet { world.task("job") { job() } }
          }
          let seen = Log<Int>()
          let token = cell.observe(on: context, backlog: .unbounded) { seen.append($0) }
          let writer = world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          let closer = world.task("closer") { isShut.set() }
          world.task("judge") {
            await writer.value
            await closer.value
            cell.send(3)
            await cell.settled()
            world.expectRising(seen.all, "the observer")
            world.expect(
              token.isCancelled || seen.all == [0, 1, 2, 3],
              "it saw \(seen.all), and was not ended"
            )
            world.expect(cell.observerCount == (token.isCancelled ? 0 : 1), "\(cell.observerCount) count")
          }
        }
      }

      @Test
      func `two iterators of a stream of a finished cell`() throws {
        try explore("two loops over what a finished cell left", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let stream = cell.values(backlog: .unbounded)
          cell.send(1)
          let all = Log<[Int]>()
          let tasks = ["a", "b"].map { name in
            world.task(name) {
              var seen: [Int] = []
              for await value in stream { seen.append(value) }
              all.append(seen)
            }
          }
          world.task("finisher") {
            cell.send(2)
            cell.finish()
          }
          world.task("judge") {
            for task in tasks { await task.value }
            let lists = all.all.sorted { $0.count > $1.count }
            world.expect(lists.first == [0, 1, 2], "the first saw \(lists)")
            world.expect(lists.allSatisfy { $0.last == 2 }, "they saw \(lists)")
            cell.cell.locked { state, roster in
              world.expect(state.tail == nil, "the log is kept without readers")
              state.checkInvariants(roster)
            }
          }
        }
      }

      @Test
      func `G17 a claim against other writers and the end`() throws {
        try explore("a claim against writers and finish", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let runs = Log<Int>()
          let modifier = world.task("modifier") {
            let found = cell.modify { value in
              runs.append(value)
              // After several lost races, `modify` claims priority.
              if runs.all.count <= 4 { cell.send(100 + runs.all.count) }
              defer { value += 1000 }
              return value
            }
            world.expect(found == runs.all.last, "it returned \(found) of \(runs.all)")
          }
          let others = [
            world.task("writer") { cell.send(1) },
            world.task("adder") { cell.modify { $0 += 10 } },
            world.task("finisher") { cell.finish() },
          ]
          world.task("judge") {
            await modifier.value
            for other in others { await other.value }
            cell.cell.locked { _, roster in world.expect(roster.claim == nil, "a claim was left behind") }
          }
        }
      }

      @Test
      func `settled against a registration on the caller's isolation and a cancellation`() throws {
        try explore("settled against observe and cancel on the caller's isolation") { world in
          let cell = BindableActor(0)
          let party = Party()
          let calls = Log<Int>()
          let other = cell.observe(with: party) { _, _ in }
          await cell.settled()
          let registrar = world.task("registrar") { await party.follow(cell, calls) }
          world.task("canceller") { other.cancel() }
          world.task("judge") {
            let isRegistered = cell.observerCount == 2
            await cell.settled()
            world.expect(!isRegistered || !calls.all.isEmpty, "settled() returned before the first call")
            await registrar.value
          }
        }
      }

      @Test
      func `G13 two threads dispose of a bag`() throws {
        try explore("dispose against dispose") { world in
          let cell = BindableActor(0)
          let bag = DisposeBag()
          let token = cell.observe(on: world.context()) { _ in }
          bag.insert(token)
          for name in ["a", "b"] {
            world.task(name) {
              bag.dispose()
              world.expect(token.isCancelled, "\(name) disposed of the bag, and what was in it has not ended")
              withExtendedLifetime(cell) {}
            }
          }
        }
      }

      @Test
      func `G8 two cancelAndWait against a call`() throws {
        try explore("cancelAndWait twice against a call") { world in
          let cell = BindableActor(0)
          let (begun, over) = (Log<Int>(), Log<Int>())
          let token = cell.observe(on: world.context()) { value in
            begun.append(value)
            _ = cell.version
            over.append(value)
          }
          for name in ["a", "b"] {
            world.task(name) {
              await token.cancelAndWait()
              world.expect(
                begun.all == over.all,
                "\(name) has waited, and the call with \(begun.all) is running"
              )
            }
          }
        }
      }

      @Test
      func `G8 a token is cancelled while its first call is made inside another`() throws {
        try explore("cancel against a first call inside another call") { world in
          let cell = BindableActor(0)
          let party = Party()
          let inner = Log<BindingToken>()
          let seen = Log<Int>()
          let outer = cell.observe(with: party) { party, value in
            if value == 1 { party.follow(cell, seen, inner) }
          }
          let writer = world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          world.task("canceller") {
            for token in inner.all {
              await token.cancelAndWait()
              let before = seen.all
              await writer.value
              await cell.settled()
              world.expect(seen.all == before, "called with \(seen.all) after it was cancelled")
            }
            await writer.value
            await cell.settled()
            world.expectRising(seen.all, "the inner one")
            withExtendedLifetime((outer, party)) {}
          }
        }
      }
    }
  }

  private actor Party {
    private var token: BindingToken?

    func follow(_ cell: BindableActor<Int>, _ calls: Log<Int>, _ tokens: Log<BindingToken>? = nil) {
      let token = cell.observe { calls.append($0) }
      self.token = token
      tokens?.append(token)
    }
  }
#endif
