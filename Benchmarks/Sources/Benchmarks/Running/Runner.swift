/// Takes the samples of a workload in turns, A B C A B C …, so that disturbances of the machine affect all subjects
/// alike.
struct Runner {
  let repetitions: Int
  /// The divisor of each subject's number of operations.
  let divisor: Int

  static let full = Runner(repetitions: 9, divisor: 1)
  static let brief = Runner(repetitions: 3, divisor: 1)
  static let quick = Runner(repetitions: 3, divisor: 10)

  func run(_ workload: Workload) async throws -> Measurement {
    var samples = workload.subjects.map { _ in [Double]() }
    var stale = workload.subjects.map { _ in 0 }
    var lost = workload.subjects.map { _ in 0.0 }
    // The first round warms up, and is not recorded.
    for repetition in 0...repetitions {
      for (index, subject) in workload.subjects.enumerated() {
        let operations = max(1, subject.operations / (repetition == 0 ? divisor * 4 : divisor))
        let sample: Sample
        do {
          sample = try await subject.body(operations)
        } catch let wrong as WrongResult {
          throw WrongResult(message: "\(workload.id), \(subject.name): \(wrong.message)")
        }
        if repetition > 0 {
          samples[index].append(sample.duration / .nanoseconds(1) / Double(operations * workload.fan))
          stale[index] += sample.stale
          lost[index] += Double(sample.lost) / Double(operations * workload.fan * repetitions)
        }
      }
    }
    return Measurement(workload, samples: samples, stale: stale, lost: lost)
  }
}
