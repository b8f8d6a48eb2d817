import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation
import Reporting

/// The number of writes a second by `modify`, beside a client by hand that posts the same JSON to the same gateway.
enum WriteRate {
  @Sendable static func measure(_ effort: Effort) async throws -> [Line] {
    try await withEtcd { ports in
      let keys = (0..<16).map { "\(Template.prefix)\($0 + 10)" }
      var templates: [Template] = []
      for key in keys { templates.append(try await Template(of: key, ports[0])) }
      let store = try EtcdStore(url(ports[0]))
      var one = try await lines("one writer", Array(templates[..<1]), store, ports[0], effort)
      var idle = try await lines(
        "… whose cell does not run",
        Array(templates[..<1]),
        store,
        ports[0],
        effort,
        false
      )
      var many = try await lines("16 writers of 16 keys", templates, store, ports[0], effort)
      one[0].remark = "by hand: the same JSON on a socket"
      idle[0].remark = "such a write reads first"
      many[0].remark = "by hand: 16 sockets"
      (one[0].aim, many[0].aim) = (.ratioAtLeast(0.9), .ratioAtLeast(0.9))
      return one + idle + many
    }
  }

  // The second line, if the cells run, has a client by hand that follows the keys as they do.
  private static func lines(
    _ name: String,
    _ templates: [Template],
    _ store: EtcdStore,
    _ port: UInt16,
    _ effort: Effort,
    _ runs: Bool = true
  ) async throws -> [Line] {
    var (ours, floor, following): ([Double], [Double], [Double]) = ([], [], [])
    // The first round warms up, and is not recorded.
    for round in 0...effort.rounds {
      let time = round == 0 ? effort.time / 4 : effort.time
      let cells = templates.map { SharedCell($0.key, in: store, initially: 0) }
      let ourRate = try await rate(of: cells, runs, time)
      let floorRate = try await rate(of: templates, port, time)
      let followingRate = runs ? try await rateWithWatch(of: templates, port, time) : 0
      if round == 0 { continue }
      ours.append(ourRate)
      floor.append(floorRate)
      following.append(followingRate)
    }
    let first = Self.line(name, ours, floor)
    return runs ? [first, Self.line("… beside a client that follows too", ours, following)] : [first]
  }

  private static func line(_ name: String, _ ours: [Double], _ floor: [Double]) -> Line {
    Line(
      name: name,
      unit: .perSecond,
      measured: Spread(ours).median,
      byHand: Spread(floor).median,
      ratio: Spread(zip(ours, floor).map(/)).median
    )
  }

  // MARK: Shared cells

  // The cells do not run while the client by hand is measured, so that it need not share the machine with them.
  private static func rate(of cells: [SharedCell<Int>], _ runs: Bool, _ time: Duration) async throws -> Double
  {
    let tokens = runs ? cells.map { $0.start() } : []
    for cell in cells {
      if runs { _ = await cell.link.first { $0 == .live } }
      try await cell.modify { $0 += 1 }
    }
    let rate = try await rate(time) { group, end in
      for cell in cells { group.addTask { try await writes(of: cell, until: end) } }
    }
    for token in tokens { token.cancel() }
    for cell in cells { _ = await cell.link.first { $0 == .idle } }
    return rate
  }

  // Each write adds 1 to what the store holds, so the results show whether each was applied once.
  private static func writes(of cell: SharedCell<Int>, until end: ContinuousClock.Instant) async throws -> Int
  {
    let first = cell.value
    var count = 0
    while ContinuousClock.now < end {
      let result = try await cell.modify {
        $0 += 1
        return $0
      }
      count += 1
      try expect(result, equals: first + count, "the result of a write")
    }
    try expect(cell.value, equals: first + count, "the value after the writes")
    return count
  }

  // MARK: By hand

  private static func rate(of templates: [Template], _ port: UInt16, _ time: Duration) async throws -> Double
  {
    let writers = try templates.map { try WriterByHand($0, port) }
    return try await rate(time) { group, end in
      for writer in writers { group.addTask { try await onThread { try writer.writes(until: end) } } }
    }
  }

  // As above, while a watch by hand follows the keys.
  private static func rateWithWatch(
    of templates: [Template],
    _ port: UInt16,
    _ time: Duration
  ) async throws -> Double {
    let watch = try EtcdByHand.watch(Template.prefix, port)
    defer { watch.end() }
    let reading = Task { try await onThread { while let bytes = watch.read(), !bytes.isEmpty {} } }
    let rate = try await rate(of: templates, port, time)
    watch.end()
    try await reading.value
    return rate
  }

  // Returns the sum of what the tasks return, for each second.
  private static func rate(
    _ time: Duration,
    _ start: (inout ThrowingTaskGroup<Int, any Error>, _ end: ContinuousClock.Instant) -> Void
  ) async throws -> Double {
    try await withThrowingTaskGroup(of: Int.self) { group in
      let begin = ContinuousClock.now
      start(&group, begin + time)
      let count = try await group.reduce(0, +)
      return Double(count) / ((ContinuousClock.now - begin) / .seconds(1))
    }
  }

  /// The JSON that the store has sent for a write of one key, around the revision that the write expects.
  private struct Template: Sendable {
    static let prefix = "writes/"
    let key: String
    let before: [UInt8]
    let after: [UInt8]

    /// Writes often enough that the entry has as many tokens as an entry can have.
    init(of key: String, _ port: UInt16) async throws {
      self.key = key
      let transport = CapturingTransport()
      let cell = SharedCell(key, in: try EtcdStore(url(port), transport: transport), initially: 100)
      for _ in 0..<20 { try await cell.modify { $0 += 1 } }
      let body = transport.lastBody(to: "/v3/kv/txn") ?? []
      guard let begin = body.end(of: Self.revision),
        let end = body[begin...].firstIndex(of: UInt8(ascii: "\""))
      else { throw WrongResult(message: "the store sent \(String(decoding: body, as: UTF8.self))") }
      before = Array(body[..<begin])
      after = Array(body[end...])
    }

    static let revision = Array(#""mod_revision":""#.utf8)
  }

  /// Writes one key by hand.
  // @unchecked: used by one thread at a time.
  private final class WriterByHand: @unchecked Sendable {
    private let template: Template
    private let client: PlainClient
    private var revision = 0

    init(_ template: Template, _ port: UInt16) throws {
      self.template = template
      client = try PlainClient(port: port)
      // This write fails, and shows the revision of the entry.
      _ = try write()
    }

    /// Posts one write after the other, and returns how many were applied.
    func writes(until end: ContinuousClock.Instant) throws -> Int {
      var count = 0
      while ContinuousClock.now < end {
        try expect(try write(), "a write by hand was not applied")
        count += 1
      }
      return count
    }

    private func write() throws -> Bool {
      let body = template.before + Array(String(revision).utf8) + template.after
      let answer = try client.post("/v3/kv/txn", body)
      let isApplied = answer.end(of: Self.success) != nil
      guard let found = answer.number(after: isApplied ? Self.headerRevision : Template.revision) else {
        throw WrongResult(message: "etcd answered \(String(decoding: answer, as: UTF8.self))")
      }
      revision = found
      return isApplied
    }

    private static let headerRevision = Array(#""revision":""#.utf8)
    private static let success = Array(#""succeeded":true"#.utf8)
  }
}
