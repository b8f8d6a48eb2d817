import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A process that the trial kills, freezes and starts again: a member of etcd or a client.
final class Target {
  enum Condition {
    case lives, frozen, dead
  }

  let name: String
  private let guardian: Guardian
  private let makeProcess: (_ life: Int) throws -> ChildProcess
  private(set) var process: ChildProcess?
  private(set) var condition = Condition.dead
  /// How often the process was started.
  private(set) var lives = 0
  /// When the fault ends, by the shared clock.
  var recovers = 0
  /// When each life ended by a kill, and the times during which the process was frozen.
  private(set) var kills: [Int: Int] = [:]
  private(set) var freezes: [ClosedRange<Int>] = []
  private var frozeAt = 0

  init(_ name: String, _ guardian: Guardian, start: @escaping (_ life: Int) throws -> ChildProcess) {
    self.name = name
    self.guardian = guardian
    makeProcess = start
  }

  func start() throws {
    lives += 1
    let process = try makeProcess(lives)
    guardian.add(process)
    self.process = process
    condition = .lives
  }

  func crash() {
    guard let process else { return }
    process.crash()
    guardian.remove(process)
    if condition == .frozen { freezes.append(frozeAt...now()) }
    kills[lives] = now()
    condition = .dead
    self.process = nil
  }

  func freeze() {
    frozeAt = now()
    process?.send(SIGSTOP)
    condition = .frozen
  }

  /// Ends the fault.
  func recover() throws {
    switch condition {
    case .lives: break
    case .dead: try start()
    case .frozen:
      process?.send(SIGCONT)
      freezes.append(frozeAt...now())
      condition = .lives
    }
  }
}
