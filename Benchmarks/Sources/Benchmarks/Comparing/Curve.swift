import Reporting

/// How the cost of an operation changes with a number, for example the number of readers. Each point is a workload with
/// our subject and the floor by hand.
struct Curve: Sendable {
  /// The name on the command line.
  let id: String
  let title: String
  /// What the number counts.
  let number: String
  let points: [Int]
  private let make: @Sendable (_ n: Int) -> Workload
  private let ours: String
  private let floor: String

  init(
    _ id: String,
    _ title: String,
    _ number: String,
    _ points: [Int],
    ours: String,
    floor: String,
    _ make: @escaping @Sendable (_ n: Int) -> Workload
  ) {
    self.id = id
    self.title = title
    self.number = number
    self.points = points
    self.ours = ours
    self.floor = floor
    self.make = make
  }

  var range: String { "\(grouped(points[0])) to \(grouped(points[points.count - 1])) \(number)" }

  /// Returns the workload of a point, with our subject and the floor only.
  func workload(at n: Int) -> Workload {
    let workload = make(n)
    let subjects = workload.subjects.filter { $0.name == ours || $0.name == floor }.map(\.withoutTarget)
    precondition(subjects.count == 2, "the curve \(id) names what \(workload.id) does not measure")
    return Workload(
      "curve-\(id).\(n)",
      "\(workload.title), \(grouped(n)) \(number)",
      per: workload.unit,
      fan: workload.fan,
      comparedTo: floor,
      subjects
    )
  }

  /// A table of the points.
  func table(_ measurements: [Measurement]) -> String {
    var rows = [[number, "ours", "by hand", "ratio"]]
    for (point, measurement) in zip(points, measurements) {
      func result(_ name: String) -> Measurement.Result? {
        measurement.results.first { $0.subject.name == name }
      }
      guard let ours = result(ours), let floor = result(floor) else { continue }
      rows.append([
        grouped(point), digits(ours.time.median), digits(floor.time.median), times(ours.ratio.median),
      ])
    }
    let unit = measurements.first?.workload.unit ?? ""
    return "\(id)  \(title), ns per \(unit)\n\n" + Table.aligned(rows, left: []).joined(separator: "\n")
  }
}
