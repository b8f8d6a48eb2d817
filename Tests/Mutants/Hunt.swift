import Foundation
import Synchronization

/// Runs the tests for all changes, two changes at a time.
final class Hunt: Sendable {
  private struct State {
    var next = 0
    var found: [Int: (Trial.Outcome, seconds: Double)] = [:]
    var begin = Date.now
  }

  private struct Stage {
    let name: String
    let suites: [Suite]
    var variables: [String: String] = [:]
    // The room whose changes this stage tries; nil for the changes of all rooms.
    var room: String?
    // Whether this stage also tries explained changes.
    var triesExplained = false
  }

  private let mutants: [Mutant]
  private let count: Int
  private let survivors: Survivors
  private let refused: [Mutant]
  // The factor of the last stage for the number of schedules. With `1`, each scenario explores as far as it says.
  private let factor: String
  private let state = Mutex(State())

  /// - Parameter isWhole: Whether the last stage explores all schedules of the scenarios. It is false in a run for many
  ///   changes of some files or of the lines since a commit: then the last stage explores a fifth of the schedules, so
  ///   that the run takes minutes.
  /// - Parameter count: The number of all changes in the copy, tried or not.
  init(_ mutants: [Mutant], of count: Int, refused: [Mutant], _ survivors: Survivors, isWhole: Bool) {
    self.refused = refused
    self.mutants = mutants
    self.count = count
    self.survivors = survivors
    factor = isWhole ? "1" : "0.2"
  }

  // Runs the stages. The stage that takes the least time for each mutant that it kills comes first. Each stage runs for
  // the mutants that the earlier stages have left alive. An explained change is assumed to survive all stages but the
  // first.
  func run() throws {
    let suites = try Suite.names(in: Copy.mutants.binary)
    // The suite `VocabularyTests` would fail without a change: the article has no line for the type that holds the
    // switches.
    let tests = try measured(
      "tests",
      suites.filter { $0.hasPrefix("ActorBindingsTests.") && $0 != "ActorBindingsTests.VocabularyTests" }
    )
    let quick = tests.filter { $0.seconds < Self.longestQuick }
    for room in Set(mutants.map(\.room)).sorted() {
      let names = Self.suites(ofRoom: room)
      run(
        Stage(
          name: "tests of \(room)",
          suites: quick.filter { names.contains($0.shortName) },
          room: room,
          triesExplained: true
        )
      )
    }
    let guarantees = Self.suites(ofRoom: "Guarantees")
    run(Stage(name: "tests of the guarantees", suites: quick.filter { guarantees.contains($0.shortName) }))
    let slow = tests.filter { $0.seconds >= Self.longestQuick && !$0.isOfAnArticle }
    for room in Set(mutants.map(\.room)).sorted() {
      let names = Self.suites(ofRoom: room)
      let suites = slow.filter { names.contains($0.shortName) }
      run(Stage(name: "slower tests of \(room)", suites: suites, room: room))
    }
    let scenarios = suites.filter { $0.hasPrefix("ScheduleTests.Schedules") }
    let few = Trial.freedMemoryIsOverwritten.merging([
      "ACTORBINDINGS_SCHEDULES": "0.02", "ACTORBINDINGS_PROGRAMS": "10",
    ]) { $1 }
    run(
      Stage(
        name: "scenarios, a few schedules",
        suites: try measured("scenarios, a few schedules", scenarios, few),
        variables: few
      )
    )
    // The examples of articles have real clocks, which two runs at the same time disturb.
    run(Stage(name: "quick tests", suites: quick.filter { !$0.isOfAnArticle }))
    run(Stage(name: "slower tests", suites: slow))
    if left().isEmpty { return }
    let all = Trial.freedMemoryIsOverwritten.merging(["ACTORBINDINGS_SCHEDULES": factor]) { $1 }
    run(Stage(name: "scenarios", suites: try measured("scenarios", scenarios, all), variables: all))
  }

  // A suite is quick if it takes fewer seconds than this by itself.
  private static let longestQuick = 1.5

  // Returns the suites that the files in the folder with the name of the room declare.
  private static func suites(ofRoom room: String) -> Set<String> {
    let folder = "Tests/ActorBindingsTests/\(room)"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let texts = files.compactMap { try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
    return Set(
      texts.flatMap { $0.matches(of: /(?:struct|class|enum|actor) (\w+Tests)\b/).map { String($0.1) } }
    )
  }

  // Returns the changes that are alive.
  private func left(of room: String? = nil, withExplained: Bool = false) -> [Int] {
    mutants.indices.filter { index in
      let isAlive = state.withLock { $0.found[index].map { $0.0 == .passed } ?? true }
      return isAlive && (room == nil || mutants[index].room == room)
        && (withExplained || !survivors.explain(mutants[index]))
    }
  }

  private func run(_ stage: Stage) {
    let left = left(of: stage.room, withExplained: stage.triesExplained).filter { index in
      stage.suites.contains { $0.reaches(mutants[index]) }
    }
    if left.isEmpty { return }
    print("\(left.count) mutants and the \(stage.name)")
    sweep(left, stage)
    // After each stage, so that a hunt that is broken off is not lost.
    write()
  }

  // Measures each suite by itself, without a change, and with the same load as in the stages.
  private func measured(_ name: String, _ suites: [String], _ variables: [String: String] = [:]) throws
    -> [Suite]
  {
    print("\(suites.count) suites with nothing changed: the \(name)")
    let state = Mutex((next: 0, measured: [Suite](), failed: [String]()))
    DispatchQueue.concurrentPerform(iterations: 2) { core in
      while true {
        let turn = state.withLock { state in
          state.next += 1
          return state.next - 1
        }
        guard turn < suites.count else { return }
        let suite = Suite.measured(suites[turn], among: count, variables, core: core)
        state.withLock { state in
          if let suite { state.measured.append(suite) } else { state.failed.append(suites[turn]) }
        }
      }
    }
    return try state.withLock { state in
      guard state.failed.isEmpty else {
        throw Failure("these fail with nothing changed: \(state.failed.joined(separator: ", "))")
      }
      return state.measured
    }
  }

  private func sweep(_ indices: [Int], _ stage: Stage) {
    state.withLock { $0.next = 0 }
    DispatchQueue.concurrentPerform(iterations: 2) { core in
      while true {
        let turn = state.withLock { state in
          state.next += 1
          return state.next - 1
        }
        guard turn < indices.count else { return }
        let index = indices[turn]
        let trial = Trial(of: stage.suites.filter { $0.reaches(mutants[index]) }, stage.variables)
        let result = trial.run(mutants[index].number, core: core)
        let (killed, seconds) = state.withLock { state in
          state.found[index] = result
          return (state.found.values.count { !$0.0.isSurvival }, Int(-state.begin.timeIntervalSinceNow))
        }
        if result.0 == .passed, !survivors.explain(mutants[index]) {
          print("survives the \(stage.name): \(mutants[index].name)")
        }
        if turn % 20 == 19 || turn == indices.count - 1 {
          print("\(turn + 1) of \(indices.count), \(killed) killed in all, \(seconds) s")
        }
      }
    }
  }

  private func write() {
    let found = state.withLock { $0.found }
    var lines = mutants.indices.map { index in
      let (outcome, seconds) = found[index] ?? (.unreached, 0)
      let by = if case .failed(let test) = outcome { test } else { "" }
      let place = "\(Schema.library)/\(mutants[index].file):\(mutants[index].line)"
      return [
        "\(mutants[index].number)", outcome.word, "\(seconds.rounded(toPlaces: 1))", place,
        mutants[index].name, by,
      ].joined(separator: "\t")
    }
    lines += refused.map { "-\trefused\t0\t\(Schema.library)/\($0.file):\($0.line)\t\($0.name)\t" }
    try? (lines.joined(separator: "\n") + "\n").write(toFile: result, atomically: true, encoding: .utf8)
  }

  /// Returns the mutants that were alive when the file was written.
  static func survivors(in path: String) -> Set<String> {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").map { $0.split(separator: "\t") }
    return Set(
      lines.filter { $0.count > 4 && ["survives", "unreached"].contains($0[1]) }.map { String($0[4]) }
    )
  }

  /// Prints the result. Returns true if every survivor is explained.
  func summary(_ survivors: Survivors, _ schema: Schema) -> Bool {
    let found = state.withLock { $0.found }
    let counts = Dictionary(grouping: found.values) { $0.0.word }.mapValues(\.count)
    let alive = mutants.indices.filter { (found[$0]?.0 ?? .unreached).isSurvival }.map { mutants[$0] }
    let explained = alive.filter { survivors.explain($0) }
    let strangers = alive.filter { !survivors.explain($0) }
    let (test, crash, hang) = (counts["test"] ?? 0, counts["crash"] ?? 0, counts["hang"] ?? 0)
    for mutant in strangers {
      print("\(survivors.open.contains(mutant.name) ? "not yet killed" : "UNEXPLAINED"): \(mutant.name)")
      print("    \(schema.place(of: mutant)): \(schema.text(of: mutant))")
    }
    for index in mutants.indices where survivors.explain(mutants[index]) {
      if let outcome = found[index]?.0, !outcome.isSurvival {
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
