import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
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
    let store: CuttableStore
    switch options.store {
    case .folder(let path): store = try CuttableStore(FileStore(path))
    case .etcd(let urls): store = try CuttableStore(EtcdStore(endpoints: urls, prefix: "cluster-board/"))
    case .temporaryFolder, .ownEtcd:
      preconditionFailure("a process of the fleet was started without its store")
    }
    do {
      try await runMember(named: name, over: store)
    } catch is CancellationError {
      // The process that started this one has ended.
    }
  }

  private static func board(_ options: Options) async throws {
    var folder: TemporaryFolder?
    defer { folder?.remove() }
    var cluster: EtcdCluster?
    defer { cluster?.stop() }

    let (arguments, place): ([String], String)
    switch options.store {
    case .temporaryFolder, .folder:
      if case .temporaryFolder = options.store { folder = try TemporaryFolder() }
      let path =
        if case .folder(let path) = options.store { path } else { folder.map { $0.path + "/store" } ?? "." }
      (arguments, place) = (["--folder", path], "the folder \(path)")
    case .etcd(let urls):
      // Refuses a wrong URL at once, instead of once in each process.
      place = try EtcdStore(endpoints: urls).name
      arguments = ["--store", urls.joined(separator: ",")]
    case .ownEtcd(let count):
      let temporary = try TemporaryFolder()
      folder = temporary
      let started = try EtcdCluster(count, in: temporary.path)
      cluster = started
      let members = count == 1 ? "a member" : "\(count) members"
      (arguments, place) = (["--store", started.urls.joined(separator: ",")], "\(members) of etcd")
    }

    let fleet = Fleet(["A", "B", "C"], arguments, over: place)
    let server = fleet.server()
    let signals = Signals()
    let port = try await start(server, on: options.port)
    fleet.startAll()
    System.say("http://127.0.0.1:\(port)")
    System.say("Three processes share a cell over \(place).")
    System.say("Open the page, and press its buttons. Ctrl-C ends all processes.")

    _ = await signals.endIsWanted.first { $0 }
    withExtendedLifetime(signals) {}
    System.say("Ending: the three processes are stopped.")
    await fleet.stop()
    await server.stop()
  }

  /// Another program listens on the port of the page.
  struct TakenPort: Error, CustomStringConvertible {
    let port: UInt16

    var description: String {
      "another program listens on port \(port). For a free one: swift run ClusterBoard --port 0"
    }
  }

  private static func start(_ server: Server, on port: UInt16) async throws -> UInt16 {
    do {
      return try await server.start(on: port)
    } catch let failure as Socket.Failure where failure.isPortTaken {
      throw TakenPort(port: port)
    }
  }
}
