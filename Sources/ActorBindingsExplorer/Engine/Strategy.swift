#if Explorer
  /// A generator of repeatable random numbers (SplitMix64).
  package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
      state = seed
    }

    package mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// One decision of a schedule: which of several strands continues.
  package struct Choice: Sendable {
    /// The number of strands that could run. The first of these strands is the one that ran until now, if it can
    /// continue.
    let options: Int
    let taken: Int
    /// Whether another choice than the first is a preemption.
    let isPreemptible: Bool
  }

  /// Decides which strand continues.
  protocol Strategy {
    /// Returns the index of one of `count` strands that can run. The first of these strands is the one that ran until
    /// now, if `isPreemptible`.
    ///
    /// - Parameter id: The id of the strand at an index.
    mutating func choose(among count: Int, isPreemptible: Bool, id: (Int) -> Int) -> Int
  }

  /// A strategy that takes given choices, and then always lets the running strand continue.
  struct Replay: Strategy {
    private let choices: [Int]
    private var position = 0
    private var impossible: String?

    init(choices: [Int]) {
      self.choices = choices
    }

    mutating func choose(among count: Int, isPreemptible: Bool, id: (Int) -> Int) -> Int {
      guard position < choices.count else { return 0 }
      let choice = choices[position]
      position += 1
      if choice >= count, impossible == nil {
        impossible = "choice \(position) is \(choice), where 0 to \(count - 1) can run"
      }
      return min(choice, count - 1)
    }

    /// Why no schedule of the program has these choices, once the program has run. Nil if a schedule has them.
    var misfit: String? {
      if let impossible { return impossible }
      let left = choices.count - position
      return left == 0 ? nil : "the program has ended, and \(left) choices are left"
    }
  }

  /// A strategy that chooses a random strand at every point.
  struct RandomWalk: Strategy {
    var generator: SeededGenerator

    mutating func choose(among count: Int, isPreemptible: Bool, id: (Int) -> Int) -> Int {
      Int(generator.next() % UInt64(count))
    }
  }

  /// Probabilistic concurrency testing: random priorities, lowered at a few random points.
  struct PriorityWalk: Strategy {
    private var generator: SeededGenerator
    private var priorities: [Int: Double] = [:]
    private var changes: Set<Int>
    private var step = 0

    init(seed: UInt64, changes: Int, length: Int) {
      var generator = SeededGenerator(seed: seed)
      self.changes = Set((0..<changes).map { _ in Int.random(in: 0..<max(1, length), using: &generator) })
      self.generator = generator
    }

    mutating func choose(among count: Int, isPreemptible: Bool, id: (Int) -> Int) -> Int {
      if isPreemptible, changes.contains(step) {
        priorities[id(0)] = Double.random(in: 0...1, using: &generator)
      }
      step += 1
      var highest = (index: 0, priority: 0.0)
      for index in 0..<count {
        let strand = id(index)
        let priority = priorities[strand] ?? Double.random(in: 1...2, using: &generator)
        priorities[strand] = priority
        if priority > highest.priority { highest = (index, priority) }
      }
      return highest.index
    }
  }

  /// The schedules with at most `bound` preemptions, one after the other, depth first.
  struct DepthFirst {
    let bound: Int
    private(set) var prefix: [Int]? = []

    init(bound: Int) {
      self.bound = bound
    }

    /// Sets `prefix` to the prefix of the next schedule, or to nil if there is none. `trace` has the choices of the
    /// schedule that began with the current prefix.
    mutating func advance(after trace: [Choice]) {
      var preemptions = [0]
      for choice in trace {
        preemptions.append(
          preemptions[preemptions.count - 1] + (choice.isPreemptible && choice.taken > 0 ? 1 : 0)
        )
      }
      for index in trace.indices.reversed() {
        let choice = trace[index]
        let next = choice.taken + 1
        guard next < choice.options else { continue }
        if choice.isPreemptible, preemptions[index] + 1 > bound { continue }
        prefix = trace[..<index].map(\.taken) + [next]
        return
      }
      prefix = nil
    }
  }
#endif
