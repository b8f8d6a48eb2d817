#if Explorer
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    /// Tests of replaying a given schedule. This program has one choice: which of two tasks is first.
    @Suite
    struct Replays {
      private let seen = Log<String>()

      private func replayed(_ choices: String) throws(ScheduleFailure) {
        try replay("two tasks", choices, grain: .coarse) { [seen] world in
          for name in ["a", "b"] { world.task(name) { seen.append(name) } }
        }
      }

      // Returns the message of the failure that a replay throws.
      private func complaint(about choices: String) -> String {
        #expect(throws: ScheduleFailure.self) { try replayed(choices) }?.message ?? ""
      }

      @Test(arguments: [("z1", ["a", "b"]), ("1", ["b", "a"])])
      func `the given choices are taken`(_ choices: String, _ order: [String]) throws {
        try replayed(choices)
        #expect(seen.all == order)
      }

      @Test
      func `a choice that does not exist is not replaced by another`() {
        #expect(complaint(about: "2").hasSuffix("choice 1 is 2, where 0 to 1 can run"))
      }

      @Test
      func `a program that ends before the choices do is reported as changed`() {
        #expect(complaint(about: "1.z2.1").hasSuffix("the program has ended, and 3 choices are left"))
      }

      @Test
      func `text that is not a list of choices is refused`() {
        #expect(complaint(about: "1.b") == "'1.b' are no choices")
      }
    }
  }
#endif
