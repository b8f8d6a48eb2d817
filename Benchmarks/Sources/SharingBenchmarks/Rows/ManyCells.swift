import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Counting
import Reporting

/// Ten thousand cells of one prefix.
enum ManyCells {
  private static let count = 10_000

  @Sendable static func measure(_ effort: Effort) async throws -> [Line] {
    try await withEtcd { ports in
      let keys = (0..<count).map { "many-cells/\($0)" }
      try await fill(keys, ports[0])
      let local = bytesOfLocalCells()
      // The first round counts bytes, because later rounds also release what earlier ones have allocated. Counting takes
      // time, so only the later rounds are timed.
      let first = try await round(keys, ports[0], counts: true)
      var loads: [Double] = []
      for _ in 0..<3 { loads.append(try await round(keys, ports[0]).load) }
      var lines = [
        Line(
          name: "first load",
          unit: .nanoseconds,
          measured: Spread(loads).median,
          aim: .atMost(5e8),
          remark: "from the first start until all are ready"
        ),
        Line(
          name: "connections that follow",
          unit: .count,
          measured: Double(first.watches),
          aim: .atMost(1),
          remark: "open connections with those of requests: \(first.connections)"
        ),
      ]
      if counting_is_available() {
        lines += [
          Line(
            name: "each cell, beyond a local cell",
            unit: .bytes,
            measured: first.made + first.running - local,
            aim: .atMost(1000),
            remark: "running, with its value, and its share of store and loop"
          ),
          Line(
            name: "… that was made, and never ran",
            unit: .bytes,
            measured: first.made - local
          ),
          Line(
            name: "… whose link was read, in addition",
            unit: .bytes,
            measured: first.linked
          ),
        ]
      }
      return lines
    }
  }

  private struct Round {
    /// Nanoseconds until all cells are ready.
    var load: Double
    /// The bytes of each cell that was made.
    var made = 0.0
    /// The bytes of each cell that runs, beyond those of one that was made.
    var running = 0.0
    /// The bytes of each cell whose link was read, beyond those of one that runs.
    var linked = 0.0
    var watches: Int
    var connections: Int
  }

  private static func round(_ keys: [String], _ port: UInt16, counts: Bool = false) async throws -> Round {
    let proxy = try Proxy(to: port)
    defer { proxy.end() }
    if counts { counting_begin_everywhere() }
    let store = try EtcdStore(url(proxy.port))
    var cells: [SharedCell<Int>] = []
    cells.reserveCapacity(count)
    for key in keys { cells.append(SharedCell(key, in: store, initially: -1)) }
    let made = counts ? Double(counting_end_everywhere().bytes) / Double(count) : 0
    if counts { counting_begin_everywhere() }
    let begin = ContinuousClock.now
    for cell in cells { cell.start() }
    for cell in cells { try await cell.ready() }
    var round = Round(load: (ContinuousClock.now - begin) / .nanoseconds(1), watches: 0, connections: 0)
    // One link tells that the loop is live.
    _ = await cells[0].link.first { $0 == .live }
    if counts {
      (round.made, round.running) = (made, Double(counting_end_everywhere().bytes) / Double(count))
      counting_begin_everywhere()
    }
    for cell in cells { _ = await cell.link.first { $0 == .live } }
    if counts { round.linked = Double(counting_end_everywhere().bytes) / Double(count) }
    (round.watches, round.connections) = (proxy.watchCount, proxy.connectionCount)
    try expect(cells.map(\.value), equals: Array(0..<count), "the values of the cells")
    // The next round must not share the machine with the end of this one.
    let links = cells.map(\.link)
    cells = []
    for link in links { _ = await link.first { $0 == .idle } }
    return round
  }

  private static func fill(_ keys: [String], _ port: UInt16) async throws {
    try await onThread {
      let client = try PlainClient(port: port)
      for begin in stride(from: 0, to: keys.count, by: 100) {
        try client.put((begin..<begin + 100).map { (keys[$0], String($0)) })
      }
    }
  }

  private static func bytesOfLocalCells() -> Double {
    var cells: [BindableActor<Int>] = []
    cells.reserveCapacity(count)
    counting_begin_everywhere()
    for index in 0..<count { cells.append(BindableActor(index)) }
    let bytes = counting_end_everywhere().bytes
    return withExtendedLifetime(cells) { Double(bytes) / Double(count) }
  }
}
