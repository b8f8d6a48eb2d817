import Reporting

/// A row of the table: what shared cells cost or how long they take, beside an aim.
struct Row: Sendable {
  /// The name on the command line.
  let id: String
  let title: String
  let needsEtcd: Bool
  /// Measures the lines. Ends within about 20 seconds.
  let measure: @Sendable (Effort) async throws -> [Line]

  init(
    _ id: String,
    _ title: String,
    needsEtcd: Bool = true,
    _ measure: @escaping @Sendable (Effort) async throws -> [Line]
  ) {
    self.id = id
    self.title = title
    self.needsEtcd = needsEtcd
    self.measure = measure
  }
}

/// How much the rows measure.
struct Effort: Sendable {
  /// The number of samples of a line that compares two subjects.
  let rounds: Int
  /// The time of one sample, or of a series of single measurements.
  let time: Duration
  let isQuick: Bool

  static let full = Effort(rounds: 5, time: .milliseconds(500), isQuick: false)
  static let quick = Effort(rounds: 3, time: .milliseconds(150), isQuick: true)

  /// The time of a series of single measurements.
  var seriesTime: Duration { time * 6 }
}

/// One measured line of a row.
struct Line: Sendable {
  let name: String
  let unit: Unit
  let measured: Double
  /// The same work by hand, in the same run.
  var byHand: Double?
  /// The median of the ratios to `byHand`, sample by sample.
  var ratio: Double?
  var aim: Aim?
  var remark = ""

  enum Unit: Sendable {
    case nanoseconds, perSecond, bytes, count
    /// The share of one processor.
    case share

    func text(_ number: Double) -> String {
      switch self {
      case .nanoseconds:
        switch number {
        case ..<1e3: "\(digits(number)) ns"
        case ..<1e6: "\(digits(number / 1e3)) µs"
        case ..<1e9: "\(digits(number / 1e6)) ms"
        default: "\(digits(number / 1e9)) s"
        }
      case .perSecond: "\(digits(number))/s"
      case .bytes: "\(grouped(Int(number.rounded()))) B"
      case .count: exact(number)
      case .share: "\(digits(number * 100)) %"
      }
    }
  }

  enum Aim: Sendable {
    /// The measured number is at most this.
    case atMost(Double)
    /// The ratio to the same work by hand is at least this.
    case ratioAtLeast(Double)
    /// The ratio to the same work by hand is at most this.
    case ratioAtMost(Double)
  }

  /// Whether the aim is met; nil without an aim.
  var isMet: Bool? {
    switch aim {
    case .atMost(let limit): measured <= limit
    case .ratioAtLeast(let limit): ratio.map { $0 >= limit }
    case .ratioAtMost(let limit): ratio.map { $0 <= limit }
    case nil: nil
    }
  }

  private var aimText: String {
    switch aim {
    case .atMost(let limit): "≤ \(unit.text(limit))"
    case .ratioAtLeast(let limit): "≥ \(times(limit))"
    case .ratioAtMost(let limit): "≤ \(times(limit))"
    case nil: ""
    }
  }

  static let columns = ["row", "", "measured", "by hand", "ratio", "aim", "", ""]

  /// The cells of this line in the table.
  func cells(of row: String) -> [String] {
    [
      row, name, unit.text(measured), byHand.map(unit.text) ?? "", ratio.map(times) ?? "", aimText,
      isMet.map { $0 ? "met" : "MISSED" } ?? "", remark,
    ]
  }
}
