#if Explore
  import ActorBindingsExplorer
  import Shop
  import Testing

  @Test
  func `a fault of an actor is found`() throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      try explore("two withdrawals") { world in
        let account = Account(balance: 100)
        let withdrawals = ["Ada", "Bob"].map { name in
          world.task(name) { _ = await account.withdraw(80) }
        }
        for withdrawal in withdrawals { await withdrawal.value }
        let balance = await account.balance
        world.expect(balance >= 0, "the account is overdrawn: \(balance)")
      }
    }
    #expect(failure.message.hasPrefix("the account is overdrawn: -60"), "\(failure)")
    // The names of functions need the file of the program.
    #expect(failure.timeline.contains("goes on in Account.withdraw(…)"), "\(failure)")
  }

  @Test
  func `code without a fault is explored to its end`() throws {
    let coverage = try explore("two customers", within: .toItsEnd) { world in
      let stock = Stock()
      stock.add("tea")
      let customers = ["Ada", "Bob"].map { name in
        Task { stock.take("tea") }
      }
      var sold = 0
      for customer in customers where await customer.value { sold += 1 }
      world.expect(sold == 1, "\(sold) were sold")
    }
    #expect(coverage.isExhausted, "\(coverage)")
  }
#endif
