import Foundation
import Synchronization

/// Runs the tests for each change, two at a time.
final class Hunt: Sendable {
  private struct State {
    var next = 0
    var found: [Int: (Trial.Outcome, seconds: Double)] = [:]
    var begin = Date.now
  }

  private static let slow = "Context|Lane|Sweep|LogNode|G02|G06|G09|G15|G16|G17|RandomWalk"
  private static let stress = "Stress|PeerFailure|Model|G14"

  private struct Stage {
    let name: String
    let arguments: [String]
    var variables: [String: String] = [:]
    // Only for the changes of this room, and for those that are explained too.
    var room: String?
  }

  // What takes least for each change that it kills comes first. Each stage is run for the mutants that the ones before have
  // left alive; what is explained is taken to survive all but the first.
  //
  // - Parameter factor: How far the last stage explores: `1` is as far as the scenarios say.
  private static func stages(of rooms: [String], exploring factor: String) -> [Stage] {
    rooms.compactMap(testsOfRoom) + [
      Stage(
        name: "scenarios, a few schedules",
        arguments: ["--filter", "ScheduleTests"],
        variables: ["ACTORBINDINGS_SCHEDULES": "0.02", "ACTORBINDINGS_PROGRAMS": "10"]
          .merging(Trial.freedMemoryIsOverwritten) { $1 }
      ),
      Stage(
        name: "quick tests",
        // The examples of articles have real clocks, which two runs beside each other disturb.
        arguments: ["--filter", "ActorBindingsTests", "--skip", slow, "--skip", stress, "--skip", "Examples"]
      ),
      Stage(name: "slower tests", arguments: ["--filter", "ActorBindingsTests.*(\(slow))"]),
      Stage(name: "stress tests", arguments: ["--filter", "ActorBindingsTests.*(\(stress))"]),
      Stage(
        name: "scenarios",
        arguments: ["--filter", "ScheduleTests"],
        variables: ["ACTORBINDINGS_SCHEDULES": factor].merging(Trial.freedMemoryIsOverwritten) { $1 }
      ),
    ]
  }

  // The suites in the folder of the same name. Nil if there is none.
  private static func testsOfRoom(_ room: String) -> Stage? {
    let files =
      (try? FileManager.default.contentsOfDirectory(atPath: "Tests/ActorBindingsTests/\(room)")) ?? []
    let suites = files.filter { $0.hasSuffix("Tests.swift") }.map { $0.dropLast(".swift".count) }.sorted()
    if suites.isEmpty { return nil }
    return Stage(
      name: "tests of \(room)",
      arguments: ["--filter", "ActorBindingsTests.(\(suites.joined(separator: "|")))/", "--skip", stress],
      room: room
    )
  }

  private let mutants: [Mutant]
  private let survivors: Survivors
  private let stages: [Stage]
  private let state = Mutex(State())

  /// - Parameter isWhole: False for an answer within minutes, which explores a fifth of the schedules.
  init(_ mutants: [Mutant], _ survivors: Survivors, isWhole: Bool) {
    self.mutants = mutants
    self.survivors = survivors
    stages = Self.stages(of: Set(mutants.map(\.room)).sorted(), exploring: isWhole ? "1" : "0.2")
  }

  func run() throws {
    for stage in stages {
      let left = mutants.indices.filter { index in
        let isAlive = state.withLock { $0.found[index].map { $0.0 == .passed } ?? true }
        guard let room = stage.room else { return isAlive && !survivors.explain(mutants[index]) }
        return isAlive && mutants[index].room == room
      }
      if left.isEmpty { continue }
      let trial = try measured(stage)
      let limit = trial.limit.rounded(toPlaces: 1)
      print("\(left.count) mutants and the \(stage.name): \(limit) s for each at the most")
      sweep(left, trial, stage.name)
    }
  }

  // With nothing changed, and as much else going on as later.
  private func measured(_ stage: Stage) throws -> Trial {
    var trial = Trial(
      arguments: stage.arguments,
      limit: 900,
      binary: Copy.mutants.binary,
      variables: stage.variables
    )
    let times = Mutex<[Double]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { [trial] core in
      let (outcome, seconds) = trial.run(0, core: core)
      if outcome == .passed { times.withLock { $0.append(seconds) } } else { print("\(outcome)") }
    }
    let passed = times.withLock { $0 }
    guard passed.count == 2 else { throw Failure("the \(stage.name) fail with nothing changed") }
    trial.limit = 3 * (passed.max() ?? 0) + 2
    return trial
  }

  private func sweep(_ indices: [Int], _ trial: Trial, _ stage: String) {
    state.withLock { $0.next = 0 }
    DispatchQueue.concurrentPerform(iterations: 2) { core in
      while true {
        let turn = state.withLock { state in
          state.next += 1
          return state.next - 1
        }
        guard turn < indices.count else { return }
        let index = indices[turn]
        let result = trial.run(mutants[index].number, core: core)
        let (killed, seconds) = state.withLock { state in
          state.found[index] = result
          return (state.found.values.count { $0.0 != .passed }, Int(-state.begin.timeIntervalSinceNow))
        }
        if result.0 == .passed, !survivors.explain(mutants[index]) {
          print("survives the \(stage): \(mutants[index].name)")
        }
        if turn % 20 == 19 || turn == indices.count - 1 {
          print("\(turn + 1) of \(indices.count), \(killed) killed in all, \(seconds) s")
        }
      }
    }
  }

  func write(to path: String, refused: [Mutant]) throws {
    let found = state.withLock { $0.found }
    var lines = mutants.indices.map { index in
      let (outcome, seconds) = found[index] ?? (.passed, 0)
      let by = if case .failed(let test) = outcome { test } else { "" }
      let place = "\(Schema.library)/\(mutants[index].file):\(mutants[index].line)"
      return [
        "\(mutants[index].number)", outcome.word, "\(seconds.rounded(toPlaces: 1))", place,
        mutants[index].name, by,
      ].joined(separator: "\t")
    }
    lines += refused.map { "-\trefused\t0\t\(Schema.library)/\($0.file):\($0.line)\t\($0.name)\t" }
    try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// The mutants that were alive when it was written.
  static func survivors(in path: String) -> Set<String> {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").map { $0.split(separator: "\t") }
    return Set(lines.filter { $0.count > 4 && $0[1] == "survives" }.map { String($0[4]) })
  }

  /// Prints it. True if every survivor is explained.
  func summary(_ survivors: Survivors, _ schema: Schema) -> Bool {
    let found = state.withLock { $0.found }
    let counts = Dictionary(grouping: found.values) { $0.0.word }.mapValues(\.count)
    let alive = mutants.indices.filter { found[$0]?.0 == .passed }.map { mutants[$0] }
    let explained = alive.filter { survivors.explain($0) }
    let strangers = alive.filter { !survivors.explain($0) }
    let (test, crash, hang) = (counts["test"] ?? 0, counts["crash"] ?? 0, counts["hang"] ?? 0)
    for mutant in strangers {
      print("\(survivors.open.contains(mutant.name) ? "not yet killed" : "UNEXPLAINED"): \(mutant.name)")
      print("    \(schema.place(of: mutant)): \(schema.text(of: mutant))")
    }
    for index in mutants.indices where survivors.explain(mutants[index]) {
      if let outcome = found[index]?.0, outcome != .passed {
        print("explained, but killed: \(mutants[index].name)")
      }
    }
    print(
      """
      \(mutants.count) mutants: \(test + crash + hang) killed (by test \(test), crash \(crash), hang \(hang)), \
      \(alive.count) survive, of which \(explained.count) explained
      """
    )
    return strangers.isEmpty
  }
}

extension Double {
  fileprivate func rounded(toPlaces places: Int) -> Double {
    (self * pow(10, Double(places))).rounded() / pow(10, Double(places))
  }
}
