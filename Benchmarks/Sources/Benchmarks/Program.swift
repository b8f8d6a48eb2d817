import Counting
import Foundation
import Reporting

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
    } catch let refusal as Refusal {
      complain(refusal.message)
      exit(2)
    } catch let wrong as WrongResult {
      complain("A wrong result, so the run was ended. \(wrong.message)")
    } catch {
      complain("\(error)")
    }
    exit(1)
  }

  // Returns false if a limit is exceeded.
  private static func run(_ arguments: Arguments) async throws -> Bool {
    if let names = arguments.compared {
      try await compare(names, arguments)
      return true
    }
    if let names = arguments.curves {
      try await draw(names, arguments)
      return true
    }
    var workloads = arguments.gate == nil ? Workload.all : []
    var counts = Count.all
    var growths = Growth.all
    let idle = arguments.idleFilters(
      among: workloads.map { ($0.id, $0.title) } + counts.map { ($0.id, $0.title) }
        + growths.map { ($0.id, $0.title) }
    )
    if !idle.isEmpty {
      let what = arguments.gate == nil ? "nothing" : "nothing that has a limit"
      let names = idle.map { "'\($0)'" }.joined(separator: " or ")
      throw Refusal(message: "\(what) has \(names) in its name; --list shows what there is")
    }
    workloads = workloads.filter { arguments.select($0.id, $0.title) }
    counts = counts.filter { arguments.select($0.id, $0.title) }
    growths = growths.filter { arguments.select($0.id, $0.title) }
    if arguments.isWithoutBaselines {
      workloads = workloads.compactMap(\.withoutBaselines)
      counts = counts.map(\.withoutBaselines)
    }
    if arguments.lists {
      for workload in workloads { print(workload.id.padded(to: 34), workload.title) }
      for count in counts { print(count.id.padded(to: 34), count.title) }
      for growth in growths { print(growth.id.padded(to: 34), growth.title) }
      return true
    }
    try refuseDebugBuild()
    let limits = try arguments.gate.map(Limits.init(path:))
    try [arguments.json, arguments.markdown].compactMap(\.self).forEach(Output.tryFile)
    try arguments.charts.map(Output.tryDirectory)

    // Counts before the times are measured, while the heap is not fragmented.
    let counted = try await count(counts, limits)
    if let limits {
      let (lines, holds) = limits.check(counted, isComplete: arguments.filters.isEmpty)
      let grown = try await grow(growths)
      print((lines + grown.flatMap(\.lines)).joined(separator: "\n"))
      let allHold = holds && grown.allSatisfy(\.holds)
      print(allHold ? "All limits hold." : "A limit does not hold.")
      if let path = arguments.json { try Figures([], counted).write(to: path) }
      return allHold
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
    if !counted.isEmpty { print("\nCounts.\n\n" + Table.counts(counted)) }
    let grown = try await grow(arguments.isQuick ? [] : growths)
    if !grown.isEmpty {
      print("\nCosts of one of many, at n and at 4 n.\n\n" + grown.flatMap(\.lines).joined(separator: "\n"))
    }
    if let summary = Table.summary(measurements, counted) { print("\n" + summary) }
    if let path = arguments.json {
      let run = Figures.Run(repetitions: runner.repetitions, isQuick: arguments.isQuick)
      try Figures(measurements, counted, run).write(to: path)
    }
    let shown = measurements.filter { !$0.workload.isOnlyCompared }
    if let path = arguments.markdown {
      try Data(Table.markdown(shown, counted).utf8).write(to: URL(fileURLWithPath: path))
    }
    if let directory = arguments.charts {
      try Chart.all(of: shown).forEach { try $0.write(to: directory) }
    }
    return true
  }

  static func measure(_ workloads: [Workload], _ runner: Runner) async throws -> [Measurement] {
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

  static func count(_ counts: [Count], _ limits: Limits?) async throws -> [Tallied] {
    if counts.isEmpty { return [] }
    guard countsAllocations() else {
      let reason = "allocations cannot be counted here: that takes glibc's allocator"
      if limits != nil { throw Refusal(message: reason) }
      complain(reason)
      return []
    }
    var counts = counts
    if counts.contains(where: \.isOfSteps), !steps_are_available() {
      complain("locks and atomic operations are not counted here: that takes Linux on x86-64")
      counts.removeAll(where: \.isOfSteps)
    }
    var counted: [Tallied] = []
    for (index, count) in counts.enumerated() {
      note("[\(index + 1)/\(counts.count)] \(count.id)")
      counted.append(try await Tallied(count, limit: limits?[count.id]))
    }
    return counted
  }

  private static func grow(_ growths: [Growth]) async throws -> [Grown] {
    if growths.isEmpty { return [] }
    guard try await Grown.isTrustworthy() else {
      throw Refusal(message: "the processor's time cannot be measured here: it does not tell what grows")
    }
    var grown: [Grown] = []
    for (index, growth) in growths.enumerated() {
      note("[\(index + 1)/\(growths.count)] \(growth.id)")
      grown.append(try await Grown(growth))
    }
    return grown
  }

  static func refuseDebugBuild() throws(Refusal) {
    guard isDebugBuild else { return }
    throw Refusal(
      message: "this is a debug build, of which neither times nor counts mean anything: use -c release"
    )
  }

  #if DEBUG
    private static let isDebugBuild = true
  #else
    private static let isDebugBuild = false
  #endif

  static func note(_ text: String, terminator: String = "\n") {
    FileHandle.standardError.write(Data((text + terminator).utf8))
  }

  private static func complain(_ text: String) {
    note("benchmarks: \(text)")
  }
}
