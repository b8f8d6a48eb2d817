#if Explorer
  import ActorBindings
  import ActorBindingsExplorer

  // The programs of the articles *Every schedule* and *Against a model*, with a fault and mended. `ExplorerArticleTests`
  // checks that the articles show the code between the two marks as it stands here, without the names of the protocols.

  /// An account that pays out what it has.
  protocol AccountProgram: Actor {
    init(balance: Int)
    var balance: Int { get }
    func withdraw(_ amount: Int) async -> Bool
  }

  /// A cache that loads each page once.
  protocol CacheProgram: Actor {
    init(load: @escaping @Sendable (String) async -> String)
    func page(_ name: String) async -> String
  }

  /// A latch that tasks wait at until it is opened.
  protocol LatchProgram: Sendable {
    init()
    func open()
    func wait() async
  }

  /// A number that any number of loops follow.
  protocol BroadcasterProgram: Sendable {
    init()
    func send(_ value: Int)
    func values() -> AsyncStream<Int>
  }

  /// A sum to which tasks add.
  protocol TallyProgram: Sendable {
    init()
    func add(_ amount: Int) -> Int
  }

  // article
  func audit(_ amount: Int) async {
    await Task.yield()
  }
  // end

  /// The programs with their faults.
  enum Faulty {
    // article
    actor Account: AccountProgram {
      private(set) var balance: Int

      init(balance: Int) { self.balance = balance }

      func withdraw(_ amount: Int) async -> Bool {
        guard balance >= amount else { return false }
        await audit(amount)
        balance -= amount
        return true
      }
    }
    // end

    // article
    actor Cache: CacheProgram {
      private var pages: [String: String] = [:]
      private let load: @Sendable (String) async -> String

      init(load: @escaping @Sendable (String) async -> String) {
        self.load = load
      }

      func page(_ name: String) async -> String {
        if let page = pages[name] { return page }
        let page = await load(name)
        pages[name] = page
        return page
      }
    }
    // end

    // article
    final class Latch: Sendable, LatchProgram {
      typealias Waiter = CheckedContinuation<Void, Never>
      private let state = ExplorableMutex(
        (isOpen: false, waiters: [Waiter]())
      )

      func open() {
        let waiters = state.withLock { state in
          state.isOpen = true
          defer { state.waiters = [] }
          return state.waiters
        }
        for waiter in waiters { waiter.resume() }
      }

      func wait() async {
        if state.withLock({ $0.isOpen }) { return }
        await withCheckedContinuation { waiter in
          state.withLock { $0.waiters.append(waiter) }
        }
      }
    }
    // end

    // article
    final class Broadcaster: Sendable, BroadcasterProgram {
      typealias Reader = AsyncStream<Int>.Continuation
      private let state = ExplorableMutex((value: 0, readers: [Reader]()))

      func send(_ value: Int) {
        let readers = state.withLock { state in
          state.value = value
          return state.readers
        }
        for reader in readers { reader.yield(value) }
      }

      func values() -> AsyncStream<Int> {
        let (stream, reader) = AsyncStream.makeStream(of: Int.self)
        reader.yield(state.withLock { $0.value })
        state.withLock { $0.readers.append(reader) }
        return stream
      }
    }
    // end

    // article
    final class Tally: Sendable, TallyProgram {
      private let sum = ExplorableMutex(0)

      func add(_ amount: Int) -> Int {
        let old = sum.withLock { $0 }
        sum.withLock { $0 = old + amount }
        return old + amount
      }
    }
    // end
  }

  /// The same programs without the faults.
  enum Mended {
    actor Account: AccountProgram {
      private(set) var balance: Int

      init(balance: Int) { self.balance = balance }

      // article
      func withdraw(_ amount: Int) async -> Bool {
        guard balance >= amount else { return false }
        balance -= amount
        await audit(amount)
        return true
      }
      // end
    }

    actor Cache: CacheProgram {
      private let load: @Sendable (String) async -> String

      init(load: @escaping @Sendable (String) async -> String) {
        self.load = load
      }

      // article
      private var pages: [String: Task<String, Never>] = [:]

      func page(_ name: String) async -> String {
        let page = pages[name] ?? Task { await load(name) }
        pages[name] = page
        return await page.value
      }
      // end
    }

    final class Latch: Sendable, LatchProgram {
      typealias Waiter = CheckedContinuation<Void, Never>
      private let state = ExplorableMutex(
        (isOpen: false, waiters: [Waiter]())
      )

      func open() {
        let waiters = state.withLock { state in
          state.isOpen = true
          defer { state.waiters = [] }
          return state.waiters
        }
        for waiter in waiters { waiter.resume() }
      }

      // article
      func wait() async {
        await withCheckedContinuation { waiter in
          let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(waiter) }
            return state.isOpen
          }
          if isOpen { waiter.resume() }
        }
      }
      // end
    }

    final class Broadcaster: Sendable, BroadcasterProgram {
      typealias Reader = AsyncStream<Int>.Continuation
      private let state = ExplorableMutex((value: 0, readers: [Reader]()))

      // article
      func send(_ value: Int) {
        state.withLock { state in
          state.value = value
          for reader in state.readers { reader.yield(value) }
        }
      }

      func values() -> AsyncStream<Int> {
        let (stream, reader) = AsyncStream.makeStream(of: Int.self)
        state.withLock { state in
          reader.yield(state.value)
          state.readers.append(reader)
        }
        return stream
      }
      // end
    }

    final class Tally: Sendable, TallyProgram {
      private let sum = ExplorableMutex(0)

      // article
      func add(_ amount: Int) -> Int {
        sum.withLock { sum in
          sum += amount
          return sum
        }
      }
      // end
    }
  }

  /// What is explored about an account.
  enum Withdrawals<Account: AccountProgram> {
    static func run() throws(ScheduleFailure) -> ExplorationCoverage {
      // article
      try explore("two withdrawals", within: .toItsEnd) { world in
        let account = Account(balance: 100)
        let withdrawals = ["Ada", "Bob"].map { name in
          world.task(name) { _ = await account.withdraw(80) }
        }
        for withdrawal in withdrawals { await withdrawal.value }
        let balance = await account.balance
        world.expect(balance >= 0, "the account is overdrawn: \(balance)")
      }
      // end
    }
  }

  /// What is explored about a cache.
  enum Requests<Cache: CacheProgram> {
    // With two preemptions there are 51,945 schedules.
    private static var budget: ExplorationBudget { ExplorationBudget(depthFirst: 20_000, preemptions: 1) }

    static func run() throws(ScheduleFailure) -> ExplorationCoverage {
      // article
      try explore("two requests for a page", within: budget) { world in
        let loads = BindableActor(0)
        let cache = Cache { name in
          loads.modify { $0 += 1 }
          return "<h1>\(name)</h1>"
        }
        let requests = ["first", "second"].map { name in
          world.task(name) { _ = await cache.page("home") }
        }
        for request in requests { await request.value }
        world.expect(
          loads.value == 1,
          "the page was loaded \(loads.value) times"
        )
      }
      // end
    }
  }

  /// What is explored about a latch.
  enum Waiting<Latch: LatchProgram> {
    static func run() throws(ScheduleFailure) -> ExplorationCoverage {
      // article
      try explore(
        "a latch opens while a task comes",
        within: .toItsEnd
      ) { world in
        let latch = Latch()
        world.task("waiter") { await latch.wait() }
        world.task("opener") { latch.open() }
      }
      // end
    }
  }

  /// What is explored about a broadcaster.
  enum Following<Broadcaster: BroadcasterProgram> {
    static func run() throws(ScheduleFailure) -> ExplorationCoverage {
      // article
      try explore(
        "a reader comes while a value is sent",
        within: .toItsEnd
      ) { world in
        let broadcaster = Broadcaster()
        world.task("reader") {
          for await value in broadcaster.values() where value == 1 { return }
        }
        world.task("writer") { broadcaster.send(1) }
      }
      // end
    }
  }

  /// What is explored about a sum.
  enum Additions<Tally: TallyProgram> {
    static func run() throws(ScheduleFailure) -> ExplorationCoverage {
      // article
      try explore("additions", within: .toItsEnd) { world in
        let tally = Tally()
        await world.checkLinearizable(
          model: 0,
          operations: [[1, 2], [4]]
        ) { amount, sum in
          sum += amount
          return sum
        } run: { amount in
          tally.add(amount)
        }
      }
      // end
    }
  }
#endif
