import ActorBindings
import LiveBoard
import Testing
import WebServer

@Suite struct VitalsTests {
  @Test func `a histogram knows a quantile to within a factor of two`() throws {
    var histogram = DurationHistogram()
    #expect(histogram.quantile(0.5) == nil)
    for milliseconds in 1...100 { histogram.record(.milliseconds(milliseconds)) }
    let median = try #require(histogram.quantile(0.5)) / .milliseconds(1)
    #expect(median > 25 && median < 100)
    let most = try #require(histogram.quantile(1)) / .milliseconds(1)
    #expect(most >= 100 && most < 200)
  }

  @Test func `a histogram counts what was recorded since an earlier state`() throws {
    var histogram = DurationHistogram()
    for _ in 0..<1_000 { histogram.record(.seconds(10)) }
    let earlier = histogram
    #expect(histogram.since(earlier).quantile(0.5) == nil)
    histogram.record(.microseconds(3))
    #expect(try #require(histogram.since(earlier).quantile(0.99)) <= .microseconds(4))
  }

  @Test func `durations that are negative, or longer than an hour, are counted`() throws {
    var histogram = DurationHistogram()
    histogram.record(.seconds(-1))
    #expect(try #require(histogram.quantile(1)) <= .microseconds(1))
    for _ in 0..<9 { histogram.record(.seconds(1_000_000)) }
    #expect(try #require(histogram.quantile(0.9)) >= .seconds(1_000))
  }

  @Test func `a histogram is right after a year of a million durations a second`() throws {
    var histogram = DurationHistogram()
    histogram.record(.milliseconds(3), times: 1_000_000 * 365 * 24 * 60 * 60)
    let earlier = histogram
    histogram.record(.seconds(10))
    #expect(try #require(histogram.quantile(0.99)) <= .microseconds(4_096))
    #expect(try #require(histogram.since(earlier).quantile(0.5)) > .seconds(8))
    histogram.record(.seconds(Int64.max))
    #expect(try #require(histogram.quantile(1)) > .seconds(2_000))
  }

  @Test func `the gauge keeps one minute, the newest second last`() {
    let services = Services()
    let gauge = Gauge(BindableActor(Tally()), services)
    var (earlier, count) = (Tally(), Tally())
    for second in 1...70 {
      count.events += second
      count.ages.record(.milliseconds(3))
      gauge.measured(from: earlier, to: count, writes: second)
      earlier = count
    }
    #expect(services.minute.count == 60 && services.seconds.value == 70)
    #expect(services.minute[59].events == 70 && services.minute[59].writes == 70)
    #expect(services.minute[0].events == 11)
    gauge.measured(from: Tally(), to: count, writes: 300, in: .seconds(3))
    #expect(services.minute[59].writes == 100 && services.minute[59].events == count.events / 3)
    #expect(services.minute[59].p99 > 1 && services.minute[59].p99 < 6)
  }
}
