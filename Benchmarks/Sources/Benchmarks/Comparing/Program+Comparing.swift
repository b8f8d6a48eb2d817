import Reporting

extension Program {
  /// Measures the named rows, or lists all rows.
  static func compare(_ names: [String], _ arguments: Arguments) async throws {
    let rows = arguments.isAll ? Row.all : try Row.named(names)
    if rows.isEmpty {
      print("The rows of Benchmarks/compare ROW…, or --all:\n")
      for row in Row.all {
        print("  " + row.id.padded(to: 16) + row.title + ": " + row.lines.map(\.name).joined(separator: "; "))
      }
      return
    }
    try refuseDebugBuild()
    // Checks that each row names what is measured, before anything is measured.
    var (workloads, counts): ([Workload], [Count]) = ([], [])
    for source in Comparison.sources(of: rows) {
      switch source {
      case .workload(let id): workloads.append(Comparison.workload(id, for: rows))
      case .count(let id): counts += Count.all.filter { $0.id == id }
      }
    }
    // Counts before the times are measured, while the heap is not fragmented.
    let counted = try await count(counts, nil)
    let measured = try await measure(workloads, arguments.isQuick ? .quick : .full)
    var comparison = Comparison()
    for row in rows {
      for line in row.lines {
        if let item = counted.first(where: { $0.count.id == line.source.id }) {
          comparison.add(row, line, item)
        }
        if let item = measured.first(where: { $0.workload.id == line.source.id }) {
          comparison.add(row, line, item)
        }
      }
    }
    print(
      """
      Nanoseconds (the row bytes: bytes). By hand is the floor: code for this one case. A ratio is ours to the floor, \
      sample by sample.
      A lossy subject is not a faster one: the toolchain's best loses nothing, unless all subjects lose values.\
      \(arguments.isQuick ? "\nA quick look, not a measurement." : "")

      """
    )
    print(comparison.table)
  }

  /// Measures the named curves, or lists all curves.
  static func draw(_ names: [String], _ arguments: Arguments) async throws {
    let curves = arguments.isAll ? Curve.all : try select(names, among: Curve.all, \.id, "curve")
    if curves.isEmpty {
      print("The curves of Benchmarks/compare --curves NAME…, or --all:\n")
      for curve in Curve.all {
        print("  " + curve.id.padded(to: 16) + "\(curve.title), \(curve.range)")
      }
      return
    }
    try refuseDebugBuild()
    if let directory = arguments.charts { try Output.tryDirectory(directory) }
    for (index, curve) in curves.enumerated() {
      var measurements: [Measurement] = []
      for point in curve.points {
        let workload = curve.workload(at: point)
        note("[\(index + 1)/\(curves.count)] \(workload.id)")
        measurements.append(try await (arguments.isQuick ? Runner.quick : .brief).run(workload))
      }
      print((index == 0 ? "" : "\n") + curve.table(measurements))
      if let directory = arguments.charts {
        try Chart(family: measurements[0].workload.family, measurements: measurements).write(to: directory)
      }
    }
  }
}
