#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    @Suite
    struct Observations {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 an observer ends on the last value of two writers`(_ backlog: Backlog) throws {
        try explore("observer against two writers, \(backlog)") { world in
          let cell = BindableActor(0)
          let seen = Log<Int>()
          let token = cell.versioned().observe(on: world.context(), backlog: backlog) { update in
            seen.append(Int(update.version))
          }
          let writers = [1, 2].map { value in world.task("writer \(value)") { cell.send(value) } }
          world.task("judge") {
            for writer in writers { await writer.value }
            await cell.settled()
            world.expectRising(seen.all, "the observer")
            world.expect(seen.all.last == 2, "the observer ended on version \(seen.all)")
            withExtendedLifetime(token) {}
          }
        }
      }

      @Test
      func `G6 subscribe against send`() throws {
        try explore("observe against send") { world in
          let cell = BindableActor(0)
          let seen = Log<Int>()
          world.task("observer") {
            let token = cell.observe(on: world.context()) { seen.append($0) }
            await cell.settled()
            world.expect(!seen.all.isEmpty, "settled() returned before the first call")
            withExtendedLifetime(token) {}
          }
          world.task("writer") { cell.send(1) }
        }
      }

      @Test
      func `G8 cancel against delivery`() throws {
        try explore("cancel against delivery", within: .toItsEnd) { world in
          let cell = BindableActor(0)
          let isCancelled = Flag()
          let late = Log<Int>()
          let token = cell.observe(on: world.context(), backlog: .unbounded) { value in
            if isCancelled.isSet { late.append(value) }
          }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          world.task("canceller") {
            token.cancel()
            isCancelled.set()
            await token.cancelAndWait()
            world.expect(late.all.count <= 1, "calls with \(late.all) started after cancel had returned")
          }
        }
      }

      @Test
      func `G8 cancelAndWait against delivery`() throws {
        try explore("cancelAndWait against delivery", within: .toItsEnd) { world in
          let cell = BindableActor(0)
          let isQuiet = Flag()
          let token = cell.observe(on: world.context()) { _ in
            world.expect(!isQuiet.isSet, "called after cancelAndWait had returned")
          }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          world.task("canceller") {
            await token.cancelAndWait()
            isQuiet.set()
            world.expect(cell.observerCount == 0, "it still counts")
          }
        }
      }

      @Test
      func `G8 cancel twice at once`() throws {
        try explore("cancel against cancel") { world in
          let cell = BindableActor(0)
          let isQuiet = Flag()
          let token = cell.observe(on: world.context()) { _ in
            world.expect(!isQuiet.isSet, "called after both had cancelled")
          }
          let others = ["a", "b"].map { name in world.task(name) { await token.cancelAndWait() } }
          world.task("writer") { cell.send(1) }
          world.task("judge") {
            for other in others { await other.value }
            isQuiet.set()
            world.expect(cell.observerCount == 0, "it counts \(cell.observerCount)")
          }
        }
      }

      @Test
      func `G8 one observer cancels another one on its lane`() throws {
        try explore("one cancels the other") { world in
          let cell = BindableActor(0)
          let context = world.context()
          let isCancelled = Flag()
          let second = Log<BindingToken>()
          let first = cell.observe(on: context, backlog: .unbounded) { value in
            guard value == 1 else { return }
            second.all.first?.cancel()
            isCancelled.set()
          }
          second.append(
            cell.observe(on: context, backlog: .unbounded) { value in
              world.expect(
                !isCancelled.isSet,
                "called with \(value) after it was cancelled on its own context"
              )
            }
          )
          world.task("writer") {
            cell.send(1)
            cell.send(2)
            await cell.settled()
            world.expect(cell.observerCount == 1, "\(cell.observerCount) count")
            withExtendedLifetime(first) {}
          }
        }
      }

      @Test
      func `G9 the owner's last release against delivery`() throws {
        final class Owner: Sendable {}
        try explore("last release against delivery") { world in
          let cell = BindableActor(0)
          let holder = Holder(Owner())
          let calls = Log<Int>()
          holder.withElement { owner in
            _ = cell.observe(owner, on: world.context()) { _, value in calls.append(value) }
          }
          let dropper = world.task("dropper") { holder.empty() }
          world.task("writer") {
            cell.send(1)
            await dropper.value
            await cell.settled()
            let before = calls.all.count
            cell.send(2)
            await cell.settled()
            world.expect(calls.all.count == before, "called after its owner had died: \(calls.all)")
            world.expect(cell.observerCount == 0, "observations of dead owners still count")
          }
        }
      }

      @Test
      func `G13 bag insert against dispose`() throws {
        try explore("insert against dispose", within: .toItsEnd) { world in
          let cell = BindableActor(0)
          let bag = DisposeBag()
          let inserter = world.task("inserter") {
            bag.insert(cell.observe(on: world.context()) { _ in })
          }
          let disposer = world.task("disposer") { bag.dispose() }
          world.task("judge") {
            await inserter.value
            await disposer.value
            world.expect(cell.observerCount == 0, "an observation survived its bag")
          }
        }
      }

      @Test
      func `G10 a handler that sends`() throws {
        try explore("a handler that sends") { world in
          let cell = BindableActor(0)
          let context = world.context()
          let first = Log<Int>()
          let second = Log<Int>()
          let tokens = [
            cell.observe(on: context, backlog: .unbounded) { value in
              first.append(value)
              if value == 1 { cell.send(2) }
            },
            cell.observe(on: context, backlog: .unbounded) { value in second.append(value) },
          ]
          world.task("writer") {
            cell.send(1)
            await cell.settled()
            await cell.settled()
            world.expect(first.all == [0, 1, 2], "the first saw \(first.all)")
            world.expect(second.all == [0, 1, 2], "the second saw \(second.all)")
            withExtendedLifetime(tokens) {}
          }
        }
      }

      @Test
      func `settled against a pass`() throws {
        try explore("settled against a pass") { world in
          let cell = BindableActor(0)
          let seen = Log<Int>()
          let token = cell.observe(on: world.context()) { seen.append($0) }
          world.task("writer") {
            cell.send(1)
            // A pass that began before the write may still run, so the writer waits.
            await cell.settled()
            world.expect(seen.all.last == 1, "settled() returned, and the observer has seen \(seen.all)")
            withExtendedLifetime(token) {}
          }
        }
      }

      @Test
      func `settled against send`() throws {
        try explore("settled against send", within: .toItsEnd) { world in
          let cell = BindableActor(0)
          let seen = Log<Int>()
          let token = cell.observe(on: world.context(), backlog: .bounded(2)) { seen.append($0) }
          world.task("writer") {
            cell.send(1)
            await cell.settled()
            world.expect(
              (seen.all.last ?? -1) >= 1,
              "settled() returned, and the observer has seen \(seen.all)"
            )
            withExtendedLifetime(token) {}
          }
          world.task("another writer") {
            cell.send(2)
          }
        }
      }

      @Test
      func `G11 finish against subscribe and send`() throws {
        try explore("finish against observe") { world in
          let cell = BindableActor(0)
          let seen = Log<Int>()
          let tokens = Log<BindingToken>()
          let tasks = [
            world.task("observer") {
              tokens.append(cell.observe(on: world.context(), backlog: .unbounded) { seen.append($0) })
            },
            world.task("writer") { cell.send(1) },
            world.task("finisher") { cell.finish() },
          ]
          world.task("judge") {
            for task in tasks { await task.value }
            await cell.settled()
            world.expect(seen.all.last == cell.value, "it saw \(seen.all), the cell holds \(cell.value)")
            world.expect(tokens.all.allSatisfy { !$0.isCancelled }, "the end of the cell cancelled it")
            world.expect(cell.observerCount == 0, "it counts after its end")
          }
        }
      }

      @Test
      func `update on the cell against another writer`() throws {
        try explore("update against send") { world in
          let cell = BindableActor(0)
          let onCell = Log<Int>()
          let elsewhere = Log<Int>()
          let tokens = [
            cell.observe(on: .cell) { onCell.append($0) },
            cell.observe(on: world.context()) { elsewhere.append($0) },
          ]
          let updater = world.task("updater") {
            await cell.update(1)
            world.expect(!onCell.all.isEmpty, "update returned before the observer on the cell was called")
          }
          let writer = world.task("writer") { cell.send(2) }
          world.task("judge") {
            await updater.value
            await writer.value
            await cell.settled()
            world.expect(onCell.all.last == cell.value, "on the cell: \(onCell.all), it holds \(cell.value)")
            world.expect(
              elsewhere.all.last == cell.value,
              "elsewhere: \(elsewhere.all), it holds \(cell.value)"
            )
            withExtendedLifetime(tokens) {}
          }
        }
      }
    }
  }
#endif
