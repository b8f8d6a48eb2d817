import ActorBindings
import Foundation
import WebServer

/// The processes of the cluster, and what each of them sees.
final class Fleet: Sendable {
  /// What the page shows of one process.
  struct Column: Sendable, Equatable {
    enum Phase: String, Sendable {
      case starting, running, paused, killed
    }

    var phase = Phase.killed
    var isCut = false
    /// The newest line of the process.
    var status: Status?
  }

  let columns = BindableDictionary<String, Column>()
  /// Where the store is, in words.
  let place: String
  // The options that name the store to each process.
  private let storeOptions: [String]
  private let names: [String]
  private let processes: [String: BindableActor<ChildProcess?>]

  init(_ names: [String], _ storeOptions: [String], over place: String) {
    self.names = names
    self.storeOptions = storeOptions
    self.place = place
    processes = Dictionary(uniqueKeysWithValues: names.map { ($0, BindableActor(nil)) })
    columns.modify { columns in for name in names { columns[name] = Column() } }
  }

  func startAll() {
    for name in names { perform(.start, on: name) }
  }

  /// Kills all processes, and returns when they have ended.
  func stop() async {
    for name in names { perform(.kill, on: name) }
    for cell in processes.values { _ = await cell.first { $0 == nil } }
    columns.finish()
  }

  /// What a button does with a process.
  enum Action: String, CaseIterable {
    case start, kill, pause, `continue`, cut, heal, write
  }

  /// Performs an action. Returns what is wrong with it at present; nil if it was performed.
  @discardableResult
  func perform(_ action: Action, on name: String) -> String? {
    guard let cell = processes[name] else { return "there is no process '\(name)'" }
    guard let process = cell.value else {
      return action == .start ? start(name, cell) : "process \(name) does not run: start it first"
    }
    switch action {
    case .start: return "process \(name) runs already"
    case .kill: process.kill()
    case .pause:
      process.pause()
      change(name) { $0.phase = .paused }
    case .continue:
      process.resume()
      change(name) { $0.phase = .running }
    case .cut, .heal:
      process.say(action.rawValue)
      change(name) { $0.isCut = action == .cut }
    case .write: process.say("write")
    }
    return nil
  }

  private func start(_ name: String, _ cell: BindableActor<ChildProcess?>) -> String? {
    do {
      change(name) { $0 = Column(phase: .starting) }
      let process = try ChildProcess(
        arguments: ["--member", name] + storeOptions,
        onLine: { [weak self] line in
          guard let status = Status(line: line) else { return }
          self?.change(name) { column in
            column.status = status
            if column.phase == .starting { column.phase = .running }
          }
        },
        onEnd: { [weak self] process in self?.ended(process, name) }
      )
      cell.send(process)
      // The process may have ended before its cell held it.
      if process.hasEnded { ended(process, name) }
      return nil
    } catch {
      change(name) { $0.phase = .killed }
      return "\(error)"
    }
  }

  private func ended(_ process: ChildProcess, _ name: String) {
    processes[name]?.modify { if $0 === process { $0 = nil } }
    change(name) { $0.phase = .killed }
  }

  private func change(_ name: String, _ body: (inout Column) -> Void) {
    columns.modify(forKey: name) { column in
      if var changed = column {
        body(&changed)
        column = changed
      }
    }
  }
}
