import Foundation
import Reporting

/// A measurement of many things that wait, watch or queue: how the cost of each thing depends on their number.
///
/// First n things take each step, and then 4 n things. If the cost of each thing is constant, 4 n things take 4 times
/// as long. If each thing examines all the others, 4 n things take 16 times as long.
struct Growth: Sendable {
  /// The name for `--filter`.
  let id: String
  let title: String
  /// Lets `n` things take each step.
  let run: @Sendable (_ n: Int, Laps) async throws -> Void

  init(_ id: String, _ title: String, run: @escaping @Sendable (_ n: Int, Laps) async throws -> Void) {
    self.id = "growth.\(id)"
    self.title = title
    self.run = run
  }

  /// The processor time of each step.
  // @unchecked: used by one task.
  final class Laps: @unchecked Sendable {
    private(set) var steps: [(name: String, nanoseconds: Double)] = []
    private var begun = Laps.processorTime()

    /// Ends a step, which began when the previous one ended.
    func lap(_ name: String) {
      steps.append((name, Self.processorTime() - begun))
      begun = Self.processorTime()
    }

    /// Excludes the work since the last step.
    func skip() {
      begun = Self.processorTime()
    }

    private static func processorTime() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
  }
}

/// The result of such a measurement.
struct Grown: Sendable {
  struct Step: Sendable {
    let name: String
    let n: Int
    /// The cost of each thing, with n and with 4 n things, in nanoseconds.
    let few: Double
    let many: Double

    var ratio: Double { many / few }
    /// Caches and two cores explain a ratio of two, rarely of three. If each thing examines all the others, the ratio
    /// is four.
    var holds: Bool { ratio <= Grown.limit || many < 100 }
  }

  static let limit = 3.25
  private static let n = 2_000

  let growth: Growth
  let steps: [Step]

  var holds: Bool { steps.allSatisfy(\.holds) }

  /// Measures n and 4 n things. If a step exceeds the limit, measures 4 n and 16 n things too. A step that needs a
  /// second core or a larger cache costs more once. A step in which each thing examines all the others costs 4 times as
  /// much each time.
  init(_ growth: Growth) async throws {
    self.growth = growth
    var steps = try await Self.steps(growth, n: Self.n, rounds: 4)
    if !steps.allSatisfy(\.holds) {
      let more = try await Self.steps(growth, n: 4 * Self.n, rounds: 4)
      steps = zip(steps, more).map { $0.holds ? $0 : $1 }
    }
    self.steps = steps
  }

  /// Returns the least of several rounds. Takes more rounds while a step exceeds the limit, because the machine may
  /// have been busy.
  private static func steps(_ growth: Growth, n: Int, rounds: Int) async throws -> [Step] {
    var (few, many): ([Growth.Step], [Growth.Step]) = ([], [])
    var steps: [Step] = []
    for round in 1...rounds {
      few = try await Self.least(few, Self.run(growth, n))
      many = try await Self.least(many, Self.run(growth, 4 * n))
      steps = zip(few, many).map { Step(name: $0.name, n: n, few: $0.each, many: $1.each) }
      if round >= 2, steps.allSatisfy(\.holds) { break }
    }
    return steps
  }

  /// Checks that this measurement distinguishes costs that grow from costs that do not.
  static func isTrustworthy() async throws -> Bool {
    let known = try await Grown(
      Growth("known", "steps of a known cost") { n, laps in
        var (sum, numbers) = (0, Array(0..<n))
        laps.skip()
        for _ in 0..<n { for number in numbers.prefix(1_000) { sum &+= number ^ sum } }
        laps.lap("even")
        for _ in 0..<n { for number in numbers { sum &+= number ^ sum } }
        laps.lap("growing")
        numbers = [sum]
        keep(numbers)
      }
    )
    return known.steps.map(\.holds) == [true, false]
  }

  private static func run(_ growth: Growth, _ n: Int) async throws -> [Growth.Step] {
    let laps = Growth.Laps()
    try await growth.run(n, laps)
    return laps.steps.map { ($0.name, $0.nanoseconds / Double(n)) }
  }

  private static func least(_ some: [Growth.Step], _ others: [Growth.Step]) -> [Growth.Step] {
    if some.isEmpty { return others }
    return zip(some, others).map { ($0.name, min($0.each, $1.each)) }
  }

  /// A line for each step.
  var lines: [String] {
    steps.map { step in
      let (few, many) = (String(format: "%.0f", step.few), String(format: "%.0f", step.many))
      let ratio = String(format: "%.2f", step.ratio)
      let found = "\(few) ns each of \(step.n), \(many) of \(4 * step.n): × \(ratio)"
      let name = "\(growth.id).\(step.name)".padded(to: 34)
      return step.holds
        ? "ok        \(name) \(found)"
        : "EXCEEDED  \(name) \(found), and at most \(Self.limit) is allowed (\(growth.title))"
    }
  }
}

extension Growth {
  typealias Step = (name: String, each: Double)
}
