import Counting

/// Something that is counted, not timed. All of it happens on one thread, by hand-pumped contexts, so each machine counts
/// the same, with one exception: a lane ends its turn after 2 ms, so a thread that loses its processor within a turn counts
/// one turn more.
struct Count: Sendable {
  /// What `--filter` looks at, and what the file of limits names.
  let id: String
  let title: String
  /// What it should be at most, one day. What holds now stands in the file of limits.
  let target: Double?
  let ours: Measure
  let baselines: [Baseline]

  typealias Measure = @Sendable () async throws -> Double
  typealias Baseline = (name: String, measure: Measure)

  init(
    _ id: String,
    _ title: String,
    target: Double? = nil,
    _ ours: @escaping Measure,
    _ baselines: KeyValuePairs<String, Measure> = [:]
  ) {
    self.id = id
    self.title = title
    self.target = target
    self.ours = ours
    self.baselines = baselines.map { ($0.key, $0.value) }
  }

  private init(_ count: Count, baselines: [Baseline]) {
    (id, title, target, ours) = (count.id, count.title, count.target, count.ours)
    self.baselines = baselines
  }

  /// Ours alone.
  var withoutBaselines: Count { Count(self, baselines: []) }

  static let all: [Count] =
    Allocations.counts + Wakeups.counts + Bytes.counts + Combinations.counts + Collected.counts
}

/// What was found.
struct Tallied: Sendable {
  let count: Count
  let found: Double
  let baselines: [(name: String, found: Double)]

  /// Counts again while more than `limit` is found, a few times: the machine may have been busy.
  init(_ count: Count, limit: Double?) async throws {
    self.count = count
    do {
      found = try await Self.least(count.ours, limit)
      var baselines: [(name: String, found: Double)] = []
      for baseline in count.baselines {
        baselines.append((baseline.name, try await Self.least(baseline.measure, nil)))
      }
      self.baselines = baselines
    } catch let wrong as WrongResult {
      throw WrongResult(message: "\(count.id): \(wrong.message)")
    }
  }

  private static func least(_ measure: Count.Measure, _ limit: Double?) async throws -> Double {
    // The first time, the runtime makes what it needs for the types.
    _ = try await measure()
    var least = try await measure()
    var round = 1
    while let limit, least > limit, round < 10 {
      least = min(least, try await measure())
      round += 1
    }
    return least
  }
}

/// How many times `body` has memory allocated on this thread, for each of `n`.
func allocations(per n: Int, _ body: () throws -> Void) rethrows -> Double {
  counting_begin()
  defer { _ = counting_end() }
  try body()
  return Double(counting_end().allocations) / Double(n)
}

/// How many bytes more are allocated after `body` than before, for each of `n`: rounded, because the allocator now and
/// then hands out a chunk that is larger than need be.
func bytes(per n: Int, _ body: () throws -> Void) rethrows -> Double {
  counting_begin()
  defer { _ = counting_end() }
  try body()
  return (Double(counting_end().bytes) / Double(n)).rounded()
}

/// Whether the allocator is counted, checked with what is known.
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
  // Looked at, or the compiler would see that they are for nothing.
  let sum = kept.reduce(0) { $0 + $1.number }
  let left = bytes(per: 1000) { kept.removeAll(keepingCapacity: true) }
  // 16 bytes for the object's header, 8 for the number, 8 for the allocator's.
  return sum == 499_500 && found == 1000 && abs(left + 32) <= 2
}
