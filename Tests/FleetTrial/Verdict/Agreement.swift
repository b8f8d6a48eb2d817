import ActorBindingsEtcd
import ActorBindingsSharing
import CounterHistory
import Foundation

extension Trial {
  /// What a client has reported last; nil if it has reported nothing since the faults ended.
  private func state(of client: Int) -> ClientState? {
    let file = folder.appendingPathComponent("state-\(client)-\(clients[client].lives).json")
    return (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(ClientState.self, from: $0) }
  }

  private var livingNames: Set<String> {
    Set(clients.indices.map { "\($0)-\(clients[$0].lives)" })
  }

  /// Reads from the store what the clients should hold.
  private func storedState() async throws -> (counters: [Int], board: [String: Int]) {
    var counters: [Int] = []
    for counter in TrialCounter.all {
      let entry = try await store.load(.key(counter.key)).entries.first
      counters.append(try entry.map { try CounterEntry.value(of: $0.bytes) } ?? 0)
    }
    var board: [String: Int] = [:]
    for entry in try await store.load(.prefix("board/")).entries {
      board[String(entry.key.dropFirst("board/".count))] = try CounterEntry.value(of: entry.bytes)
    }
    return (counters, board)
  }

  /// Checks that within 10 s all clients hold what the store holds, that exactly the living are present, and that one
  /// leads; and that this stays so.
  func checkAgreement(since faultsEnded: Int) async throws {
    guard let served = try await wait(10, until: { await self.isServed() }) else {
      return find("No majority of the members answers 10 s after the faults have ended.")
    }
    var times: [String: Double] = [:]
    let remaining = 10 - Double(now() - faultsEnded) / 1e9
    _ = try await wait(remaining) {
      let states = clients.indices.map { state(of: $0) }
      let known = states.compactMap(\.self)
      let time = Double(now() - faultsEnded) / 1e9
      let isComplete = known.count == states.count
      func hold(_ name: String, _ condition: Bool) {
        if !(isComplete && condition) { times[name] = nil } else if times[name] == nil { times[name] = time }
      }
      hold("the writes have ended", known.allSatisfy { $0.pending == 0 })
      hold("all links are live", known.allSatisfy(\.isLive))
      hold("no dead client is present", known.allSatisfy { $0.here.isSubset(of: livingNames) })
      hold("the living are present", known.allSatisfy { $0.here.isSuperset(of: livingNames) })
      hold("one client leads", known.count { $0.leads != nil } == 1)
      if let stored = try? await storedState() {
        hold(
          "all agree with the store",
          known.allSatisfy { $0.counters == stored.counters && $0.board == stored.board }
        )
      }
      return times.count == 6
    }
    print(
      "a majority answers after \(text(served)) s"
        + times.sorted { $0.value < $1.value }.map {
          "; \($0.key) after \(text($0.value)) s"
        }.joined()
    )
    for promise in Self.agreements where times[promise] == nil {
      find("10 s after the faults have ended it does not hold that \(promise): \(describeStates()).")
    }
    // A ttl, a renewal, and a second in which the store notices.
    let bound = served + 3 + 1 + 1
    if let time = times["no dead client is present"], time > bound {
      find(
        "A dead client was present for \(text(time)) s after the faults had ended; \(text(bound)) s are allowed."
      )
    }
    try await checkStability()
  }

  private static let agreements = [
    "the writes have ended", "all links are live", "no dead client is present", "the living are present",
    "one client leads", "all agree with the store",
  ]

  /// Checks for longer than a ttl that no client loses its presence or its leadership.
  private func checkStability() async throws {
    guard findings.isEmpty else { return }
    let before = clients.indices.map { state(of: $0) }
    let changed = try await wait(5) { clients.indices.contains { state(of: $0) != before[$0] } }
    if changed != nil {
      find("Without a fault and without a write a client has changed: \(describeStates()).")
    }
  }

  private func describeStates() -> String {
    clients.indices.map { "client \($0) has \(state(of: $0).map { "\($0)" } ?? "not reported")" }.joined(
      separator: ", "
    )
  }

  func text(_ number: Double) -> String {
    String(format: "%.2f", number)
  }

  /// Checks that each counter is the number of acknowledged writes, plus at most the writes whose outcome no client knows. An exact
  /// counter has none of these.
  func checkCounters(_ records: Records) async throws {
    let stored = try await storedState().counters
    for (index, value) in stored.enumerated() {
      let counter = records.counters[index]
      let most = counter.acknowledged + counter.uncertain + counter.interrupted
      print(
        "counter \(index) is \(value): \(counter.acknowledged) acknowledged, \(counter.interrupted) interrupted by a "
          + "kill, \(counter.uncertain) uncertain; \(counter.reads) reads"
      )
      if !(counter.acknowledged...most ~= value) {
        find("Counter \(index) is \(value), and must be \(counter.acknowledged) to \(most).")
      }
      if TrialCounter.all[index].isExact, most > counter.acknowledged {
        find("The only writer of counter \(index) does not know whether each of its writes was applied.")
      }
      let unexplained = counter.lostWrites.unexplained(upTo: value)
      if !unexplained.isEmpty {
        find("No write that was lost explains these values of counter \(index): \(unexplained).")
      }
      if !counter.history.isLinearizable {
        find("The writes and reads of counter \(index) are not linearizable.")
      }
    }
  }

  /// Ends what the clients do, and checks that nothing is left: no entry, no lease, no thread, no descriptor.
  func checkEnd() async throws {
    for client in clients { client.process?.say("end") }
    let ended = try await wait(10) {
      self.livingNames.allSatisfy {
        FileManager.default.fileExists(atPath: self.folder.appendingPathComponent("ended-\($0)").path)
      }
    }
    guard let ended else { return find("A client has not ended what it does 10 s after it was cancelled.") }
    let left = try await store.load(.prefix("here/")).entries + store.load(.prefix("leadership/")).entries
    if !left.isEmpty {
      find("These entries outlive the clients: \(left.map(\.key).joined(separator: ", ")).")
    }
    let leases = await post("/v3/lease/leases", "{}") ?? "no answer"
    if leases.contains(#""ID""#) || leases == "no answer" { find("Leases outlive the clients: \(leases).") }
    // The transport closes a connection that no request uses after 15 s.
    var usage: [ProcessUsage] = []
    let closed = try await wait(25) {
      usage = self.clients.compactMap { $0.process.flatMap { ProcessUsage(of: "\($0.id)") } }
      return usage.allSatisfy { $0.descriptors <= Self.descriptors && $0.threads <= Self.threads }
    }
    let figures = usage.map { "\($0.descriptors) descriptors and \($0.threads) threads" }.joined(
      separator: ", "
    )
    print("the clients ended what they do after \(text(ended)) s; then they have \(figures)")
    if closed == nil {
      find(
        "25 s after their end clients have \(figures): \(Self.descriptors) and \(Self.threads) are allowed."
      )
    }
  }

  /// Input, output, errors, the log, and those of Dispatch.
  private static let descriptors = 12
  /// The main thread, the one that reads the input, and those of Swift's pool.
  private static let threads = 4 + ProcessInfo.processInfo.activeProcessorCount
}
