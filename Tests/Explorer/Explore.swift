#if EXPLORER
  import Foundation

  /// A schedule under which a program failed.
  package struct ScheduleFailure: Error, CustomStringConvertible {
    package let scenario: String
    package let strategy: String
    package let message: String
    package let choices: [Int]

    package var description: String {
      """
      \(scenario): \(message)
      found by \(strategy); to run exactly this schedule again:
      ACTORBINDINGS_REPLAY='\(scenario)=\(Self.encoded(choices))'
      """
    }

    /// Runs of zeros are written as `z` and their length.
    static func encoded(_ choices: [Int]) -> String {
      var parts: [String] = []
      var zeros = 0
      for choice in choices {
        if choice == 0 {
          zeros += 1
          continue
        }
        if zeros > 0 { parts.append("z\(zeros)") }
        zeros = 0
        parts.append("\(choice)")
      }
      return parts.joined(separator: ".")
    }

    static func decoded(_ text: some StringProtocol) -> [Int] {
      text.split(separator: ".").flatMap { part in
        part.hasPrefix("z")
          ? Array(repeating: 0, count: Int(part.dropFirst()) ?? 0)
          : [Int(part) ?? 0]
      }
    }
  }

  /// How many schedules were looked at.
  package struct Coverage: Sendable {
    package var depthFirst = 0
    package var isExhausted = false
    package var random = 0
    package var priority = 0
  }

  /// How far to look. `ACTORBINDINGS_SCHEDULES=10` looks ten times as far.
  package struct Effort: Sendable {
    package var depthFirst = 20_000
    package var preemptions = 2
    package var random = 500
    package var priority = 200

    package init(depthFirst: Int = 20_000, preemptions: Int = 2, random: Int = 500, priority: Int = 200) {
      self.depthFirst = depthFirst
      self.preemptions = preemptions
      self.random = random
      self.priority = priority
    }
  }

  private let environment = ProcessInfo.processInfo.environment

  /// Runs `program` under many schedules: depth first within the bound of preemptions, then at random, then by
  /// random priorities. Throws the first schedule under which an expectation fails or nobody can go on.
  @discardableResult
  package func explore(
    _ scenario: String,
    _ effort: Effort = Effort(),
    _ program: @escaping @Sendable (World) async -> Void
  ) throws(ScheduleFailure) -> Coverage {
    var coverage = Coverage()
    if let replay = environment["ACTORBINDINGS_REPLAY"] {
      guard let separator = replay.lastIndex(of: "="), replay[..<separator] == scenario else {
        return coverage
      }
      let choices = ScheduleFailure.decoded(replay[replay.index(after: separator)...])
      _ = try attempt(scenario, "replay", Replay(choices: choices[...]), program)
      return coverage
    }
    let factor = max(1, Int(environment["ACTORBINDINGS_SCHEDULES"] ?? "1") ?? 1)

    var depthFirst = DepthFirst(bound: effort.preemptions)
    var length = 1
    while let prefix = depthFirst.prefix, coverage.depthFirst < effort.depthFirst * factor {
      let trace = try attempt(scenario, "depth-first search", Replay(choices: prefix[...]), program)
      length = max(length, trace.count)
      coverage.depthFirst += 1
      depthFirst.advance(after: trace)
    }
    coverage.isExhausted = depthFirst.prefix == nil

    for seed in 0..<UInt64(effort.random * factor) {
      let walk = RandomWalk(generator: SeededGenerator(seed: seed))
      _ = try attempt(scenario, "random seed \(seed)", walk, program)
      coverage.random += 1
    }
    for seed in 0..<UInt64(effort.priority * factor) {
      let walk = PriorityWalk(seed: seed, changes: 3, length: length)
      _ = try attempt(scenario, "priority seed \(seed)", walk, program)
      coverage.priority += 1
    }
    let extent = coverage.isExhausted ? " (all)" : ""
    print(
      "explored \(scenario): \(coverage.depthFirst) depth-first\(extent),",
      "\(coverage.random) random, \(coverage.priority) by priority"
    )
    return coverage
  }

  private func attempt(
    _ scenario: String,
    _ name: String,
    _ strategy: any Strategy,
    _ program: @escaping @Sendable (World) async -> Void
  ) throws(ScheduleFailure) -> [Choice] {
    let world = World()
    let outcome = Explorer.shared.run(with: strategy) {
      world.task("program") { await program(world) }
    }
    let whoIsNotDone = world.whoIsNotDone
    let message: String? =
      if let failure = world.firstFailure {
        failure
      } else if let standstill = outcome.standstill {
        "deadlock: \(standstill); not done: \(whoIsNotDone.joined(separator: ", "))"
      } else if !whoIsNotDone.isEmpty {
        "lost wake-up: nobody can run, and these are not done: \(whoIsNotDone.joined(separator: ", "))"
      } else {
        nil
      }
    guard let message else { return outcome.trace }
    throw ScheduleFailure(
      scenario: scenario,
      strategy: name,
      message: message,
      choices: outcome.trace.map(\.taken)
    )
  }
#endif
