import Reporting

/// The statistics of a workload's samples.
struct Measurement: Sendable {
  let workload: Workload
  let results: [Result]

  struct Result: Sendable {
    let subject: Subject
    /// Nanoseconds per operation, in the order in which the samples were taken.
    let samples: [Double]
    let time: Spread
    /// The ratios to the workload's reference, sample by sample.
    let ratio: Spread
    let verdict: Verdict?
    let stale: Int
    /// The share of the values that were sent and not delivered.
    let lost: Double
  }

  /// A target, the result, and whether the target is met.
  struct Verdict: Sendable {
    let target: Target
    let found: Double

    var isMet: Bool {
      switch target {
      case .times(let limit, _), .added(let limit, _), .nanoseconds(let limit): found <= limit
      }
    }
  }

  init(_ workload: Workload, samples: [[Double]], stale: [Int], lost: [Double]) {
    self.workload = workload
    func taken(by name: String) -> [Double] {
      guard let index = workload.subjects.firstIndex(where: { $0.name == name }) else {
        preconditionFailure("\(workload.id) has a target that names '\(name)', which it does not measure")
      }
      return samples[index]
    }
    let reference = taken(by: workload.reference)
    results = workload.subjects.enumerated().map { index, subject in
      let own = samples[index]
      // Compares samples that were taken next to each other, so a slow period of the machine cancels out.
      let verdict = subject.target.map { target in
        let found =
          switch target {
          case .times(_, let name): Spread(zip(own, taken(by: name)).map(/)).median
          case .added(_, let name): Spread(zip(own, taken(by: name)).map(-)).median
          case .nanoseconds: Spread(own).median
          }
        return Verdict(target: target, found: found)
      }
      return Result(
        subject: subject,
        samples: own,
        time: Spread(own),
        ratio: Spread(zip(own, reference).map(/)),
        verdict: verdict,
        stale: stale[index],
        lost: lost[index]
      )
    }
  }
}
