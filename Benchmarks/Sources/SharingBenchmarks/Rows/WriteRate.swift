import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation
import Reporting

/// The number of writes a second by `modify`, beside a client by hand that posts the same JSON to the same gateway.
enum WriteRate {
  @Sendable static func measure(_ effort: Effort) async throws -> [Line] {
    try await withEtcd { ports in
      let keys = (0..<16).map { "writes/\($0 + 10)" }
      var templates: [Template] = []
      for key in keys { templates.append(try await Template(of: key, ports[0])) }
      let store = try EtcdStore(url(ports[0]))
      let cells = keys.map { SharedCell($0, in: store, initially: 0) }
      return [
        try await line("one writer", Array(cells[..<1]), Array(templates[..<1]), ports[0], effort),
        try await line("16 writers of 16 keys", cells, templates, ports[0], effort),
      ]
    }
  }

  private static func line(
    _ name: String,
    _ cells: [SharedCell<Int>],
    _ templates: [Template],
    _ port: UInt16,
    _ effort: Effort
  ) async throws -> Line {
    var (ours, floor): ([Double], [Double]) = ([], [])
    // The first round warms up, and is not recorded.
    for round in 0...effort.rounds {
      let time = round == 0 ? effort.time / 4 : effort.time
      let (ourRate, floorRate) = (try await rate(of: cells, time), try await rate(of: templates, port, time))
      if round == 0 { continue }
      ours.append(ourRate)
      floor.append(floorRate)
    }
    return Line(
      name: name,
      unit: .perSecond,
      measured: Spread(ours).median,
      byHand: Spread(floor).median,
      ratio: Spread(zip(ours, floor).map(/)).median,
      aim: .ratioAtLeast(0.9),
      remark: "by hand: the same JSON on \(templates.count == 1 ? "a socket" : "\(templates.count) sockets")"
    )
  }

  // MARK: Shared cells

  private static func rate(of cells: [SharedCell<Int>], _ time: Duration) async throws -> Double {
    let begin = ContinuousClock.now
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for cell in cells { group.addTask { try await writes(of: cell, until: begin + time) } }
      return try await group.reduce(0, +)
    }
    return Double(count) / ((ContinuousClock.now - begin) / .seconds(1))
  }

  // Each write adds 1 to what the store holds, so the results show whether each was applied once.
  private static func writes(of cell: SharedCell<Int>, until end: ContinuousClock.Instant) async throws -> Int
  {
    func write() async throws -> Int {
      try await cell.modify {
        $0 += 1
        return $0
      }
    }
    let first = try await write()
    var count = 1
    while ContinuousClock.now < end {
      try expect(try await write(), equals: first + count, "the result of a write")
      count += 1
    }
    try expect(cell.value, equals: first + count - 1, "the value after the writes")
    return count
  }

  // MARK: By hand

  private static func rate(of templates: [Template], _ port: UInt16, _ time: Duration) async throws -> Double
  {
    let begin = ContinuousClock.now
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for template in templates {
        group.addTask { try await onThread { try template.writes(port, until: begin + time) } }
      }
      return try await group.reduce(0, +)
    }
    return Double(count) / ((ContinuousClock.now - begin) / .seconds(1))
  }

  /// The JSON that the store has sent for a write of one key, around the revision that the write expects.
  private struct Template: Sendable {
    let before: [UInt8]
    let after: [UInt8]

    /// Writes often enough that the entry has as many tokens as an entry can have.
    init(of key: String, _ port: UInt16) async throws {
      let transport = CapturingTransport()
      let cell = SharedCell(key, in: try EtcdStore(url(port), transport: transport), initially: 100)
      for _ in 0..<20 { try await cell.modify { $0 += 1 } }
      let body = transport.lastBody(to: "/v3/kv/txn") ?? []
      guard let range = body.firstRange(of: Self.revision),
        let end = body[range.upperBound...].firstIndex(of: UInt8(ascii: "\""))
      else { throw WrongResult(message: "the store sent \(String(decoding: body, as: UTF8.self))") }
      before = Array(body[..<range.upperBound])
      after = Array(body[end...])
    }

    /// Posts one write after the other, and returns how many were applied.
    func writes(_ port: UInt16, until end: ContinuousClock.Instant) throws -> Int {
      let client = try PlainClient(port: port)
      var revision = 0
      func write() throws -> Bool {
        let answer = try client.post("/v3/kv/txn", before + Array(String(revision).utf8) + after)
        let isApplied = answer.firstRange(of: Self.success) != nil
        guard let found = answer.number(after: isApplied ? Self.headerRevision : Self.revision) else {
          throw WrongResult(message: "etcd answered \(String(decoding: answer, as: UTF8.self))")
        }
        revision = found
        return isApplied
      }
      // The first write fails, and shows the revision of the entry.
      _ = try write()
      var count = 0
      while ContinuousClock.now < end {
        try expect(try write(), "a write by hand was not applied")
        count += 1
      }
      return count
    }

    private static let revision = Array(#""mod_revision":""#.utf8)
    private static let headerRevision = Array(#""revision":""#.utf8)
    private static let success = Array(#""succeeded":true"#.utf8)
  }
}
