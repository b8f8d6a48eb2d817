import Counting

/// A count, in contrast to a time. Everything happens on one thread, on contexts that are pumped by hand, so every
/// machine counts the same. The only exception is a turn that takes long: a lane ends its turn after 2 ms, so a thread
/// that loses its processor within a turn counts one turn more.
struct Count: Sendable {
  /// The name for `--filter` and for the file of limits.
  let id: String
  let title: String
  /// The greatest count that is wanted. The file of limits has the greatest count that is allowed now.
  let target: Double?
  let ours: Measure
  let baselines: [Baseline]
  /// Whether the count is of the steps of a thread. Such a count takes time, only some machines can make it, and it needs
  /// no trial: see `Operation`.
  let isOfSteps: Bool

  typealias Measure = @Sendable () async throws -> Double
  typealias Baseline = (name: String, measure: Measure)

  init(
    _ id: String,
    _ title: String,
    target: Double? = nil,
    isOfSteps: Bool = false,
    _ ours: @escaping Measure,
    _ baselines: KeyValuePairs<String, Measure> = [:]
  ) {
    self.id = id
    self.title = title
    self.target = target
    self.isOfSteps = isOfSteps
    self.ours = ours
    self.baselines = baselines.map { ($0.key, $0.value) }
  }

  private init(_ count: Count, baselines: [Baseline]) {
    (id, title, target, isOfSteps, ours) = (count.id, count.title, count.target, count.isOfSteps, count.ours)
    self.baselines = baselines
  }

  /// Returns the count of our subject only.
  var withoutBaselines: Count { Count(self, baselines: []) }

  static let all: [Count] =
    Allocations.counts + Wakeups.counts + Bytes.counts + Combinations.counts + Collected.counts
    + Operations.all.flatMap(\.counts)
    // At the end, because they leave the heap of other threads fragmented.
    + Relayed.counts + Bytes.relayed
}

/// The result of counting.
struct Tallied: Sendable {
  let count: Count
  let found: Double
  let baselines: [(name: String, found: Double)]

  /// Counts, and counts again a few times while the result exceeds `limit`: the machine may have been busy.
  init(_ count: Count, limit: Double?) async throws {
    self.count = count
    do {
      found = try await Self.least(count.ours, limit, hasTrial: !count.isOfSteps)
      var baselines: [(name: String, found: Double)] = []
      for baseline in count.baselines {
        baselines.append((baseline.name, try await Self.least(baseline.measure, nil, hasTrial: true)))
      }
      self.baselines = baselines
    } catch let wrong as WrongResult {
      throw WrongResult(message: "\(count.id): \(wrong.message)")
    }
  }

  private static func least(_ measure: Count.Measure, _ limit: Double?, hasTrial: Bool) async throws -> Double
  {
    // A trial is not used: during it, the runtime makes what it needs for the types.
    if hasTrial { _ = try await measure() }
    var least = try await measure()
    var round = 1
    while let limit, least > limit, round < 10 {
      least = min(least, try await measure())
      round += 1
    }
    return least
  }
}

/// Returns the number of allocations of `body` on this thread, for each of `n`.
func allocations(per n: Int, _ body: () throws -> Void) rethrows -> Double {
  counting_begin()
  defer { _ = counting_end() }
  try body()
  return Double(counting_end().allocations) / Double(n)
}

/// Returns the number of allocations on all threads during `body`, for each of `n`. A thread that has not finished its
/// part is counted by chance, so `body` waits for all parts.
func allocationsEverywhere(per n: Int, _ body: () throws -> Void) rethrows -> Double {
  counting_begin_everywhere()
  defer { _ = counting_end_everywhere() }
  try body()
  return Double(counting_end_everywhere().allocations) / Double(n)
}

/// Does the same for work that is awaited.
func allocationsEverywhere(
  per n: Int,
  isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Void
) async rethrows -> Double {
  counting_begin_everywhere()
  defer { _ = counting_end_everywhere() }
  try await body()
  return Double(counting_end_everywhere().allocations) / Double(n)
}

/// Returns the number of bytes that `body` leaves allocated, for each of `n`. The number is rounded, because the
/// allocator sometimes returns a larger chunk than necessary.
func bytes(per n: Int, _ body: () throws -> Void) rethrows -> Double {
  counting_begin()
  defer { _ = counting_end() }
  try body()
  return (Double(counting_end().bytes) / Double(n)).rounded()
}

/// Returns the number of bytes that `body` leaves allocated by all threads, for each of `n`.
func bytesEverywhere(
  per n: Int,
  isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Void
) async rethrows -> Double {
  counting_begin_everywhere()
  defer { _ = counting_end_everywhere() }
  try await body()
  return (Double(counting_end_everywhere().bytes) / Double(n)).rounded()
}

/// Checks with a known object whether allocations are counted.
func countsAllocations() -> Bool {
  guard counting_is_available() else { return false }
  final class Known {
    let number: Int
    init(_ number: Int) { self.number = number }
  }
  var kept: [Known] = []
  kept.reserveCapacity(1000)
  let found = allocations(per: 1) {
    for number in 0..<1000 { kept.append(Known(number)) }
  }
  // Uses the objects: otherwise the compiler would remove them.
  let sum = kept.reduce(0) { $0 + $1.number }
  let left = bytes(per: 1000) { kept.removeAll(keepingCapacity: true) }
  // 16 bytes for the object's header, 8 for the number, and 8 for the allocator's header.
  return sum == 499_500 && found == 1000 && abs(left + 32) <= 2
}
