#if Explorer
  /// Where an exploration lets another task run.
  public enum ExplorationGrain: Sendable {
    /// At each `await` that suspends a task or moves it to another actor, after the world has started a task, at each lock of
    /// a cell and of an ``ExplorableMutex``, and at each ``ExplorationWorld/point(_:fileID:line:)``.
    case fine
    /// Like `fine`, without the moves to other actors and the starts of tasks. There are far fewer
    /// schedules, of which more can be run. For programs whose tasks share locks and cells, and no actors.
    case coarse
  }

  /// How many schedules an exploration runs at most.
  ///
  /// `ACTORBINDINGS_SCHEDULES=10` in the environment multiplies the numbers by ten, and `0.1` divides them by ten.
  public struct ExplorationBudget: Sendable {
    /// The number of schedules of the depth-first search.
    public var depthFirst: Int
    /// The depth-first search runs only schedules with at most this many preemptions. A preemption is a switch to another
    /// task or job while the running one could continue.
    public var preemptions: Int
    /// The number of schedules that choose at random at every point.
    public var random: Int
    /// The number of schedules that give each job a random priority, and lower it at a few random points.
    public var priority: Int
    /// The time after which no further schedule begins, or nil.
    public var time: Duration?

    /// Makes a budget. A negative number counts as 0.
    public init(
      depthFirst: Int = 4_000,
      preemptions: Int = 2,
      random: Int = 1_000,
      priority: Int = 500,
      time: Duration? = nil
    ) {
      self.depthFirst = depthFirst
      self.preemptions = preemptions
      self.random = random
      self.priority = priority
      self.time = time
    }

    /// A budget that runs every schedule with at most two preemptions, if a program has fewer than 20,000 such
    /// schedules.
    public static var toItsEnd: ExplorationBudget { ExplorationBudget(depthFirst: 20_000) }

    /// A budget that runs as many schedules as it can in a time, of all strategies in equal shares.
    public static func time(_ time: Duration) -> ExplorationBudget {
      ExplorationBudget(depthFirst: .max, random: .max, priority: .max, time: time)
    }

    /// Multiplies the numbers by a factor, but keeps at least a few schedules of each strategy.
    func times(_ factor: Double) -> ExplorationBudget {
      func scaled(_ count: Int) -> Int {
        if count <= 0 { return 0 }
        let product = (Double(count) * factor).rounded()
        if product.isNaN || product < 10 { return min(count, 10) }
        return Int(exactly: product) ?? .max
      }
      var budget = self
      budget.depthFirst = scaled(depthFirst)
      budget.random = scaled(random)
      budget.priority = scaled(priority)
      return budget
    }
  }

  /// How many schedules an exploration ran.
  public struct ExplorationCoverage: Sendable, CustomStringConvertible {
    /// The schedules of the depth-first search.
    public internal(set) var depthFirst = 0
    /// Whether the depth-first search ran every schedule within its bound of preemptions.
    public internal(set) var isExhausted = false
    /// The schedules that chose at random.
    public internal(set) var random = 0
    /// The schedules that chose by random priorities.
    public internal(set) var priority = 0

    /// The schedules in which the program did something else than in an earlier run of the same schedule: it is not
    /// deterministic, or the machine was so busy that a thread counted as blocked. With such a schedule the search is not
    /// exhausted.
    public internal(set) var unrepeatable = 0

    /// All schedules.
    public var schedules: Int { depthFirst + random + priority }

    /// The numbers, in one line.
    public var description: String {
      let strange = unrepeatable == 0 ? "" : "; \(unrepeatable) differed from an earlier run"
      return
        "\(depthFirst) depth-first\(isExhausted ? " (all)" : ""), \(random) random, \(priority) by priority\(strange)"
    }
  }
#endif
