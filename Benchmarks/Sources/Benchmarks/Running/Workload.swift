/// A measurement: several subjects that do the same work, in turns.
struct Workload: Sendable {
  /// The name for `--filter`, which also selects the chart: `W2.queue.100` belongs to the chart W2.
  let id: String
  let title: String
  /// The unit to which a time refers.
  let unit: String
  /// The number of units in one operation: a value that is sent to a hundred observers makes a hundred deliveries.
  let fan: Int
  /// The name of the subject to which the other subjects are compared.
  let reference: String
  let subjects: [Subject]

  init(
    _ id: String,
    _ title: String,
    per unit: String,
    fan: Int = 1,
    comparedTo reference: String,
    _ subjects: [Subject]
  ) {
    self.id = id
    self.title = title
    self.unit = unit
    self.fan = fan
    self.reference = reference
    self.subjects = subjects
    precondition(subjects.contains { $0.name == reference }, "\(id) is compared to what it does not measure")
  }

  /// Returns only our subjects, for a profiler; nil if there are none.
  var withoutBaselines: Workload? {
    let ours = subjects.filter(\.isOurs)
    guard let first = ours.first else { return nil }
    let subjects = ours.map { Subject.ours($0.name, $0.operations, nil, $0.body) }
    return Workload(id, title, per: unit, fan: fan, comparedTo: first.name, subjects)
  }

  /// The name of the workload's chart: W1 to W24, or handover.
  var family: String { String(id.prefix { $0 != "." }) }

  /// Whether only the comparison uses this workload. The article and the charts do not show it.
  var isOnlyCompared: Bool { family == "compared" }
}

/// One way of doing a workload's work.
struct Subject: Sendable {
  /// Does `n` operations, and returns their time, which excludes the preparation.
  typealias Body = @Sendable (_ operations: Int) async throws -> Sample

  let name: String
  let isOurs: Bool
  /// The number of operations in one sample, which should take some tens of milliseconds.
  let operations: Int
  let target: Target?
  let body: Body

  static func ours(_ name: String, _ operations: Int, _ target: Target? = nil, _ body: @escaping Body)
    -> Subject
  {
    Subject(name: name, isOurs: true, operations: operations, target: target, body: body)
  }

  static func baseline(_ name: String, _ operations: Int, _ body: @escaping Body) -> Subject {
    Subject(name: name, isOurs: false, operations: operations, target: nil, body: body)
  }
}

/// The result of one run of a subject.
struct Sample: Sendable {
  let duration: Duration
  /// The number of readers that missed the last value. The number must be zero, except for baselines that do not
  /// promise the last value.
  var stale = 0
  /// The number of values that were sent and not delivered, because a newer one took their place.
  var lost = 0
}

/// A target of one of our subjects. Most targets are ratios, because times on a shared machine mean little.
enum Target: Sendable {
  /// At most this multiple of another subject's time.
  case times(Double, of: String)
  /// At most this number of nanoseconds more than another subject.
  case added(Double, to: String)
  /// At most this number of nanoseconds.
  case nanoseconds(Double)

  var subject: String? {
    switch self {
    case .times(_, let name), .added(_, let name): name
    case .nanoseconds: nil
    }
  }
}

/// An error: a subject has delivered a wrong result, so its time means nothing.
struct WrongResult: Error {
  let message: String
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw WrongResult(message: message()) }
}

func expect(_ found: Int, equals expected: Int, _ what: String) throws {
  try expect(found == expected, "\(what): \(found) instead of \(expected)")
}

/// A stopwatch that starts when it is made. Awaited work is timed with a stopwatch, and not with a closure, which might
/// run on another isolation.
struct Stopwatch {
  private let clock = ContinuousClock()
  private let begin: ContinuousClock.Instant

  init() {
    begin = clock.now
  }

  /// The time since the stopwatch was made.
  var sample: Sample { Sample(duration: clock.now - begin) }
}

/// Returns the time that `body` takes.
func timed(_ body: () throws -> Void) rethrows -> Sample {
  let stopwatch = Stopwatch()
  try body()
  return stopwatch.sample
}
