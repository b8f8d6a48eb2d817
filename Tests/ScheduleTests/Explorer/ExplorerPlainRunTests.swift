#if Explorer
  import ActorBindings
  import Foundation
  import Testing

  private let plainRuns = ProcessInfo.processInfo.environment["ACTORBINDINGS_PLAIN"].flatMap { Int($0) } ?? 0

  /// Runs programs of the article *Every schedule* as plain tasks, without the explorer, and counts the runs that fail.
  ///
  /// These tests run only if the environment says how many times to run each program: `ACTORBINDINGS_PLAIN=600000`. The
  /// program with the latch is left out: a plain run that loses a wake-up never ends.
  @Suite(.enabled(if: plainRuns > 0), .serialized)
  struct ExplorerPlainRunTests {
    @Test
    func `a mended account is never overdrawn in plain runs, and a faulty one is counted`() async {
      await count("two withdrawals", Self.isOverdrawn(Faulty.Account.self))
      #expect(await count("two withdrawals, mended", Self.isOverdrawn(Mended.Account.self)) == 0)
    }

    @Test
    func `a mended cache never loads twice in plain runs, and a faulty one is counted`() async {
      await count("two requests for a page", Self.loadsTwice(Faulty.Cache.self))
      #expect(await count("two requests for a page, mended", Self.loadsTwice(Mended.Cache.self)) == 0)
    }

    @Test
    func `a mended broadcaster never misses a value in plain runs, and a faulty one is counted`() async {
      let name = "a reader comes while a value is sent"
      await count(name, Self.missesAValue(Faulty.Broadcaster.self))
      #expect(await count("\(name), mended", Self.missesAValue(Mended.Broadcaster.self)) == 0)
    }

    // Runs a program many times, prints how many runs failed, and returns that number.
    @discardableResult
    private func count(_ name: String, _ fails: @Sendable () async -> Bool) async -> Int {
      let clock = ContinuousClock()
      let begin = clock.now
      var (failures, first) = (0, "")
      for run in 1...plainRuns where await fails() {
        failures += 1
        if failures == 1 { first = ", the first in run \(run) after \(seconds(clock.now - begin)) s" }
      }
      let time = seconds(clock.now - begin)
      print("\(name): \(failures) of \(plainRuns) plain runs failed\(first), \(time) s in all")
      return failures
    }

    private func seconds(_ time: Duration) -> String { String(format: "%.4f", time / .seconds(1)) }

    private static func isOverdrawn<Account: AccountProgram>(
      _: Account.Type
    ) -> @Sendable () async -> Bool {
      {
        let account = Account(balance: 100)
        let withdrawals = (0..<2).map { _ in Task { _ = await account.withdraw(80) } }
        for withdrawal in withdrawals { await withdrawal.value }
        return await account.balance < 0
      }
    }

    private static func loadsTwice<Cache: CacheProgram>(_: Cache.Type) -> @Sendable () async -> Bool {
      {
        let loads = BindableActor(0)
        let cache = Cache { name in
          loads.modify { $0 += 1 }
          return name
        }
        let requests = (0..<2).map { _ in Task { _ = await cache.page("home") } }
        for request in requests { await request.value }
        return loads.value > 1
      }
    }

    private static func missesAValue<Broadcaster: BroadcasterProgram>(
      _: Broadcaster.Type
    ) -> @Sendable () async -> Bool {
      {
        let broadcaster = Broadcaster()
        let isDone = BindableActor(false)
        let reader = Task {
          var values: [Int] = []
          for await value in broadcaster.values() {
            values.append(value)
            if value > 0 { break }
          }
          isDone.send(true)
          return values
        }
        let writer = Task { broadcaster.send(1) }
        await writer.value
        // Without the 2, a reader that has missed the 1 would wait for ever.
        while !isDone.value {
          broadcaster.send(2)
          await Task.yield()
        }
        return await reader.value == [0, 2]
      }
    }
  }
#endif
