import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Reporting

/// The processor time of a cell that runs, and that no code reads, while its store changes 10,000 times a second.
enum UnreadCell {
  private static let key = "unread/0"

  /// Each change is a write of the cell's entry.
  @Sendable static func overMemory(_ effort: Effort) async throws -> [Line] {
    let store = InMemoryStore()
    let executor = BlockingExecutor()
    return try await measure(store, effort, "each change is one of the cell") { time, first in
      let task = Task(executorPreference: executor) {
        var pace = Pace(.microseconds(100))
        var value = first
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
          pace.wait()
          value += 1
          let bytes = Array(String(value).utf8)
          _ = try await store.write(StoreWrite(key: key, bytes: bytes, expected: .anything))
        }
        return (value, changes: value - first)
      }
      return try await task.value
    }
  }

  /// A transaction of etcd changes 100 entries of the folder. One of them is that of the cell.
  @Sendable static func overEtcd(_ effort: Effort) async throws -> [Line] {
    try await withEtcd { ports in
      let store = try EtcdStore(url(ports[0]))
      return try await measure(store, effort, "100 transactions a second, each of 100 entries") {
        time,
        first in
        try await onThread {
          let client = try PlainClient(port: ports[0])
          var pace = Pace(.milliseconds(10))
          var value = first
          let end = ContinuousClock.now + time
          while ContinuousClock.now < end {
            pace.wait()
            value += 1
            try client.put((0..<100).map { ("unread/\($0)", String(value)) })
          }
          return (value, changes: (value - first) * 100)
        }
      }
    }
  }

  /// Writes while the cell runs and while it does not, in turns. The difference is what the cell costs.
  private static func measure(
    _ store: some SharedStore,
    _ effort: Effort,
    _ remark: String,
    write: (_ time: Duration, _ first: Int) async throws -> (last: Int, changes: Int)
  ) async throws -> [Line] {
    var shares: [Double] = []
    var rates: [Double] = []
    var last = 0
    func share() async throws -> Double {
      let (begin, used) = (ContinuousClock.now, processorTime())
      let written = try await write(effort.time * 2, last)
      last = written.last
      let thousands = Double(written.changes) / 1000
      rates.append(Double(written.changes) / ((ContinuousClock.now - begin) / .seconds(1)))
      return (processorTime() - used) / .seconds(1) / thousands
    }
    for _ in 0..<max(3, effort.rounds - 2) {
      let without = try await share()
      let cell = SharedCell(key, in: store, initially: -1)
      let token = cell.start()
      try await cell.ready()
      _ = await cell.link.first { $0 == .live }
      shares.append(try await share() - without)
      // The link is read above, and the value only here.
      let newest = last
      _ = await cell.first { $0 == newest }
      token.cancel()
      _ = await cell.link.first { $0 == .idle }
    }
    return [
      Line(
        name: "each 1,000/s",
        unit: .share,
        measured: Spread(shares).median,
        aim: .atMost(0.05),
        remark: "\(grouped(Int(Spread(rates).median)))/s: \(remark)"
      )
    ]
  }
}
