import CounterHistory
import Foundation

/// What the logs of all clients, in all their lives, say.
struct Records {
  struct Counter {
    var acknowledged = 0
    var uncertain = 0
    /// Writes that had neither an acknowledgement nor an error when the client was killed.
    var interrupted = 0
    var reads = 0
    var history = CounterHistory()
    var lostWrites = LostWrites()
  }

  private(set) var counters = Array(repeating: Counter(), count: TrialCounter.all.count)
  private(set) var leaderships: [LeadershipRecord] = []
  private var problems: [String] = []
  private let clients: [Target]

  init(folder: URL, clients: [Target]) throws {
    self.clients = clients
    for (index, client) in clients.enumerated() {
      for life in 1...max(1, client.lives) {
        let file = folder.appendingPathComponent("client-\(index)-\(life).log")
        // A client that was killed at once has no log.
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
        read(text, client: index, life: life)
      }
    }
  }

  var summary: String {
    let acknowledged = counters.map(\.acknowledged).reduce(0, +)
    let reads = counters.map(\.reads).reduce(0, +)
    let lives = clients.map(\.lives).reduce(0, +)
    return
      "\(acknowledged) modifies acknowledged, \(reads) reads, \(leaderships.count) leaders, \(lives) lives of clients"
  }

  private mutating func read(_ text: String, client: Int, life: Int) {
    // When the write of each counter that is under way began.
    var pending: [Int: Int] = [:]
    // A line without its end is being written now.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count > 1, let time = Int(words[0]) else {
        problems.append("A client has written the line '\(line)' into its log.")
        continue
      }
      let numbers = words.dropFirst(2).map { Int($0) ?? 0 }
      switch (words[1], numbers.count) {
      case ("intends", 1): pending[numbers[0]] = time
      case ("acknowledged", 3):
        pending[numbers[0]] = nil
        counters[numbers[0]].acknowledged += 1
        counters[numbers[0]].lostWrites.known[numbers[2]] = .init(began: numbers[1], ended: time)
        counters[numbers[0]].history.happened(
          began: numbers[1],
          ended: time,
          value: numbers[2],
          isRead: false
        )
      case ("uncertain", 1):
        counters[numbers[0]].uncertain += 1
        if let began = pending.removeValue(forKey: numbers[0]) {
          counters[numbers[0]].lostWrites.lost.append(began...time)
        }
      case ("read", 3):
        counters[numbers[0]].reads += 1
        counters[numbers[0]].history.happened(began: numbers[1], ended: time, value: numbers[2], isRead: true)
      case ("leads", 1):
        leaderships.append(LeadershipRecord(number: numbers[0], client: client, life: life, began: time))
      case ("left", 1):
        if let index = leaderships.lastIndex(where: { $0.number == numbers[0] && $0.client == client }) {
          leaderships[index].ended = time
        }
      default: problems.append("Client \(client) has noted in its life \(life): \(line).")
      }
    }
    for (counter, began) in pending {
      counters[counter].interrupted += 1
      counters[counter].lostWrites.lost.append(began...(clients[client].kills[life] ?? Int.max))
    }
  }

  /// Checks what the clients have noted.
  func check(_ trial: Trial) {
    problems.forEach(trial.find)
    LeadershipRecord.check(leaderships, of: clients, trial)
  }
}
