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
      var (loads, bytes): ([Double], [Double]) = ([], [])
      var (watches, connections) = (0, 0)
      for _ in 0..<3 {
        let proxy = try Proxy(to: ports[0])
        defer { proxy.end() }
        counting_begin_everywhere()
        let store = try EtcdStore(url(proxy.port))
        var cells: [SharedCell<Int>] = []
        cells.reserveCapacity(count)
        for key in keys { cells.append(SharedCell(key, in: store, initially: -1)) }
        let begin = ContinuousClock.now
        for cell in cells { cell.start() }
        for cell in cells { try await cell.ready() }
        loads.append((ContinuousClock.now - begin) / .nanoseconds(1))
        for cell in cells { _ = await cell.link.first { $0 == .live } }
        watches = max(watches, proxy.watchCount)
        connections = max(connections, proxy.connectionCount)
        bytes.append(Double(counting_end_everywhere().bytes) / Double(count))
        try expect(cells.map(\.value), equals: Array(0..<count), "the values of the cells")
      }
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
          measured: Double(watches),
          aim: .atMost(1),
          remark: "open connections with those of requests: \(connections)"
        ),
      ]
      if counting_is_available() {
        lines.append(
          Line(
            name: "each cell, beyond a local cell",
            unit: .bytes,
            measured: Spread(bytes).median - local,
            aim: .atMost(1000),
            remark: "running, with its share of store and loop"
          )
        )
      }
      return lines
    }
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
