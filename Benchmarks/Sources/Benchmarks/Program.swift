import Foundation

@main
enum Program {
  static func main() async {
    let arguments: Arguments
    do {
      arguments = try Arguments(CommandLine.arguments.dropFirst())
    } catch {
      complain("\(error.message)\n\n\(Arguments.usage)")
      exit(2)
    }
    if arguments.helps {
      print(Arguments.usage)
      exit(0)
    }
    do {
      exit(try await run(arguments) ? 0 : 1)
    } catch let wrong as WrongResult {
      complain("A wrong result, so the run was ended. \(wrong.message)")
    } catch let unreadable as Limits.Unreadable {
      complain(unreadable.message)
      exit(2)
    } catch {
      complain("\(error)")
    }
    exit(1)
  }

  // False if a limit is exceeded.
  private static func run(_ arguments: Arguments) async throws -> Bool {
    var workloads = arguments.gate == nil ? Workload.all.filter { arguments.select($0.id, $0.title) } : []
    if arguments.isWithoutBaselines { workloads = workloads.compactMap(\.withoutBaselines) }
    let counts = Count.all.filter { arguments.select($0.id, $0.title) }
    if workloads.isEmpty, counts.isEmpty {
      complain(
        "nothing has \(arguments.filters.joined(separator: " or ")) in its name; --list shows what there is"
      )
      exit(2)
    }
    if arguments.lists {
      for workload in workloads { print(workload.id.padded(to: 34), workload.title) }
      for count in counts { print(count.id.padded(to: 34), count.title) }
      return true
    }
    if isDebugBuild {
      complain("this is a debug build, of which neither times nor counts mean anything: use -c release")
      exit(2)
    }
    let limits = try arguments.gate.map(Limits.init(path:))
    // Better now than after minutes.
    if let path = arguments.json { try Data().write(to: URL(fileURLWithPath: path)) }

    // First, while the heap is in order.
    let counted = try await count(counts, isGate: limits != nil)
    if let limits {
      let (lines, holds) = limits.check(counted, isComplete: arguments.filters.isEmpty)
      print(lines.joined(separator: "\n"))
      print(holds ? "All limits hold." : "A limit does not hold.")
      if let path = arguments.json { try Figures([], counted).write(to: path) }
      return holds
    }

    let runner = arguments.isQuick ? Runner.quick : .full
    let measurements = try await measure(workloads, runner)
    if !measurements.isEmpty {
      print(
        """
        Times of \(runner.repetitions) repetitions on \(ProcessInfo.processInfo.activeProcessorCount) cores. Ours have a \
        star. A ratio is the median of the ratios of neighbouring samples; less is better.

        """
      )
      print(Table.times(measurements))
    }
    if !counted.isEmpty { print("\nCounts. They are exact.\n\n" + Table.counts(counted)) }
    print("\n" + Table.summary(measurements, counted))
    if let path = arguments.json { try Figures(measurements, counted).write(to: path) }
    if let path = arguments.markdown {
      try Data(Table.markdown(measurements, counted).utf8).write(to: URL(fileURLWithPath: path))
    }
    if let directory = arguments.charts {
      try Chart.all(of: measurements).forEach { try $0.write(to: directory) }
    }
    return true
  }

  private static func measure(_ workloads: [Workload], _ runner: Runner) async throws -> [Measurement] {
    var measurements: [Measurement] = []
    let clock = ContinuousClock()
    for (index, workload) in workloads.enumerated() {
      let begin = clock.now
      note("[\(index + 1)/\(workloads.count)] \(workload.id) ", terminator: "")
      measurements.append(try await runner.run(workload))
      note(String(format: "%.1f s", (clock.now - begin) / .seconds(1)))
    }
    return measurements
  }

  private static func count(_ counts: [Count], isGate: Bool) async throws -> [Tallied] {
    if counts.isEmpty { return [] }
    guard countsAllocations() else {
      if isGate { throw WrongResult(message: "allocations cannot be counted here, so there is no gate") }
      note("Allocations cannot be counted here: that takes glibc's allocator.")
      return []
    }
    var counted: [Tallied] = []
    for (index, count) in counts.enumerated() {
      note("[\(index + 1)/\(counts.count)] \(count.id)")
      counted.append(try await Tallied(count))
    }
    return counted
  }

  #if DEBUG
    private static let isDebugBuild = true
  #else
    private static let isDebugBuild = false
  #endif

  private static func note(_ text: String, terminator: String = "\n") {
    FileHandle.standardError.write(Data((text + terminator).utf8))
  }

  private static func complain(_ text: String) {
    note("benchmarks: \(text)")
  }
}
