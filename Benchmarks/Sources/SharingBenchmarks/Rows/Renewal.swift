import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Reporting

/// The time from the end of a cut until a cell behind it has the newest value.
enum Renewal {
  @Sendable static func measure(_ effort: Effort) async throws -> [Line] {
    try await withEtcd { ports in
      let proxy = try Proxy(to: ports[0])
      defer { proxy.end() }
      let writer = SharedCell("renewal/value", in: try EtcdStore(url(ports[0])), initially: 0)
      let cell = SharedCell("renewal/value", in: try EtcdStore(url(proxy.port)), initially: 0)
      cell.start()
      try await cell.ready()
      var lines: [Line] = []
      for cut in [Duration.milliseconds(500), .seconds(2)] {
        var times: [Double] = []
        for _ in 0..<3 { times.append(try await renewal(of: cell, writer, proxy, cut)) }
        lines.append(
          Line(
            name: "after a cut of \(Line.Unit.nanoseconds.text(cut / .nanoseconds(1)))",
            unit: .nanoseconds,
            measured: Spread(times).median,
            aim: .atMost(1e9),
            remark: "the longest of 3: \(Line.Unit.nanoseconds.text(times.max() ?? 0))"
          )
        )
      }
      return lines
    }
  }

  private static func renewal(
    of cell: SharedCell<Int>,
    _ writer: SharedCell<Int>,
    _ proxy: Proxy,
    _ cut: Duration
  ) async throws -> Double {
    func write() async throws -> Int {
      try await writer.modify {
        $0 += 1
        return $0
      }
    }
    // A change that arrives makes the next delay the first one again.
    _ = await cell.link.first { $0 == .live }
    let before = try await write()
    _ = await cell.first { $0 == before }
    proxy.cut()
    try await Task.sleep(for: cut / 2)
    let newest = try await write()
    try await Task.sleep(for: cut / 2)
    try expect(cell.value, equals: before, "the value of a cell that is cut off")
    let heal = ContinuousClock.now
    proxy.heal()
    _ = await cell.first { $0 == newest }
    return (ContinuousClock.now - heal) / .nanoseconds(1)
  }
}
