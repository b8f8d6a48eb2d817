/// The pauses of one `modify`, with jitter.
struct ModifyPause: Sendable {
  private var races = 0
  private var troubles = 0

  /// The store did not answer: waits, longer each time, 5 seconds at most.
  mutating func afterTrouble(_ time: Timeline) async throws {
    let delay = min(Duration.milliseconds(50) * (1 << min(troubles, 10)), .seconds(5))
    troubles += 1
    try await time.sleep(for: delay * .random(in: 0.5...1))
  }

  /// Another writer was first. After a few lost races waits a few milliseconds, so that writers meet less often.
  mutating func afterLostRace(_ time: Timeline) async throws {
    races += 1
    guard races > 4 else { return }
    try await time.sleep(for: .milliseconds(1 << min(races - 4, 6)) * .random(in: 0...1))
  }
}
