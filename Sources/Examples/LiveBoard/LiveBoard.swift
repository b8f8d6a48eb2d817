import ActorBindings

/// A board of live values, for as many browsers as care to look: a small server on this machine alone.
///
/// Read `Board/Binder.swift` for the story, `Services` for the cells, `Server` for what makes bytes of it. `Load` is the
/// other side, in thousands.
@main
struct LiveBoard {
  static func main() async {
    // Whoever reads what this says may go before the clients do: that is no reason to leave them.
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
    // Some are for other things than connections.
    limits.connections = max(1, System.allowManyFiles() - 200)

    let services = Services()
    let server = bind(services, limits)
    let signals = Signals()
    let port = try await server.start(on: port)
    System.say("http://127.0.0.1:\(port)")

    let running = Task { await services.run() }
    _ = await signals.endIsWanted.first { $0 }
    withExtendedLifetime(signals) {}

    System.say("Ending: \(server.tally.value.streams) streams are told the last of it.")
    running.cancel()
    await drain(server, services, within: .seconds(3))
    System.say("Ended.")
  }
}

/// Lets nobody in any more, and ends the cells. So each loop is handed what it has not had yet, and ends; and with it
/// its connection. Who does not take that in time is cut off.
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
