import Reporting

/// The results of the lines of some rows.
struct Comparison: Sendable {
  /// One measured line.
  struct Result: Sendable {
    let row: Row
    let line: Row.Line
    let unit: String
    let ours: Double
    let floor: Double?
    let ratio: Double?
    /// The fastest subject of the toolchain that loses nothing. If each loses values, as ours does, the fastest.
    let best: (name: String, found: Double)?
    /// What each subject lost.
    let losses: [String]

    var isMet: Bool? { line.aim.flatMap { $0.isMet(ours, ratio: ratio) } }
  }

  private(set) var results: [Result] = []

  /// The number of workloads and counts that the rows need. Lines of one workload are measured together.
  static func sources(of rows: [Row]) -> [Row.Source] {
    var known: Set<String> = []
    return rows.flatMap(\.lines).map(\.source).filter { known.insert($0.id).inserted }
  }

  /// Returns the workload `id` with only the subjects that `rows` need.
  static func workload(_ id: String, for rows: [Row]) -> Workload {
    guard let workload = Workload.all.first(where: { $0.id == id }) else {
      preconditionFailure("a row of the comparison names the workload \(id), which does not exist")
    }
    let lines = rows.flatMap(\.lines).filter { $0.source.id == id }
    let names = Set(lines.flatMap { [$0.ours] + $0.toolchain + [$0.floor].compactMap(\.self) })
    let missing = names.filter { name in !workload.subjects.contains { $0.name == name } }
    precondition(missing.isEmpty, "a row of the comparison names \(missing), which \(id) does not measure")
    let subjects = workload.subjects.filter { names.contains($0.name) }.map(\.withoutTarget)
    return Workload(
      id,
      workload.title,
      per: workload.unit,
      fan: workload.fan,
      comparedTo: lines[0].floor ?? lines[0].ours,
      subjects
    )
  }

  mutating func add(_ row: Row, _ line: Row.Line, _ measurement: Measurement) {
    func result(_ name: String) -> Measurement.Result? {
      measurement.results.first { $0.subject.name == name }
    }
    guard let ours = result(line.ours) else { return }
    let floor = line.floor.flatMap(result)
    let toolchain = line.toolchain.compactMap(result)
    let losesNothing = toolchain.filter { $0.lost == 0 && $0.stale == 0 }
    let best = (losesNothing.isEmpty ? toolchain : losesNothing).min { $0.time.median < $1.time.median }
    let others = [floor].compactMap(\.self) + toolchain.filter { $0.subject.name != floor?.subject.name }
    let losses = [Self.loss("ours", ours)] + others.map { Self.loss($0.subject.name, $0) }
    results.append(
      Result(
        row: row,
        line: line,
        unit: measurement.workload.unit,
        ours: ours.time.median,
        floor: floor?.time.median,
        ratio: floor.flatMap { Self.ratio(ours, to: $0) },
        best: best.map { ($0.subject.name, $0.time.median) },
        losses: losses.compactMap(\.self)
      )
    )
  }

  mutating func add(_ row: Row, _ line: Row.Line, _ counted: Tallied) {
    func found(_ name: String) -> Double? { counted.baselines.first { $0.name == name }?.found }
    let floor = line.floor.flatMap(found)
    results.append(
      Result(
        row: row,
        line: line,
        unit: "reader",
        ours: counted.found,
        floor: floor,
        ratio: floor.map { counted.found / $0 },
        best: line.toolchain.compactMap { name in found(name).map { (name, $0) } }.min { $0.1 < $1.1 },
        losses: []
      )
    )
  }

  // Compares samples that were taken next to each other, so a slow period of the machine cancels out. Returns nil if a
  // sample is not positive: a workload that subtracts its pauses was disturbed.
  private static func ratio(_ ours: Measurement.Result, to floor: Measurement.Result) -> Double? {
    guard (ours.samples + floor.samples).allSatisfy({ $0 > 0 }) else { return nil }
    return Spread(zip(ours.samples, floor.samples).map(/)).median
  }

  private static func loss(_ name: String, _ result: Measurement.Result) -> String? {
    var parts: [String] = []
    if result.lost > 0 { parts.append("\(digits(result.lost * 100)) % of the values") }
    if result.stale > 0 { parts.append("\(result.stale) times the last value") }
    return parts.isEmpty ? nil : "\(name) \(parts.joined(separator: ", ")) (\(digits(result.time.median)) ns)"
  }

  /// One table of all lines.
  var table: String {
    var rows = [["row", "", "per", "ours", "by hand", "ratio", "the toolchain's best", "aim", "", "lost"]]
    for (index, result) in results.enumerated() {
      let isFirst = index == 0 || results[index - 1].row.id != result.row.id
      rows.append([
        isFirst ? result.row.id : "",
        result.line.name,
        result.unit,
        digits(result.ours),
        result.floor.map(digits) ?? "–",
        result.ratio.map(Reporting.times) ?? "–",
        result.best.map { "\(digits($0.found)) \($0.name)" } ?? "–",
        result.line.aim?.text ?? "–",
        result.isMet.map { $0 ? "met" : "MISSED" } ?? "",
        result.losses.joined(separator: "; "),
      ])
    }
    let aims = results.compactMap(\.isMet)
    let met = aims.filter(\.self).count
    return Table.aligned(rows, left: [0, 1, 2, 6, 7, 8, 9]).joined(separator: "\n")
      + (aims.isEmpty ? "" : "\n\n\(met) of \(aims.count) aims are met.")
  }
}

extension Row.Source {
  var id: String {
    switch self {
    case .workload(let id), .count(let id): id
    }
  }
}

extension Subject {
  /// Returns this subject for a comparison in which the subject of its target may be missing.
  var withoutTarget: Subject {
    Subject(name: name, isOurs: isOurs, operations: operations, target: nil, body: body)
  }
}
