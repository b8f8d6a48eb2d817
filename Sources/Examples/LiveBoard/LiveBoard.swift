import ActorBindings
package import WebServer

/// A board of live values for any number of browsers: a small server that only this machine can reach.
///
/// Begin with `Board/Binder.swift`, which connects everything. `Services` has the cells, `Server` turns their values
/// into bytes, and `Load` simulates thousands of clients.
@main
struct LiveBoard {
  static func main() async {
    // The program that reads the output may end before the clients do. The end of that program must not end the server.
    System.ignore(System.brokenPipe)
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      System.say(Options.usage)
      System.exit(2)
    }
    do {
      switch options.mode {
      case .serve: try await serve(on: options.port)
      case .load(let clients): try load(clients, port: options.port, seconds: options.seconds)
      case .churn(let cycles): try churn(cycles, clients: options.clients, port: options.port)
      case .help: System.say(Options.usage)
      }
    } catch {
      System.say("\(error)")
      System.exit(1)
    }
  }

  private static func serve(on port: UInt16) async throws {
    var limits = Limits()
    // Leaves some of the open files for purposes other than connections.
    limits.connections = max(1, System.allowManyFiles() - 200)

    let services = Services()
    let server = bind(services, limits)
    let signals = Signals()
    let port = try await server.start(on: port)
    System.say("http://127.0.0.1:\(port)")

    let running = Task { await services.run() }
    _ = await signals.endIsWanted.first { $0 }
    withExtendedLifetime(signals) {}

    System.say("Ending: \(server.tally.value.streams) streams receive the last values.")
    running.cancel()
    await drain(server, services, within: .seconds(3))
    System.say("Ended.")
  }
}

/// Stops accepting clients, and finishes the cells. So each loop receives the values that it has not had yet, and ends.
/// The connection of a loop ends with the loop. A connection that does not end within `limit` is cut off.
package func drain(_ server: Server, _ services: Services, within limit: Duration) async {
  await server.stopAccepting()
  services.finish()
  let alarm = Task {
    try await Task.sleep(for: limit)
    await server.stop()
  }
  _ = await server.tally.first { $0.connections == 0 }
  alarm.cancel()
  await server.stop()
}
