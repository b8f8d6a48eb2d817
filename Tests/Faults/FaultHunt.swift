import Foundation
import Synchronization

/// Switches the faults on, one at a time, and lets the scenarios look for each fault.
struct FaultHunt {
  private let plant: Plant
  private let faults: [(number: Int, fault: Fault)]
  private let isWhole: Bool

  static func main(_ arguments: [String]) throws {
    if arguments == ["--list"] { return Fault.all.forEach { print($0.name) } }
    // A pattern that no longer matches the code is an error.
    let plant = try Plant(Fault.all)
    if arguments == ["--stale"] { return }
    let hunt = try FaultHunt(plant, arguments)
    if hunt.faults.isEmpty { return print("0 faults: none is in a file that is named") }
    try Copy.faults.build(plant.files)
    exit(hunt.run())
  }

  private init(_ plant: Plant, _ arguments: [String]) throws {
    self.plant = plant
    isWhole = arguments.isEmpty
    let numbered = Fault.all.enumerated().map { (number: $0.offset + 1, fault: $0.element) }
    switch arguments.first {
    case nil: faults = numbered
    case "--touching":
      guard arguments.count > 1 else { throw Failure("--touching needs a file") }
      // Throws if a file does not exist.
      _ = try Schema(only: Array(arguments.dropFirst()))
      faults = numbered.filter { candidate in
        plant.touched[candidate.fault.name, default: []].contains { file in
          arguments.dropFirst().contains { "/\(Schema.library)/\(file)".hasSuffix("/\($0)") }
        }
      }
    case "--since":
      guard arguments.count == 2 else { throw Failure("--since needs a commit") }
      let changed = try Changes.lines(since: arguments[1])
      faults = numbered.filter { candidate in
        plant.touched[candidate.fault.name, default: []].contains { changed[$0] != nil }
      }
    default:
      faults = try arguments.map { name in
        guard let known = numbered.first(where: { $0.fault.name == name }) else {
          throw Failure("There is no fault '\(name)'; Tests/Faults/run --list names them")
        }
        return known
      }
    }
  }

  // Tries the faults. Returns the exit status of the process.
  private func run() -> Int32 {
    let counts = Mutex((missed: 0, failed: 0))
    guard passesWithoutFault() else { return 2 }
    let next = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 2) { core in
      while true {
        let turn = next.withLock { next in
          next += 1
          return next - 1
        }
        guard turn < faults.count else { return }
        let (number, fault) = faults[turn]
        let report = Self.hunt(number, core)
        print("\(Self.padded(fault.name)) \(report.text)")
        counts.withLock { counts in
          if report.wasFound { return }
          if report.status == nil || report.explorations > 0 {
            counts.missed += 1
          } else {
            counts.failed += 1
          }
        }
      }
    }
    let (missed, failed) = counts.withLock { $0 }
    print("\(faults.count) faults, \(missed) missed, \(failed) not looked for")
    return failed > 0 ? 2 : missed > 0 ? 1 : 0
  }

  // Returns whether the scenarios pass without a fault. The scenarios run all schedules if all faults are tried, and
  // otherwise a fiftieth of the schedules.
  private func passesWithoutFault() -> Bool {
    let share = ".build/faults/share"
    try? FileManager.default.removeItem(atPath: share)
    try? FileManager.default.createDirectory(atPath: share, withIntermediateDirectories: true)
    let reports = Mutex<[Report]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { core in
      let variables = ["ACTORBINDINGS_SHARE": share]
      let report = Self.explore(0, isWhole ? "1" : "0.02", core, variables: variables, log: "0-\(core)")
      reports.withLock { $0.append(report) }
    }
    let explorations = reports.withLock { $0.reduce(0) { $0 + $1.explorations } }
    if let failure = reports.withLock({ $0.first { $0.status != 0 } }) {
      print("the scenarios must pass without a fault: status \(failure.status ?? -1), see \(failure.log)")
      return false
    }
    print("\(Self.padded("(no fault)")) nothing found in \(explorations) explorations")
    return true
  }

  private static func padded(_ name: String) -> String {
    name.padding(toLength: 36, withPad: " ", startingAt: 0)
  }

  private struct Report {
    var text = ""
    var wasFound = false
    /// The exit status of the scenarios. Nil if the hunt killed them because they reached the time limit.
    var status: Int32?
    var explorations = 0
    var seconds = 0
    var log = ""
  }

  // Explores a few schedules of each scenario first, and then more. Otherwise all earlier scenarios would be explored
  // to their end before the scenario that finds the fault.
  private static func hunt(_ number: Int, _ core: Int) -> Report {
    var seconds = 0
    var report = Report()
    for factor in ["0.02", "0.2", "1"] {
      report = explore(number, factor, core, variables: ["ACTORBINDINGS_HUNT": "1"], log: "\(number)")
      seconds += report.seconds
      report.text += ", after \(seconds) s"
      if report.wasFound || report.status != 0 { break }
    }
    return report
  }

  private static func explore(
    _ number: Int,
    _ factor: String,
    _ core: Int,
    variables: [String: String],
    log: String
  ) -> Report {
    let begin = Date.now
    let limit = 1200.0
    var report = Report(log: ".build/faults/\(log).log")
    let process = Child(
      Copy.faults.binary,
      ["--filter", "ScheduleTests.Schedules", "--testing-library", "swift-testing"],
      number,
      variables: variables.merging([
        "ACTORBINDINGS_CORE": "\(core)", "ACTORBINDINGS_SCHEDULES": factor, "ASAN_OPTIONS": "detect_leaks=0",
      ]) { $1 }
    )
    var text = ""
    while !process.hasEnded, -begin.timeIntervalSinceNow < limit {
      text += process.lines(wait: 200).map { $0 + "\n" }.joined()
    }
    process.end()
    try? text.write(toFile: report.log, atomically: true, encoding: .utf8)
    if process.hasEnded { report.status = process.status }
    report.explorations = text.split(separator: "\n").count { $0.hasPrefix("explored ") }
    report.seconds = Int(-begin.timeIntervalSinceNow)
    if let schedule = text.firstMatch(of: /found by (.*), in schedule (\d+)\n/) {
      let scenario = text.firstMatch(of: /Caught error: ([^:]*):/).map { String($0.1) } ?? "?"
      report.wasFound = true
      report.text = "found in \(schedule.2) schedules of \"\(scenario)\" by \(schedule.1)"
    } else if report.status == nil {
      report.text = "NOT FOUND: killed after \(Int(limit)) seconds, see \(report.log)"
    } else if let status = report.status, status & 0x7f != 0 || text.contains("AddressSanitizer"),
      let test = text.matches(of: /Test ("[^"]*") started/).last
    {
      report.wasFound = true
      report.text = "found: it ends the process in the test \(test.1)"
    } else if report.status == 0, report.explorations > 0 {
      report.text = "NOT FOUND in \(report.explorations) explorations"
    } else {
      report.text = "ERROR: the scenarios could not be run, status \(report.status ?? -1), see \(report.log)"
    }
    return report
  }
}
