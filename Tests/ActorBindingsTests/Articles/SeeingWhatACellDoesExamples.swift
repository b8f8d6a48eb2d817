import ActorBindings
import Testing

#if canImport(os)
  import os
#endif

// The code between the markers is shown in the article `SeeingWhatACellDoes`; the suite `ArticleTests` compares the two.

// In this suite, because it is serialized: what these examples turn on counts for the whole process.
extension RecordingTests {
  @Test func `a cell prints its readers`() {
    // article
    let prices = BindableActor(["ACME": 12.5]).named("prices")
    print(prices.diagnostics)
    // end
    #expect(prices.diagnostics.name == "prices")
  }

  @Test func `all cells print a table`() {
    // article
    BindingDiagnostics.isRecording = true
    // end
    defer { BindingDiagnostics.isRecording = false }
    let cell = BindableActor(0)
    // article
    let all = BindingDiagnostics.all()
    print(BindingDiagnostics.table(of: all))
    // end
    #expect(all.contains { $0.location == cell.diagnostics.location })
  }

  // article
  final class Hub: Sendable {
    typealias Stream = BindingStream<CellCursor<Int>>
    let prices = BindableActor(0).named("prices")
    private let clients = BindableDictionary<Int, Stream>()

    func join(_ client: Int) -> Stream {
      let stream = prices.values(backlog: .unbounded)
      clients.set(stream, forKey: client)
      return stream
    }

    func sayGoodbye(_ client: Int) {
      clients.removeValue(forKey: client)
    }
  }
  // end

  // The leak is planted in `Hub`. The test looks for it with diagnostics alone.
  @Test func `the reader that was forgotten is found`() async throws {
    BindingDiagnostics.isRecording = true
    defer { BindingDiagnostics.isRecording = false }
    let hub = Hub()
    let loops = (0..<3).map { client in
      let stream = hub.join(client)
      return Task(name: "client \(client)") { for await _ in stream {} }
    }
    await Task(name: "client 17") { _ = hub.join(17) }.value
    await hub.prices.parked(3)
    (1...1_000).forEach { hub.prices.send($0) }
    await hub.prices.parked(3)

    // The table shows which cell keeps updates.
    // Other tests run meanwhile, and their cells have records too.
    let all = BindingDiagnostics.all().filter { $0.location?.fileID == #fileID }
    let worst = try #require(all.max { $0.keptUpdateCount < $1.keptUpdateCount })
    #expect(worst.name == "prices" && worst.keptUpdateCount > 1_000)
    // The text of that cell shows for which line, and for which task.
    let lines = worst.description.split(separator: "\n")
    #expect(lines[2].hasPrefix("  stream without a loop at \(#fileID):"))
    #expect(lines[2].hasSuffix(" in the task \"client 17\", .unbounded, 1001 behind"))

    hub.sayGoodbye(17)
    #expect(hub.prices.diagnostics.keptUpdateCount == 0)
    for loop in loops {
      loop.cancel()
      await loop.value
    }
  }

  @Test func `a cell that has readers and was never written is found`() {
    let (unused, used) = (BindableActor(0).named("unused"), BindableActor(0).named("used"))
    let tokens = [unused.observe(on: .immediate) { _ in }, used.observe(on: .immediate) { _ in }]
    used.send(1)
    // article
    let unwritten = BindingDiagnostics.all().filter {
      $0.version == 0 && !$0.observers.isEmpty
    }
    print(BindingDiagnostics.table(of: unwritten))
    // end
    let ids = unwritten.map(\.id)
    #expect(ids.contains(unused.diagnostics.id) && !ids.contains(used.diagnostics.id))
    withExtendedLifetime(tokens) {}
  }

  // They stand for the types of `swift-log` and `swift-metrics`.
  private struct Logger: Sendable {
    let warnings = Guarded<[String]>([])
    func warning(_ text: String) { warnings.withLock { $0.append(text) } }
  }

  private struct Meter: Sendable {
    let value = Guarded(0)
    func increment() { value.withLock { $0 += 1 } }
    func decrement() { value.withLock { $0 -= 1 } }
  }

  @Test func `events go to a log and to a meter`() {
    let (logger, observations) = (Logger(), Meter())
    // article
    BindingDiagnostics.events = BindingEventHandler(
      slowHandlerThreshold: .milliseconds(50)
    ) { event in
      switch event {
      case .handlerWasSlow, .contextFellBehind: logger.warning("\(event)")
      case .observationBegan: observations.increment()
      case .observationEnded: observations.decrement()
      default: break
      }
    }
    // end
    defer { BindingDiagnostics.events = nil }
    let cell = BindableActor(0)
    _ = cell.observe(on: .immediate) { _ in }
    #expect(BindingDiagnostics.events?.slowHandlerThreshold == .milliseconds(50))
  }

  #if canImport(os)
    @Test func `events become signposts`() {
      // article
      let signposter = OSSignposter(
        subsystem: "com.example.server",
        category: "cells"
      )
      BindingDiagnostics.events = BindingEventHandler(
        slowHandlerThreshold: .milliseconds(5)
      ) { event in
        signposter.emitEvent("cell", "\(event.description)")
      }
      // end
      defer { BindingDiagnostics.events = nil }
      _ = BindableActor(0)
    }
  #endif
}

private func print(_ value: some CustomStringConvertible) {
  #expect(!value.description.isEmpty)
}
