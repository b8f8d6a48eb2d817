/// The pauses of one `modify`, with jitter.
struct ModifyPause: Sendable {
  /// The name of the `modify` in the link.
  let id: UInt64
  private var races = 0
  private var troubles = 0

  init(id: UInt64) {
    self.id = id
  }

  /// Whether the store has not answered several times in a row. One lost request is no news for a user.
  var isLasting: Bool { troubles > 2 }

  /// The store did not answer. Returns the pause, which is longer each time, 5 seconds at most.
  mutating func troubleCame(jitter: Double) -> Duration {
    let delay = min(Duration.milliseconds(50) * (1 << min(troubles, 10)), .seconds(5))
    troubles += 1
    return delay * (1 - jitter / 2)
  }

  /// The store has answered.
  mutating func answered() { troubles = 0 }

  /// Another writer was first. After a few lost races waits a few milliseconds, so that writers meet less often.
  mutating func afterLostRace(_ followers: StoreFollowers) async throws {
    races += 1
    guard races > 4 else { return }
    try await followers.time.sleep(for: .milliseconds(1 << min(races - 4, 6)) * followers.jitter())
  }
}
