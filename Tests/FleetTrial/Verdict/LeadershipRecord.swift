/// A body of `withLeadership` that has run.
struct LeadershipRecord {
  var number: Int
  var client: Int
  var life: Int
  var began: Int
  /// When the body ended; nil if it had not when the process died, or runs still.
  var ended: Int?

  /// Checks that fencing numbers rise, and that no two bodies ran at once, unless a client was frozen.
  static func check(_ all: [LeadershipRecord], of clients: [Target], _ trial: Trial) {
    if Set(all.map(\.number)).count != all.count { trial.find("Two bodies had the same fencing number.") }
    let ordered = all.sorted { $0.began < $1.began }
    var newest: LeadershipRecord?
    var (overlaps, late) = (0, 0)
    for record in ordered {
      defer { if record.number > newest?.number ?? 0 { newest = record } }
      guard let before = newest else { continue }
      if record.number < before.number {
        // A client that was frozen between the answer of the store and its body begins the body late.
        late += 1
        if before.client == record.client || !record.wasFrozen(clients, around: record.began) {
          trial.find(
            "Client \(record.client) led with number \(record.number) after number \(before.number)."
          )
        }
      } else if record.began < before.end(clients) {
        overlaps += 1
        if !before.wasFrozen(clients, around: record.began), !record.wasFrozen(clients, around: record.began)
        {
          trial.find(
            "Client \(record.client) led with number \(record.number) before the body of client \(before.client) "
              + "with number \(before.number) had ended, and neither was frozen."
          )
        }
      }
    }
    let numbers = ordered.map(\.number)
    trial.print(
      "\(all.count) leaders, numbers \(numbers.min() ?? 0) to \(numbers.max() ?? 0); of clients that were frozen, "
        + "\(overlaps) led beside the next leader, and \(late) began late"
    )
    if all.isEmpty { trial.find("No client has led.") }
  }

  private func end(_ clients: [Target]) -> Int {
    ended ?? clients[client].kills[life] ?? Int.max
  }

  /// Whether the client was frozen at some instant of the ttl before a time.
  private func wasFrozen(_ clients: [Target], around time: Int) -> Bool {
    let ttl = 3_000_000_000
    return clients[client].freezes.contains { $0.overlaps(time - ttl...time) }
  }
}
