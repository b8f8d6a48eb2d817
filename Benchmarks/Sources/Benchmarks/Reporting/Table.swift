import Reporting

/// The results, as text.
extension Table {
  static func times(_ measurements: [Measurement]) -> String {
    var rows = [["", "median ns", "quartiles", "ratio", "target", ""]]
    var headings: [Int: String] = [:]
    for measurement in measurements {
      let workload = measurement.workload
      headings[rows.count] = "\(workload.id)  \(workload.title)  (ns per \(workload.unit))"
      for result in measurement.results {
        let isReference = result.subject.name == workload.reference
        rows.append([
          (result.subject.isOurs ? "  * " : "    ") + result.subject.name,
          digits(result.time.median),
          "\(digits(result.time.lower)) … \(digits(result.time.upper))",
          isReference ? "1" : Reporting.times(result.ratio.median),
          result.verdict.map { describe($0, beside: workload.reference) } ?? remark(result),
          result.verdict.map { $0.isMet ? "met" : "NOT MET" } ?? "",
        ])
      }
    }
    var lines: [String] = []
    for (index, line) in aligned(rows, left: [0, 4, 5]).enumerated() {
      if let heading = headings[index] { lines += ["", heading] }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }

  private static func remark(_ result: Measurement.Result) -> String {
    result.stale > 0 ? "\(result.stale) loop\(result.stale == 1 ? "" : "s") missed the last value" : ""
  }

  /// Describes a target, with the result unless another column has the result.
  private static func describe(_ verdict: Measurement.Verdict, beside reference: String? = nil) -> String {
    switch verdict.target {
    case .times(let limit, reference): "≤ \(Reporting.times(limit))"
    case .times(let limit, let name):
      "\(Reporting.times(verdict.found)) of ≤ \(Reporting.times(limit)) \(name)"
    case .added(let limit, let name):
      "\(verdict.found < 0 ? "" : "+")\(digits(verdict.found)) of ≤ +\(digits(limit)) ns to \(name)"
    case .nanoseconds(let limit):
      "\(reference == nil ? "\(digits(verdict.found)) of " : "")≤ \(digits(limit)) ns"
    }
  }

  /// A row for each of our subjects, as in the documentation.
  static func markdown(_ measurements: [Measurement], _ counted: [Tallied]) -> String {
    var lines = [
      "| | workload | ours | beside it | ratio | target |",
      "|---|---|---|---|---|---|",
    ]
    for measurement in measurements {
      let workload = measurement.workload
      let baselines = measurement.results.filter { !$0.subject.isOurs }
      let beside = baselines.map { baseline in
        "\(baseline.subject.name) \(digits(baseline.time.median))"
          + (baseline.stale > 0 ? " (\(remark(baseline)))" : "")
      }
      .joined(separator: ", ")
      for result in measurement.results where result.subject.isOurs {
        let isReference = result.subject.name == workload.reference
        let target = result.verdict.map { verdict in
          "\(describe(verdict, beside: workload.reference)): \(verdict.isMet ? "met" : "**not met**")"
        }
        lines.append(
          "| `\(workload.id)` | \(workload.title): `\(result.subject.name)` "
            + "| \(digits(result.time.median)) ns per \(workload.unit) "
            + "(\(digits(result.time.lower)) … \(digits(result.time.upper))) | \(beside) "
            + "| \(isReference ? "1" : Reporting.times(result.ratio.median)) | \(target ?? "") |"
        )
      }
    }
    lines += ["", "| counted | | ours | beside it | target |", "|---|---|---|---|---|"]
    for item in counted {
      let beside = item.baselines.map { "\($0.name) \(exact($0.found))" }.joined(separator: ", ")
      let target = item.count.target.map { "≤ \(exact($0)): \(item.found <= $0 ? "met" : "**not met**")" }
      lines.append(
        "| `\(item.count.id)` | \(item.count.title) | \(exact(item.found)) | \(beside) | \(target ?? "") |"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func counts(_ counted: [Tallied]) -> String {
    var rows = [["", "", "counted", "target", "", "beside it"]]
    for item in counted {
      rows.append([
        item.count.id,
        item.count.title,
        exact(item.found),
        item.count.target.map { "≤ \(exact($0))" } ?? "",
        item.count.target.map { item.found <= $0 ? "met" : "NOT MET" } ?? "",
        item.baselines.map { "\($0.name) \(exact($0.found))" }.joined(separator: ", "),
      ])
    }
    return aligned(rows, left: [0, 1, 3, 4, 5]).joined(separator: "\n")
  }

  /// The number of targets, and those that are not met; nil if there are no targets.
  static func summary(_ measurements: [Measurement], _ counted: [Tallied]) -> String? {
    var missed: [String] = []
    var count = 0
    func judge(_ isMet: Bool, _ text: @autoclosure () -> String) {
      count += 1
      if !isMet { missed.append("  not met: \(text())") }
    }
    for measurement in measurements {
      for result in measurement.results {
        guard let verdict = result.verdict else { continue }
        judge(verdict.isMet, "\(measurement.workload.id), \(result.subject.name): \(describe(verdict))")
      }
    }
    for item in counted {
      guard let target = item.count.target else { continue }
      judge(item.found <= target, "\(item.count.id): \(exact(item.found)) of ≤ \(exact(target))")
    }
    if count == 0 { return nil }
    return (["\(count - missed.count) of \(count) targets are met."] + missed).joined(separator: "\n")
  }
}
