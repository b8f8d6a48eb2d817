#if Explorer
  /// The search for a shorter schedule that fails in the same way as a given one.
  ///
  /// A choice of 0 lets the running strand continue, and after the last choice all choices are 0. So a schedule with fewer
  /// other choices has fewer switches, and is easier to read. The search replaces groups of these choices by 0, first half
  /// of them, then smaller groups, as long as the program still fails (delta debugging). Then it looks at the schedules with
  /// at most one preemption.
  struct Shortening {
    /// The shortest choices found so far, without the zeros at their end.
    private(set) var shortest: [Int]
    private let clock = ContinuousClock()
    private let deadline: ContinuousClock.Instant
    private var attempts = 0

    private static let time = Duration.seconds(3)
    private let attemptLimit: Int

    init(of choices: [Int], leavesThreadsBehind: Bool) {
      attemptLimit = leavesThreadsBehind ? 50 : 500
      shortest = Self.trimmed(choices)
      deadline = clock.now.advanced(by: Self.time)
    }

    /// Runs the program with choices, and returns the choices that were taken, and whether it failed in the same way.
    typealias Run = ([Int]) -> (trace: [Choice], isFailure: Bool)

    /// Looks for the shortest schedule.
    mutating func search(_ run: Run) {
      removeSwitches(run)
      var schedules = DepthFirst(bound: 1)
      while let prefix = schedules.prefix, Self.switches(shortest).count > 1, attempts < attemptLimit,
        clock.now < deadline
      {
        attempts += 1
        let (trace, isFailure) = run(prefix)
        if isFailure { accept(trace) }
        schedules.advance(after: trace)
      }
    }

    private mutating func removeSwitches(_ run: Run) {
      var size = max(1, Self.switches(shortest).count / 2)
      while true {
        let isShorter = removeOnce(groupsOf: size, run)
        if attempts >= attemptLimit || clock.now >= deadline { return }
        if isShorter { continue }
        if size == 1 { return }
        size /= 2
      }
    }

    // Tries each group of this size once. Returns whether one of them could be removed.
    private mutating func removeOnce(groupsOf size: Int, _ run: Run) -> Bool {
      var isShorter = false
      var end = Self.switches(shortest).count
      while end > 0, attempts < attemptLimit, clock.now < deadline {
        let places = Self.switches(shortest)
        end = min(end, places.count)
        let begin = max(0, end - size)
        var candidate = shortest
        for place in places[begin..<end] { candidate[place] = 0 }
        attempts += 1
        let (trace, isFailure) = run(Self.trimmed(candidate))
        if isFailure, accept(trace) { isShorter = true }
        end = begin
      }
      return isShorter
    }

    // Takes a schedule that failed if it is simpler. Returns whether it is.
    @discardableResult
    private mutating func accept(_ trace: [Choice]) -> Bool {
      let choices = Self.trimmed(trace.map(\.taken))
      guard Self.isSimpler(choices, than: shortest) else { return false }
      shortest = choices
      return true
    }

    private static func isSimpler(_ choices: [Int], than others: [Int]) -> Bool {
      (switches(choices).count, choices.count) < (switches(others).count, others.count)
    }

    private static func switches(_ choices: [Int]) -> [Int] { choices.indices.filter { choices[$0] != 0 } }

    private static func trimmed(_ choices: [Int]) -> [Int] {
      choices.lastIndex { $0 != 0 }.map { Array(choices[...$0]) } ?? []
    }
  }
#endif
