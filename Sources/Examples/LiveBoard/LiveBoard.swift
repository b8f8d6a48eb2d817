import ActorBindings
package import WebServer

/// A board of live values for any number of browsers: a small server that only this machine can reach.
///
/// Begin with `Board/Binder.swift`, which connects everything. `Services` has the cells, `Board` makes events of their
/// values, the module `WebServer` sends them, and `Load` simulates thousands of clients.
@main
struct LiveBoard {
  static func main() async {
    // The program that reads the output may end before the clients do. The end of that program must not end the server.
    System.ignore(System.brokenPipe)
    let options: Options
    switch Options.parsed(CommandLine.arguments.dropFirst()) {
    case .success(let parsed): options = parsed
    case .failure(let problem):
      System.warn("LiveBoard: \(problem.message)\n\n\(Options.usage)")
      System.exit(2)
    }
    do {
      switch options.mode {
      case .serve:
        BindingDiagnostics.isRecording = options.records
        try await serve(on: options.port)
      case .load(let clients): try load(clients, port: options.port, seconds: options.seconds)
      case .churn(let cycles): try churn(cycles, clients: options.clients, port: options.port)
      case .help: System.say(Options.usage)
      }
    } catch {
      System.warn("LiveBoard: \(error)")
      System.exit(1)
    }
  }

  private static func serve(on port: UInt16) async throws {
    var limits = Limits()
    // Leaves some of the open files for purposes other than connections.
    limits.connections = max(1, System.allowManyFiles() - 200)

    let services = Services()
    let tally = BindableActor(Tally()).named("tally")
    let gauge = Gauge(tally, services)
    let crowd = Crowd()
    let server = bind(services, limits, crowd: crowd, counting: tally)
    let signals = Signals()
    let port = try await start(server, on: port)
    System.say("http://127.0.0.1:\(port)")
    System.say(
      """
      Open this address in a browser, or in several. Ctrl-C ends the board.
      Then try: press "add 1,000 clients", and move the slider to 100,000 writes a second.
      Or in another terminal: curl -N "http://127.0.0.1:\(port)/events?symbol=ACME"
      """
    )

    let running = Task {
      await withTaskGroup { group in
        group.addTask { await services.run() }
        group.addTask { await gauge.run() }
      }
    }
    _ = await signals.endIsWanted.first { $0 }
    withExtendedLifetime(signals) {}

    System.say("Ending: \(server.tally.value.streams) streams receive the last values.")
    running.cancel()
    crowd.kill()
    await drain(server, services, within: .seconds(3))
    System.say("Ended.")
  }
}

extension LiveBoard {
  struct PortTaken: Error, CustomStringConvertible {
    let port: UInt16
    let free: UInt16?

    var description: String {
      "port \(port) is taken by another program" + (free.map { "; port \($0) is free: --port \($0)" } ?? "")
    }
  }

  private static func start(_ server: Server, on port: UInt16) async throws -> UInt16 {
    do {
      return try await server.start(on: port)
    } catch let failure as Socket.Failure where failure.isPortTaken {
      let free = (1...100).lazy.compactMap { UInt16(exactly: Int(port) + $0) }
        .first { (try? Socket.listening(on: $0)) != nil }
      throw PortTaken(port: port, free: free)
    }
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
