import ActorBindings
import LiveBoard
import Testing
import WebServer

@Suite("A stream of events", .timeLimit(.minutes(9)))
struct EventTests {
  @Test("has only the requested symbols")
  func symbols() async throws {
    let site = try await Site()
    let visitor = try await site.follower("/events?symbol=ACME&symbol=HALO")
    #expect(site.services.sessions.cell.value.map(\.value.symbols) == [["ACME", "HALO"]])
    let hearing = Task { try await onThread { try visitor.hear(upTo: "\"HALO\":4321") } }
    for cents in 1...50 { site.services.prices.cell.set(cents, forKey: "BOLT") }
    site.services.prices.cell.set(1234, forKey: "ACME")
    site.services.prices.cell.set(4321, forKey: "HALO")
    let heard = try await hearing.value
    #expect(heard.contains("event: prices\ndata: {\"ACME\":1234,\"HALO\":4321"))
    #expect(!heard.contains("BOLT"))
    await site.server.stop()
  }

  @Test("has all jobs first, and then their changes")
  func jobs() async throws {
    let site = try await Site()
    // This client waits until it has received the empty list of jobs. Other clients may not have it yet, since the jobs
    // are throttled.
    let visitor = try await onThread { [port = site.port] in
      let visitor = try Visitor(port)
      visitor.ask("/events")
      try visitor.hear(upTo: #"{"count":0,"reset":[]}"#)
      return visitor
    }
    let job = #"{"id":1,"title":"Say \"hi\"\u000a","progress":0}"#
    site.services.jobs.cell.append(Job(id: 1, title: "Say \"hi\"\n"))
    try await onThread { try visitor.hear(upTo: #"{"count":1,"edits":[["insert",0,\#(job)]]}"#) }
    try await onThread { [port = site.port] in
      let latecomer = try Visitor(port)
      latecomer.ask("/events")
      try latecomer.hear(upTo: #"{"count":1,"reset":[\#(job)]}"#)
    }
    site.services.jobs.cell.append(Job(id: 2, title: "Pack"))
    try await onThread { try visitor.hear(upTo: #"{"count":2,"edits":[["insert",1,{"id":2,"#) }
    site.services.jobs.cell.modify { jobs in jobs[1].progress = 50 }
    try await onThread { try visitor.hear(upTo: #"{"count":2,"edits":[["update",1,{"id":2,"#) }
    site.services.jobs.cell.move(from: 1, to: 0)
    try await onThread { try visitor.hear(upTo: #"{"count":2,"edits":[["move","#) }
    site.services.jobs.cell.remove(at: 0)
    try await onThread { try visitor.hear(upTo: #"{"count":1,"edits":[["remove",0]]}"#) }
    await site.server.stop()
  }

  @Test("says whether the exchange answers, and shows the attempts")
  func health() async throws {
    let answer = BindableActor<Int?>(nil)
    let health = Health(retry: .backoff(attempts: 2, first: .zero)) {
      guard let milliseconds = answer.value else { throw NoAnswer() }
      return milliseconds
    }
    let site = try await Site(Services(health))
    let visitor = try await site.follower()
    health.cell.startLoading()
    try await onThread { try visitor.hear(upTo: #"{"isGood":false,"text":"no answer","age":"#) }
    answer.send(7)
    health.cell.startLoading()
    try await onThread { try visitor.hear(upTo: #"{"isGood":true,"text":"answers in 7 ms","age":"#) }
    answer.send(nil)
    health.cell.startReloading()
    try await onThread {
      try visitor.hear(upTo: #"{"isGood":false,"text":"no answer; before, answers in 7 ms","age":"#)
    }
    await site.server.stop()
  }

  @Test("says how old an answer of the exchange is, also while the exchange is asked again")
  func age() throws {
    let reply = Health.Reply(milliseconds: 7, received: .now - .seconds(60))
    for phase in [LoadingPhase.loaded(reply), .reloading(reply, LoadingAttempt())] {
      let json = Condition(phase).json
      let age = try #require(json.firstMatch(of: #/"answers in 7 ms","age":([0-9]+)}/#).flatMap { Int($0.1) })
      #expect(age >= 60_000 && age < 660_000)
    }
  }

  @Test("says for how long a service has been stopped")
  func stops() throws {
    let now = ContinuousClock.now
    let controls = Controls(rate: 7, stops: ["prices": now + .seconds(600), "jobs": now - .seconds(60)])
    let text = String(decoding: BoardEvent.controls(controls).bytes(as: 1), as: UTF8.self)
    let pattern = #/data: {"rate":7,"stopped":{"jobs":([0-9]+),"prices":0}}/#
    let age = try #require(text.firstMatch(of: pattern).flatMap { Int($0.1) })
    #expect(age >= 60_000 && age < 660_000)
  }

  @Test("counts the clients, and those that have come back")
  func audience() async throws {
    let site = try await Site()
    let first = try await site.follower()
    let second = try await site.follower("/events", "Last-Event-ID: 7\r\n")
    try await onThread { try first.hear(upTo: "event: sessions\ndata: 2\n") }
    #expect(site.server.tally.value.returned == 1)
    second.socket.breaksWhenClosed()
    _ = consume second
    try await onThread { try first.hear(upTo: "event: sessions\ndata: 1\n") }
    await site.server.stop()
  }

  @Test("has a comment every 15 seconds, so that no proxy takes its connection for idle")
  func heartbeat() async throws {
    let site = try await Site()
    let visitor = try await onThread { [port = site.port] in
      let visitor = try Visitor(port)
      visitor.ask("/events?symbol=NONE")
      try visitor.hear(upTo: "\n\n: heartbeat\n\n")
      return visitor
    }
    for _ in 1...15 { site.services.seconds.modify { $0 += 1 } }
    try await onThread { try visitor.hear(upTo: ": heartbeat\n\n") }
    await site.server.stop()
  }

  @Test("says when an EventSource should connect again")
  func head() async throws {
    let site = try await Site()
    let head = try await onThread { [port = site.port] in
      let visitor = try Visitor(port)
      visitor.ask("/events")
      return try visitor.hear(upTo: "event: ")
    }
    #expect(head.contains("\r\nContent-Type: text/event-stream\r\n"))
    #expect(head.contains("\r\nX-Accel-Buffering: no\r\n"))
    #expect(head.contains(#/\r\n\r\nretry: [0-9]+\n\nid: /#))
    await site.server.stop()
  }
}
