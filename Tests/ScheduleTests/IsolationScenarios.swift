#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  /// An actor that follows a cell on its own isolation.
  private actor Follower {
    private(set) var seen: [Int] = []
    private(set) var token: BindingToken?
    // The actor finishes this cell in its deinit, so its end is the end of the actor.
    private let life: BindableActor<Void>

    init(life: BindableActor<Void> = BindableActor(())) {
      self.life = life
    }

    deinit {
      life.finish()
    }

    func follow(_ cell: BindableActor<Int>, _ world: ExplorationWorld, backlog: Backlog = .latest) {
      token = cell.observe(self, backlog: backlog) { me, value in
        me.assumeIsolated { $0.seen.append(value) }
      }
      world.expect(!seen.isEmpty, "observe returned before the first call")
    }

    func cancel(_ world: ExplorationWorld) {
      token?.cancel()
      let before = seen.count
      token = nil
      world.expect(seen.count == before, "called by its own cancellation")
    }

    /// Observes with this actor as the owner. Only the actor holds the observation.
    func followAsOwner(_ cell: BindableActor<Int>, _ calls: Log<Int>) {
      cell.observe(self) { _, value in calls.append(value) }
    }
  }

  extension Schedules {
    /// Scenarios of handlers on the caller's isolation, whose first call comes before `observe` returns.
    @Suite
    struct Isolations {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G6 observe on the isolation of the caller against send`(_ backlog: Backlog) throws {
        try explore("observe on the caller's isolation against send, \(backlog)") { world in
          let cell = BindableActor(0)
          let follower = Follower()
          let following = world.task("follower") { await follower.follow(cell, world, backlog: backlog) }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
            await following.value
            await cell.settled()
            let seen = await follower.seen
            world.expectRising(seen, "the follower")
            world.expect(seen.last == 2, "the follower ended on \(seen)")
            if backlog == .unbounded {
              world.expect(zip(seen, seen.dropFirst()).allSatisfy { $1 == $0 + 1 }, "a gap in \(seen)")
            }
          }
        }
      }

      @Test
      func `G8 cancel on the isolation of the caller against delivery`() throws {
        try explore("cancel on the caller's isolation against delivery") { world in
          let cell = BindableActor(0)
          let follower = Follower()
          let writer = world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          world.task("follower") {
            await follower.follow(cell, world)
            await follower.cancel(world)
            let before = await follower.seen
            await writer.value
            await cell.settled()
            let after = await follower.seen
            world.expect(after == before, "called with \(after) after it was cancelled on its own isolation")
            world.expect(cell.observerCount == 0, "it still counts")
          }
        }
      }

      @Test
      func `G13 the last release of an actor against delivery on it`() throws {
        try explore("last release of an actor against delivery", within: .toItsEnd) { world in
          let cell = BindableActor(0)
          let calls = Log<Int>()
          let writer = world.task("writer") { cell.send(1) }
          let life = BindableActor(())
          world.task("dropper") { await Follower(life: life).followAsOwner(cell, calls) }
          world.task("judge") {
            await writer.value
            // Waits for the end of the actor: a running job holds the actor a little longer than the task that releases
            // it.
            for await _ in life.values {}
            let before = calls.all
            cell.send(2)
            await cell.settled()
            world.expect(calls.all == before, "called with \(calls.all) after its owner had died")
            world.expect(cell.observerCount == 0, "observations of dead owners still count")
          }
        }
      }

      @Test
      func `G7 observe with an actor against send`() throws {
        try explore("observe with an actor against send") { world in
          let cell = BindableActor(0)
          let follower = Follower()
          let seen = Log<Int>()
          world.task("observer") {
            cell.versioned().observe(with: follower) { _, update in seen.append(Int(update.version)) }
          }
          world.task("writer") {
            cell.send(1)
            await cell.settled()
          }
          world.task("another writer") { cell.send(2) }
          world.task("judge") {
            await cell.settled()
            world.expectRising(seen.all, "the actor")
            withExtendedLifetime(follower) {}
          }
        }
      }
    }
  }
#endif
