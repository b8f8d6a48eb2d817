import ActorBindings
import ActorBindingsTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DashboardTests {
  typealias Content = DictionaryChange<String, Int>.Content

  private let server = MetricsServer()
  private let messages = EventSource<Data>()
  private let gate = Gate()

  init() {
    gate.open()
  }

  /// Connects a dashboard, makes changes, and disconnects when the dashboard has received the last version.
  @discardableResult
  private func connect(
    _ dashboard: inout Dashboard,
    while change: () async throws -> Void = {}
  ) async throws -> [Content] {
    let received = Recorder(messages)
    let serving = Task { [server, messages, gate, known = dashboard.known] in
      try await server.serve(known) { message in
        try await gate.wait()
        messages.send(message)
      }
    }
    defer { serving.cancel() }
    try dashboard.receive(try await received.next())
    try dashboard.receive(try await received.next())
    try await change()
    while dashboard.known?.version != server.metrics.version {
      try dashboard.receive(try await received.next())
    }
    return try received.values.dropFirst().map {
      try JSONDecoder().decode(CollectionDelta<PersistentDictionary<String, Int>>.self, from: $0).content
    }
  }

  @Test
  func `a dashboard receives the whole, and then what changes`() async throws {
    var dashboard = Dashboard()
    server.metrics.send(["cpu": 12, "disk": 40])
    let contents = try await connect(&dashboard) { server.metrics.set(13, forKey: "cpu") }
    #expect(
      contents == [
        .reset(["cpu": 12, "disk": 40]),
        .edits([.update(key: "cpu", value: 13, old: 12)]),
      ]
    )
    #expect(dashboard.metrics == ["cpu": 13, "disk": 40])
  }

  @Test
  func `a dashboard that comes back receives what it has missed`() async throws {
    var dashboard = Dashboard()
    server.metrics.send(["cpu": 12, "disk": 40])
    try await connect(&dashboard)
    for cpu in 1...50 { server.metrics.set(cpu, forKey: "cpu") }
    #expect(try await connect(&dashboard) == [.edits([.update(key: "cpu", value: 50, old: 12)])])
    #expect(dashboard.metrics == server.metrics.value)
  }

  @Test
  func `a dashboard that comes back too late receives the whole`() async throws {
    var dashboard = Dashboard()
    try await connect(&dashboard)
    for cpu in 0...100 { server.metrics.set(cpu, forKey: "cpu") }
    #expect(try await connect(&dashboard) == [.reset(["cpu": 100])])
  }

  @Test
  func `a dashboard of a former run receives the whole`() async throws {
    var dashboard = Dashboard()
    let former = DashboardTests()
    former.server.metrics.send(["cpu": 1, "fan": 2])
    try await former.connect(&dashboard)
    server.metrics.send(["cpu": 12])
    #expect(try await connect(&dashboard) == [.reset(["cpu": 12])])
    #expect(dashboard.metrics == ["cpu": 12])
    #expect(dashboard.known?.run == server.run)
  }

  @Test
  func `a slow dashboard receives one change for all that it has missed`() async throws {
    var dashboard = Dashboard()
    let contents = try await connect(&dashboard) {
      gate.close()
      server.metrics.set(0, forKey: "cpu")
      try await expectValue(1, of: gate.waiting)
      for cpu in 1...1_000 { server.metrics.set(cpu, forKey: "cpu") }
      gate.open()
    }
    #expect(
      contents == [
        .reset([:]),
        .edits([.insert(key: "cpu", value: 0)]),
        .edits([.update(key: "cpu", value: 1_000, old: 0)]),
      ]
    )
  }

  @Test
  func `a dashboard that comes and goes has the metrics of the server`() async throws {
    var dashboard = Dashboard()
    for step in 0..<200 {
      let key = "\(step * step % 17)"
      if step % 3 == 0 {
        server.metrics.removeValue(forKey: key)
      } else {
        server.metrics.set(step, forKey: key)
      }
      if step % 7 == 0 {
        try await connect(&dashboard) { server.metrics.modify { $0["\(step % 5)"] = nil } }
        #expect(dashboard.metrics == server.metrics.value)
      }
    }
  }
}
