/// One thing to measure: several subjects that do the same work, one after the other, again and again.
struct Workload: Sendable {
  /// What `--filter` looks at, and where the chart goes: `W2.queue.100` belongs to the chart W2.
  let id: String
  let title: String
  /// What the time is given for.
  let unit: String
  /// How many units one operation makes: a value that is sent to a hundred observers makes a hundred deliveries.
  let fan: Int
  /// The name of the subject to which the others are compared.
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

  /// Ours alone, for a profiler; nil if there is nothing of ours.
  var withoutBaselines: Workload? {
    let ours = subjects.filter(\.isOurs)
    guard let first = ours.first else { return nil }
    let subjects = ours.map { Subject.ours($0.name, $0.operations, nil, $0.body) }
    return Workload(id, title, per: unit, fan: fan, comparedTo: first.name, subjects)
  }

  /// What it is charted with: W1 to W20, or handover.
  var family: String { String(id.prefix { $0 != "." }) }
}

/// One way of doing a workload's work.
struct Subject: Sendable {
  /// Does so many operations, and says how long they took; what it needs besides is not timed.
  typealias Body = @Sendable (_ operations: Int) async throws -> Sample

  let name: String
  let isOurs: Bool
  /// In one sample: so many that it takes some tens of milliseconds.
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

/// What one run of a subject took.
struct Sample: Sendable {
  let duration: Duration
  /// How many readers never got the last value. Only baselines that promise no better may have any.
  var stale = 0
}

/// What a subject of ours should show. Times on a shared machine mean little, so most are ratios.
enum Target: Sendable {
  /// At most so many times another subject's time.
  case times(Double, of: String)
  /// At most so many nanoseconds more than another subject.
  case added(Double, to: String)
  /// At most so many nanoseconds.
  case nanoseconds(Double)

  var subject: String? {
    switch self {
    case .times(_, let name), .added(_, let name): name
    case .nanoseconds: nil
    }
  }
}

/// A subject did not do what it was measured for: then its time means nothing.
struct WrongResult: Error {
  let message: String
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw WrongResult(message: message()) }
}

func expect(_ found: Int, equals expected: Int, _ what: String) throws {
  try expect(found == expected, "\(what): \(found) instead of \(expected)")
}

/// Runs from the moment it is made. What has to be awaited is timed with it, and not with a closure: that might run on
/// another isolation.
struct Stopwatch {
  private let clock = ContinuousClock()
  private let begin: ContinuousClock.Instant

  init() {
    begin = clock.now
  }

  /// What has passed until now.
  var sample: Sample { Sample(duration: clock.now - begin) }
}

/// How long `body` takes.
func timed(_ body: () throws -> Void) rethrows -> Sample {
  let stopwatch = Stopwatch()
  try body()
  return stopwatch.sample
}
