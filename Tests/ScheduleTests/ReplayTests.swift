#if Explorer
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    /// Tests of replaying a given schedule. This program has four choices: whether the function that
    /// starts a task continues, three times, and which of the two tasks is first.
    @Suite
    struct Replays {
      private let seen = Log<String>()

      private func replayed(_ choices: String) throws(ScheduleFailure) {
        try replay("two tasks", choices, actorHops: false) { [seen] world in
          for name in ["a", "b"] { world.task(name) { seen.append(name) } }
        }
      }

      // Returns the message of the failure that a replay throws.
      private func complaint(about choices: String) -> String {
        #expect(throws: ScheduleFailure.self) { try replayed(choices) }?.message ?? ""
      }

      @Test(arguments: [("z4", ["a", "b"]), ("z3.1", ["b", "a"])])
      func `the given choices are taken`(_ choices: String, _ order: [String]) throws {
        try replayed(choices)
        #expect(seen.all == order)
      }

      @Test
      func `a choice that does not exist is not replaced by another`() {
        #expect(complaint(about: "z3.2").hasSuffix("choice 4 is 2, where 0 to 1 can run"))
      }

      @Test
      func `a program that ends before the choices do is reported as changed`() {
        #expect(complaint(about: "z3.1.z2.1").hasSuffix("the program has ended, and 3 choices are left"))
      }

      @Test
      func `text that is not a list of choices is refused`() {
        #expect(complaint(about: "1.b") == "'1.b' are no choices")
      }
    }
  }
#endif
