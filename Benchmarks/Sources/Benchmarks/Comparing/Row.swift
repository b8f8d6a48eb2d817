import Reporting

/// A row of the comparison: what something costs beside what a program uses today. A row names subjects of workloads and
/// counts, and measures nothing itself.
struct Row: Sendable {
  /// The name on the command line.
  let id: String
  let title: String
  let lines: [Line]

  /// One way of doing the work of a row, for example in place.
  struct Line: Sendable {
    let name: String
    let source: Source
    /// The name of our subject. A count has only one.
    var ours = ""
    /// The baseline that a careful programmer writes by hand for this one case.
    let floor: String?
    /// The baselines that need nothing but the toolchain.
    let toolchain: [String]
    let aim: Aim?
  }

  enum Source: Sendable {
    case workload(String)
    case count(String)
  }

  enum Aim: Sendable {
    /// At most this multiple of the floor.
    case times(Double)
    /// At most this number of nanoseconds. Only for a line whose floor does much less.
    case nanoseconds(Double)
    /// At most this number of bytes.
    case bytes(Double)

    /// Nil if there is no ratio.
    func isMet(_ ours: Double, ratio: Double?) -> Bool? {
      switch self {
      case .times(let limit): ratio.map { $0 <= limit }
      case .nanoseconds(let limit), .bytes(let limit): ours <= limit
      }
    }

    var text: String {
      switch self {
      case .times(let limit): "≤ \(Reporting.times(limit))"
      case .nanoseconds(let limit): "≤ \(digits(limit)) ns"
      case .bytes(let limit): "≤ \(digits(limit)) B"
      }
    }
  }

  init(_ id: String, _ title: String, _ lines: [Line]) {
    self.id = id
    self.title = title
    self.lines = lines
  }

  static func line(
    _ name: String,
    _ workload: String,
    _ ours: String,
    floor: String?,
    toolchain: [String] = [],
    aim: Aim? = nil
  ) -> Line {
    Line(name: name, source: .workload(workload), ours: ours, floor: floor, toolchain: toolchain, aim: aim)
  }

  static func bytes(
    _ name: String,
    _ count: String,
    floor: String? = nil,
    toolchain: [String] = [],
    aim: Aim? = nil
  ) -> Line {
    Line(name: name, source: .count(count), floor: floor, toolchain: toolchain, aim: aim)
  }

  /// Returns the rows with these names. An unknown name is an error, which suggests names that are near.
  static func named(_ names: [String]) throws(Refusal) -> [Row] {
    try select(names, among: all, \.id, "row")
  }
}
