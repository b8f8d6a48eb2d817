import ActorBindings
import ActorBindingsSharing
import Reporting

/// A read of `value`.
enum Reading {
  @Sendable static func measure(_ effort: Effort) async throws -> [Line] {
    let (store, count) = (InMemoryStore(), 1_000_000)
    let shared = SharedCell("reading/value", in: store, initially: 0)
    let local = BindableActor(0)
    shared.start()
    try await shared.ready()
    try await shared.modify { $0 = 3 }
    local.send(3)
    var (ours, floor): ([Double], [Double]) = ([], [])
    // The first round warms up, and is not recorded.
    for round in 0...effort.rounds * 2 {
      let sharedTime = try time(count) { shared.value }
      let localTime = try time(count) { local.value }
      if round == 0 { continue }
      ours.append(sharedTime)
      floor.append(localTime)
    }
    return [
      Line(
        name: "value",
        unit: .nanoseconds,
        measured: Spread(ours).median,
        byHand: Spread(floor).median,
        ratio: Spread(zip(ours, floor).map(/)).median,
        aim: .ratioAtMost(1.25),
        remark: "by hand: a local cell"
      )
    ]
  }

  @inline(__always)
  private static func time(_ count: Int, _ read: () -> Int) throws -> Double {
    var sum = 0
    let begin = ContinuousClock.now
    for _ in 0..<count { sum &+= read() }
    let time = (ContinuousClock.now - begin) / .nanoseconds(1)
    try expect(sum, equals: 3 * count, "the sum of the values that were read")
    return time / Double(count)
  }
}
