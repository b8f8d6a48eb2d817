import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation

/// The members, the clients and the faults.
final class Trial {
  private(set) var findings: [String] = []
  let folder: URL
  let members: Members
  private let proxies: [LossyProxy]
  let clients: [Target]
  let store: EtcdStore
  private let servers: [Target]
  private let guardian: Guardian
  private var generator: SeededGenerator
  private let began = now()
  private var counts: [Fault: Int] = [:]
  private var memory = MemorySamples()

  init(etcd: String, folder: URL, seed: UInt64) throws {
    let guardian = try Guardian(log: folder.appendingPathComponent("guardian.log"))
    let members = try Members(etcd, folder: folder)
    servers = (0..<3).map { index in Target("member \(index)", guardian) { _ in try members.start(index) } }
    let proxies = try members.urls.map { try LossyProxy(to: $0) }
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    clients = (0..<4).map { index in
      let urls = TrialCounter.survivors.contains(index) ? proxies.map(\.url) : members.urls
      return Target("client \(index)", guardian) { life in
        try ChildProcess(
          program,
          ["client", "\(index)", "\(life)", folder.path] + urls,
          log: folder.appendingPathComponent("client-\(index).out")
        )
      }
    }
    self.guardian = guardian
    self.members = members
    self.proxies = proxies
    self.folder = folder
    store = try EtcdStore(endpoints: members.urls, prefix: Client.prefix)
    generator = SeededGenerator(seed: seed)
  }

  func find(_ problem: String) {
    findings.append(problem)
  }

  func print(_ event: String) {
    Swift.print("\(seconds(now() - began)) \(event)")
    fflush(nil)
  }

  func seconds(_ nanoseconds: Int) -> String {
    String(format: "%7.2f s", Double(nanoseconds) / 1e9)
  }

  func pause(_ milliseconds: Int) async throws {
    try await ContinuousClock().sleep(for: .milliseconds(milliseconds))
  }

  /// Returns the number of seconds until `condition` holds, or nil after a number of seconds.
  func wait(_ limit: Double, until condition: () async throws -> Bool) async throws -> Double? {
    let start = now()
    while true {
      if try await condition() { return Double(now() - start) / 1e9 }
      if Double(now() - start) > limit * 1e9 { return nil }
      try await pause(50)
    }
  }

  // MARK: - The course

  func start() async throws {
    for server in servers { try server.start() }
    let isServed = try await wait(30) { await self.isServed() }
    if isServed == nil { throw StoreError.unavailable("the members of etcd did not start, see member-0.log") }
    for client in clients { try client.start() }
    print("three members and four clients run")
  }

  /// Whether a majority of the members answers.
  func isServed() async -> Bool {
    (try? await store.load(.key(TrialCounter.all[0].key))) != nil
  }

  func makeFaults(for length: Double) async throws {
    let end = now() + Int(length * 1e9)
    var (nextFault, nextSample, nextProgress) = (now() + 3_000_000_000, 0, now() + 30_000_000_000)
    while now() < end {
      for target in servers + clients where target.condition != .lives && now() >= target.recovers {
        print("\(target.name) \(target.condition == .dead ? "starts again" : "goes on")")
        try target.recover()
      }
      if now() >= nextFault {
        await make(Fault.random(using: &generator))
        nextFault = now() + Int.random(in: 300...2500, using: &generator) * 1_000_000
      }
      if now() >= nextSample {
        memory.take(of: clients)
        nextSample = now() + 1_000_000_000
      }
      if now() >= nextProgress {
        let history = try Records(folder: folder, clients: clients)
        print("so far: \(history.summary)")
        nextProgress = now() + 30_000_000_000
      }
      for target in servers + clients where target.condition == .lives && target.process?.hasEnded() == true {
        find("\(target.name) ended though the trial did not kill it: its output is in \(folder.path).")
        throw StoreError.unavailable("\(target.name) has ended")
      }
      try await pause(20)
    }
  }

  private func make(_ fault: Fault) async {
    let length = Int.random(in: fault.length, using: &generator)
    // The trial never kills the survivors. So it can compare their memory over the whole trial, and count their writes.
    let victims: [Target] =
      switch fault {
      case .killClient: [clients.dropFirst(TrialCounter.survivors.count).randomElement(using: &generator)!]
      case .freezeClient: [clients.randomElement(using: &generator)!]
      case .killMember, .freezeMember: [servers.randomElement(using: &generator)!]
      case .killMajority, .freezeMajority: Array(servers.shuffled(using: &generator).prefix(2))
      case .killAll: servers
      case .compact, .loseAcknowledgements: []
      }
    let living = victims.filter { $0.condition == .lives }
    if fault == .compact {
      // With a member that is down, the trial would wait for it, and make no fault meanwhile.
      guard servers.allSatisfy({ $0.condition == .lives }) else { return }
      await compact()
    } else if fault == .loseAcknowledgements {
      for proxy in proxies { proxy.loseAcknowledgements(until: now() + length * 1_000_000) }
    } else if living.isEmpty {
      return
    }
    counts[fault, default: 0] += 1
    let names = living.map(\.name).joined(separator: ", ")
    print(fault.rawValue + (living.isEmpty ? "" : ": \(names)") + (length == 0 ? "" : ", for \(length) ms"))
    for victim in living {
      switch fault {
      case .freezeClient, .freezeMember, .freezeMajority: victim.freeze()
      default: victim.crash()
      }
      victim.recovers = now() + length * 1_000_000
    }
  }

  private func compact() async {
    guard let revision = try? await store.load(.key(TrialCounter.all[0].key)).revision.number else { return }
    _ = await post("/v3/kv/compaction", #"{"revision":"\#(revision)"}"#)
  }

  /// Sends a request to the first member that answers.
  func post(_ path: String, _ body: String) async -> String? {
    let transport = SocketTransport()
    for url in members.urls {
      let answer = try? await transport.send(url + path, body: Array(body.utf8), headers: [:])
      if let answer, answer.status == 200 { return String(decoding: answer.body, as: UTF8.self) }
    }
    return nil
  }

  // MARK: - The end

  func endFaults() async throws {
    print(
      "the faults end: " + Fault.allCases.map { "\($0.rawValue) \(counts[$0] ?? 0)" }.joined(separator: ", ")
    )
    for target in servers + clients { try target.recover() }
    for proxy in proxies { proxy.loseAcknowledgements(until: 0) }
    let faultsEnded = now()
    for client in clients { client.process?.say("quiet") }
    try await checkAgreement(since: faultsEnded)
    memory.check(self)
    let records = try Records(folder: folder, clients: clients)
    let lost = proxies.map(\.lost).reduce(0, +)
    print("in all: \(records.summary); \(lost) acknowledgements lost")
    // During a single fault, it can happen that no write is under way.
    if lost == 0, counts[.loseAcknowledgements, default: 0] > 2 {
      find("No proxy has lost an acknowledgement.")
    }
    try await checkCounters(records)
    records.check(self)
    try await checkEnd()
  }

  func endProcesses() {
    for target in clients + servers { target.crash() }
  }
}
