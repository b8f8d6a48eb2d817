import Foundation
import Reporting

/// The results, for other programs.
struct Figures: Encodable {
  struct Time: Encodable {
    let id, title, unit, reference: String
    let subjects: [Subject]
  }

  struct Subject: Encodable {
    let name: String
    let isOurs: Bool
    let nanoseconds: [Double]
    let median, lowerQuartile, upperQuartile: Double
    let ratio: Double
    let target: Target?
    let staleReaders: Int
    let lost: Double
  }

  struct Target: Encodable {
    let limit, found: Double
    let kind: String
    let subject: String?
    let isMet: Bool
  }

  struct Counted: Encodable {
    let id, title: String
    let found: Double
    let target: Double?
    let baselines: [String: Double]
  }

  /// How the results were measured.
  struct Run: Encodable {
    /// Samples of each subject.
    let repetitions: Int
    let isQuick: Bool
    let processors = ProcessInfo.processInfo.activeProcessorCount
  }

  /// Nil with `--gate`, which measures no times.
  let run: Run?
  let times: [Time]
  let counts: [Counted]

  init(_ measurements: [Measurement], _ counted: [Tallied], _ run: Run? = nil) {
    self.run = run
    times = measurements.map { measurement in
      let workload = measurement.workload
      return Time(
        id: workload.id,
        title: workload.title,
        unit: workload.unit,
        reference: workload.reference,
        subjects: measurement.results.map(Subject.init)
      )
    }
    counts = counted.map { item in
      Counted(
        id: item.count.id,
        title: item.count.title,
        found: item.found,
        target: item.count.target,
        baselines: Dictionary(uniqueKeysWithValues: item.baselines.map { ($0.name, $0.found) })
      )
    }
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
  }
}

extension Figures.Subject {
  init(_ result: Measurement.Result) {
    name = result.subject.name
    isOurs = result.subject.isOurs
    nanoseconds = result.samples
    median = result.time.median
    lowerQuartile = result.time.lower
    upperQuartile = result.time.upper
    ratio = result.ratio.median
    target = result.verdict.map(Figures.Target.init)
    staleReaders = result.stale
    lost = result.lost
  }
}

extension Figures.Target {
  init(_ verdict: Measurement.Verdict) {
    found = verdict.found
    isMet = verdict.isMet
    subject = verdict.target.subject
    switch verdict.target {
    case .times(let limit, _): (kind, self.limit) = ("times", limit)
    case .added(let limit, _): (kind, self.limit) = ("nanoseconds added", limit)
    case .nanoseconds(let limit): (kind, self.limit) = ("nanoseconds", limit)
    }
  }
}
