import ActorBindings
import WebServer

/// Clients that follow the board from other processes, a thousand in each.
package final class Crowd: Sendable {
  /// The processes that run.
  private let processes = BindableDictionary<Int, ChildProcess>().named("crowd")
  private let size: Int
  private let most: Int

  /// - Parameters:
  ///   - size: The number of clients in each process.
  ///   - most: The largest number of processes.
  package init(of size: Int = 1_000, most: Int = 10) {
    self.size = size
    self.most = most
  }

  package struct Full: Error, CustomStringConvertible {
    package let clients: Int
    package var description: String { "there are \(clients) clients already" }
  }

  /// Starts a process whose clients follow the server at `port`.
  package func add(port: UInt16) throws {
    guard processes.count < most else { throw Full(clients: most * size) }
    let id = Int.random(in: 0..<Int.max)
    let process = try ChildProcess(
      arguments: ["--load", "\(size)", "--port", "\(port)", "--seconds", "3600"],
      onEnd: { [weak processes] _ in _ = processes?.removeValue(forKey: id) }
    )
    processes.set(process, forKey: id)
  }

  /// Kills all processes.
  package func kill() {
    for (_, process) in processes.value { process.kill() }
  }

  deinit { kill() }
}
