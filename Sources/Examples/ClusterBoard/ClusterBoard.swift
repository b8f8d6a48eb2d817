import ActorBindings
import ActorBindingsSharing
import Foundation
import WebServer

/// Three processes that share cells, and a page that shows them.
///
/// Begin with `Member/Member.swift`: this is what each process does, and what a program of yours would do. `Fleet`
/// starts and stops the processes, and shows them.
@main
struct ClusterBoard {
  static func main() async {
    System.ignore(System.brokenPipe)
    switch Options.parsed(CommandLine.arguments.dropFirst()) {
    case .failure(let problem):
      System.warn("ClusterBoard: \(problem.message)\n\n\(Options.usage)")
      System.exit(2)
    case .success(let options):
      do {
        switch options.mode {
        case .help: System.say(Options.usage)
        case .member(let name): try await member(name, options)
        case .board: try await board(options)
        }
      } catch {
        System.warn("ClusterBoard: \(error)")
        System.exit(1)
      }
    }
  }

  private static func member(_ name: String, _ options: Options) async throws {
    do {
      try await runMember(named: name, over: CuttableStore(FileStore(options.folder ?? ".")))
    } catch is CancellationError {
      // The process that started this one has ended.
    }
  }

  private static func board(_ options: Options) async throws {
    var options = options
    let temporary = try options.folder == nil ? TemporaryFolder() : nil
    defer { temporary?.remove() }
    let folder = options.folder ?? temporary.map { $0.path + "/store" } ?? "."
    options.folder = folder

    let fleet = Fleet(["A", "B", "C"], folder)
    let server = fleet.server()
    let signals = Signals()
    let port = try await server.start(on: options.port)
    fleet.startAll()
    System.say("http://127.0.0.1:\(port)")
    System.say("Three processes share a cell over the folder \(folder).")
    System.say("Open the page, and press its buttons. Ctrl-C ends all processes.")

    _ = await signals.endIsWanted.first { $0 }
    withExtendedLifetime(signals) {}
    System.say("Ending: the three processes are stopped.")
    await fleet.stop()
    await server.stop()
  }
}
