#if EXPLORER
  import ActorBindings
  import Explorer
  import Synchronization
  import Testing

  @Suite(.serialized)
  struct FirstScenarios {
    @Test
    func `park against send`() throws {
      try explore("park against send") { world in
        let cell = BindableActor(0)
        world.task("reader") {
          var last = -1
          for await value in cell.values {
            world.expect(value > last, "\(value) came after \(last)")
            last = value
            if value == 2 { break }
          }
          world.expect(last == 2, "ended on \(last)")
        }
        world.task("writer") {
          cell.send(1)
          cell.send(2)
        }
      }
    }

    @Test
    func `cancel against delivery`() throws {
      try explore("cancel against delivery") { world in
        let cell = BindableActor(0)
        final class Flag: Sendable { let isSet = Atomic(false) }
        let quiet = Flag()
        let token = cell.observe(on: world.context()) { _ in
          world.expect(!quiet.isSet.load(ordering: .sequentiallyConsistent), "called after cancelAndWait")
        }
        world.task("writer") {
          cell.send(1)
          cell.send(2)
        }
        world.task("canceller") {
          await token.cancelAndWait()
          quiet.isSet.store(true, ordering: .sequentiallyConsistent)
        }
      }
    }
  }
#endif
