import ActorBindings
import LiveBoard
import Testing
import WebServer

@Suite(.timeLimit(.minutes(9))) struct MetricsTests {
  /// Returns the lines of `/metrics` of a board that has sent prices.
  private static func lines() async throws -> [String] {
    let site = try await Site()
    let visitor = try await site.follower()
    await site.comesTrue { $0.ages != DurationHistogram() }
    let answer = try await site.answer(to: "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    withExtendedLifetime(visitor) {}
    await site.server.stop()
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
    let body = try #require(parts.last)
    // The last line ends too.
    #expect(body.hasSuffix("\n"))
    return body.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func `each line is a sample or a type, and the type of a family comes once, before its samples`()
    async throws
  {
    var (families, samples): ([String], Set<String>) = ([], [])
    for line in try await Self.lines() {
      if let match = line.wholeMatch(of: #/# TYPE ([a-z_]+) (counter|gauge)/#) {
        let family = String(match.1)
        #expect(!families.contains(family), "the type of \(family) comes again")
        #expect(family.hasSuffix("_total") == (match.2 == "counter"), "\(family) is a \(match.2)")
        families.append(family)
      } else {
        // The name of the family, the labels, and the value.
        let pattern = #/([a-z_]+)(\{[a-z]+="[a-z0-9.]+"\})? [0-9]+/#
        let match = try #require(line.wholeMatch(of: pattern), "this is no sample: \(line)")
        // The samples of a family are together.
        #expect(families.last == String(match.1), "\(line) does not come behind its type")
        let series = "\(match.1)\(match.2 ?? "")"
        #expect(samples.insert(series).inserted, "\(series) comes again")
      }
    }
    for family in families {
      #expect(samples.contains { $0.prefix { $0 != "{" } == family }, "\(family) has no sample")
    }
  }

  @Test(
    arguments: [
      "processor_milliseconds_total", "age_microseconds{quantile=\"0.5\"}",
      "age_microseconds{quantile=\"0.99\"}", "events_total", "streams",
    ]
  )
  func `a board that has sent prices has used time, and has ages`(_ name: String) async throws {
    let lines = try await Self.lines()
    let line = try #require(lines.first { $0.hasPrefix("liveboard_\(name) ") })
    let value = try #require(line.split(separator: " ").last.flatMap { Int($0) })
    #expect(value > 0)
  }
}
