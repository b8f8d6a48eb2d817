#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    /// Scenarios of the ends of cells, tokens and tasks, against other activity.
    @Suite
    struct Ends {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G11 the cell's deinit against delivery`(_ backlog: Backlog) throws {
        try explore("deinit against delivery, \(backlog)") { world in
          let holder = Holder(BindableActor(0))
          let seen = Log<Int>()
          let token = holder.withElement { cell in
            cell.observe(on: world.context(), backlog: backlog) { seen.append($0) }
          }
          world.task("writer") {
            holder.withElement { $0.send(1) }
            holder.empty()
            await token.cancelAndWait()
            world.expectRising(seen.all, "the observer")
          }
        }
      }

      @Test
      func `G8 G11 the report of the end against a cancellation`() throws {
        try explore(
          "the end of an observed cell against cancel",
          within: ExplorationBudget(depthFirst: 5_000)
        ) { world in
          let cell = BindableActor(0)
          let (calls, isOver) = (Log<Int>(), Flag())
          let token = cell.observe(on: world.context()) { value in
            world.expect(!isOver.isSet, "\(value) was delivered after the cancellation")
            calls.append(value)
          } onEnd: {
            world.expect(!isOver.isSet, "the end was reported after the cancellation")
            calls.append(100)
          }
          world.task("finisher") {
            cell.send(1)
            cell.finish()
          }
          world.task("canceller") {
            await token.cancelAndWait()
            isOver.set()
          }
          world.finally {
            let ends = calls.all.filter { $0 == 100 }.count
            world.expect(ends == (token.isCancelled ? 0 : 1), "\(ends) ends, cancelled: \(token.isCancelled)")
            world.expect(ends == 0 || calls.all.suffix(2) == [1, 100], "before the end it saw \(calls.all)")
            world.expect(!token.isActive, "the observation is still active")
          }
        }
      }

      @Test
      func `G8 G13 the task of a bag against dispose`() throws {
        try explore("a task of a bag against dispose", within: ExplorationBudget(depthFirst: 3_000)) {
          world in
          let (bag, cell) = (DisposeBag(), BindableActor(0))
          let isOver = Flag()
          let adder = world.task("adder") {
            let token = bag.addTask {
              for await value in cell.values {
                world.expect(!isOver.isSet, "\(value) was read after the bag and the task were waited for")
              }
            }
            await token.cancelAndWait()
          }
          let disposer = world.task("disposer") { bag.dispose() }
          world.task("judge") {
            await adder.value
            await disposer.value
            isOver.set()
            world.expect(cell.observerCount == 0, "the task continues without its bag")
            cell.send(1)
          }
        }
      }

      @Test
      func `G3 the remaining readers receive the last value of a deallocated cell`() throws {
        try explore("the last value of a dying cell") { world in
          let holder = Holder(BindableActor(0))
          let stream = holder.withElement { $0.values(backlog: .unbounded) }
          world.task("reader") {
            var seen: [Int] = []
            for await value in stream { seen.append(value) }
            world.expect(seen == [0, 1], "saw \(seen)")
          }
          world.task("dropper") {
            holder.withElement { $0.send(1) }
            holder.empty()
          }
        }
      }

      @Test
      func `G13 the last token against delivery`() throws {
        try explore("last token against delivery") { world in
          let cell = BindableActor(0)
          let holder = Holder(cell.observe(on: world.context(), backlog: .unbounded) { _ in })
          let writer = world.task("writer") { cell.send(1) }
          world.task("dropper") {
            holder.empty()
            await writer.value
            await cell.settled()
            world.expect(cell.observerCount == 0, "the observation continues without a token")
          }
        }
      }

      @Test
      func `G9 a cancellation meets a sweep that finds the owner dead`() throws {
        final class Owner: Sendable {}
        try explore("cancel against sweep", within: ExplorationBudget(depthFirst: 3000)) { world in
          let cell = BindableActor(0)
          let holder = Holder(Owner())
          let token = holder.withElement { cell.observe($0, on: world.context()) { _, _ in } }
          await cell.settled()
          holder.empty()
          // Observations on `nowhere` begin and end without a turn, so they add no schedules.
          let shelf = Log<@Sendable () -> Void>()
          let nowhere = DeliveryContext(id: ObjectIdentifier(shelf)) { [weak shelf] in shelf?.append($0) }
          let comeAndGo: @Sendable () -> Void = { cell.observe(on: nowhere) { _ in }.cancel() }
          // After these 63 registrations, the next registration starts a sweep for dead owners.
          for _ in 0..<63 { comeAndGo() }
          let newcomer = world.task("newcomer") { comeAndGo() }
          let canceller = world.task("canceller") { await token.cancelAndWait() }
          world.task("judge") {
            await newcomer.value
            await canceller.value
            await cell.settled()
            world.expect(cell.observerCount == 0, "\(cell.observerCount) count")
            withExtendedLifetime(shelf) {}
          }
        }
      }

      @Test
      func `a cancelled task stops waiting in settled`() throws {
        try explore("settled against cancellation") { world in
          let cell = BindableActor(0)
          let token = cell.observe(on: world.context()) { _ in }
          let waiting = world.task("waiting") {
            await cell.settled()
            withExtendedLifetime(token) {}
          }
          world.task("canceller") { waiting.cancel() }
          world.task("writer") { cell.send(1) }
        }
      }

      @Test
      func `two observations join a lane while it delivers`() throws {
        try explore("observe against observe") { world in
          let cell = BindableActor(0)
          let context = world.context()
          let tokens = Log<BindingToken>()
          let tasks = ["a", "b"].map { name in
            world.task(name) {
              let seen = Log<Int>()
              tokens.append(cell.observe(on: context, backlog: .unbounded) { seen.append($0) })
              await cell.settled()
              world.expectRising(seen.all, name)
              world.expect(!seen.all.isEmpty, "\(name) was not called before settled() returned")
            }
          }
          let writer = world.task("writer") { cell.send(1) }
          world.task("judge") {
            for task in tasks { await task.value }
            await writer.value
            await cell.settled()
            world.expect(cell.observerCount == 2, "\(cell.observerCount) count")
            withExtendedLifetime(tokens) {}
          }
        }
      }
    }
  }
#endif
