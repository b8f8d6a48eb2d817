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
      try await run(arguments)
      exit(0)
    } catch let wrong as WrongResult {
      complain("A wrong result, so the run was ended. \(wrong.message)")
    } catch {
      complain("\(error)")
    }
    exit(1)
  }

  private static func run(_ arguments: Arguments) async throws {
    let workloads = Workload.all.filter { arguments.select($0.id, $0.title) }
    if workloads.isEmpty {
      complain(
        "nothing has \(arguments.filters.joined(separator: " or ")) in its name; --list shows what there is"
      )
      exit(2)
    }
    if arguments.lists {
      for workload in workloads { print(workload.id.padded(to: 34), workload.title) }
      return
    }
    if isDebugBuild {
      complain("this is a debug build, of which the times do not mean anything: use -c release")
      exit(2)
    }
    // Better now than after minutes.
    if let path = arguments.json { try Data().write(to: URL(fileURLWithPath: path)) }

    let runner = arguments.isQuick ? Runner.quick : .full
    let measurements = try await measure(workloads, runner)
    print(
      """
      Times of \(runner.repetitions) repetitions on \(ProcessInfo.processInfo.activeProcessorCount) cores. Ours have a \
      star. A ratio is the median of the ratios of neighbouring samples; less is better.

      """
    )
    print(Table.times(measurements))
    print("\n" + Table.summary(measurements))
    if let path = arguments.json { try Figures(measurements).write(to: path) }
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
