import ActorBindings
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConfigReloaderTests {
  struct BadFile: Error {}

  private let clock = ManualClock()
  private let hangUps = EventSource<Void>()
  private let file = BindableActor<ServerConfig?>(ServerConfig())
  private let loads = BindableActor(0)
  private let gate = Gate()
  private let reloader: ConfigReloader

  init() {
    reloader = ConfigReloader(ServerConfig(), hangUps: hangUps, clock: clock) { [file, loads, gate] in
      loads.modify { $0 += 1 }
      guard let config = file.value else { throw BadFile() }
      try await gate.wait()
      return config
    }
    gate.open()
  }

  @Test
  func `a hang-up loads the configuration`() async throws {
    file.send(ServerConfig(port: 80))
    hangUps.send()
    try await expectValue(ServerConfig(port: 80), of: reloader.config)
    #expect(loads.value == 1)
  }

  @Test
  func `each minute loads the configuration`() async throws {
    for minute in 1...3 {
      file.send(ServerConfig(port: minute))
      try await clock.advance(by: .milliseconds(59_999))
      #expect(loads.value == minute - 1)
      try await clock.advance(by: .milliseconds(1))
      #expect(reloader.config.value == ServerConfig(port: minute))
    }
    #expect(loads.value == 3)
  }

  @Test
  func `a file that is wrong leaves the configuration as it is`() async throws {
    let (configs, problems) = (Recorder(reloader.config), Recorder(reloader.problem))
    file.send(ServerConfig(level: "debug"))
    hangUps.send()
    try await configs.first(2)
    file.send(nil)
    hangUps.send()
    try await problems.expect([nil, "BadFile()"])
    file.send(ServerConfig(level: "debug"))
    hangUps.send()
    try await problems.expect([nil, "BadFile()", nil])
    #expect(configs.values == [ServerConfig(), ServerConfig(level: "debug")])
  }

  @Test
  func `hang-ups during a load cause one more load`() async throws {
    let configs = Recorder(reloader.config)
    gate.close()
    file.send(ServerConfig(port: 1))
    hangUps.send()
    try await expectValue(1, of: gate.waiting)
    for port in 2...4 {
      file.send(ServerConfig(port: port))
      hangUps.send()
    }
    gate.open()
    try await configs.expect([8080, 1, 4].map { ServerConfig(port: $0) })
    #expect(loads.value == 2)
  }

  @Test
  func `a server is run again only for another port`() async throws {
    let steps = BindableActor<[String]>([])
    let serving = Task {
      try await reloader.serve { port in
        steps.modify { $0.append("run \(port)") }
        defer { steps.modify { $0.append("end \(port)") } }
        try await Gate().wait()
      }
    }
    try await expectValue(["run 8080"], of: steps)
    for config in [ServerConfig(level: "debug"), ServerConfig(port: 80, level: "debug")] {
      file.send(config)
      hangUps.send()
      try await expectValue(config, of: reloader.config)
    }
    try await expectValue(["run 8080", "end 8080", "run 80"], of: steps)
    serving.cancel()
    try await serving.value
    #expect(steps.value == ["run 8080", "end 8080", "run 80", "end 80"])
  }

  @Test
  func `a reloader that is released leaves no timer`() async throws {
    let clock = ManualClock()
    try await expectReleased { objects in
      let reloader = objects.track(
        ConfigReloader(ServerConfig(), hangUps: hangUps, clock: clock) { ServerConfig() }
      )
      try await expectValue(1, of: clock.sleepers)
      #expect(reloader.problem.value == nil)
    }
    try await expectValue(0, of: clock.sleepers)
    #expect(hangUps.observerCount == 1)
  }
}
