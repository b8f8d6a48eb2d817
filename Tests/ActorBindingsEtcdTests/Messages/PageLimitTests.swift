import ActorBindingsEtcd
import Testing

@Suite struct PageLimitTests {
  @Test func `begins small, and grows eightfold at most`() {
    var limit = PageLimit()
    #expect(limit.entries == 32)
    limit.answerCame(entries: 32, bytes: 3200)
    #expect(limit.entries == 256)
    limit.answerCame(entries: 256, bytes: 25_600)
    limit.answerCame(entries: 2048, bytes: 204_800)
    #expect(limit.entries == 8192)
  }

  @Test func `a failure halves the page, and the pages after it stay small for some time`() {
    var limit = PageLimit()
    limit.answerFailed(entries: 32)
    // Another load that failed at once.
    limit.answerFailed(entries: 32)
    #expect(limit.entries == 16)
    limit.answerCame(entries: 16, bytes: 16 << 15)
    #expect(limit.entries == 16)
    for _ in 0..<20 { limit.answerCame(entries: 16, bytes: 16 << 15) }
    #expect(limit.entries == 32)
    for _ in 0..<20 { limit.answerFailed(entries: limit.entries) }
    #expect(limit.entries == 1)
    limit.answerCame(entries: 1, bytes: 1 << 14)
    #expect(limit.entries == 4)
  }

  @Test func `an empty answer says nothing of the entries of other scopes`() {
    var limit = PageLimit()
    for _ in 0..<3 { limit.answerCame(entries: 0, bytes: 120) }
    #expect(limit.entries == 32)
  }

  @Test func `large entries come in small pages, at least one by one`() {
    var limit = PageLimit()
    limit.answerCame(entries: 32, bytes: 32 << 17)
    #expect(limit.entries == 8)
    limit.answerCame(entries: 8, bytes: 8 << 21)
    #expect(limit.entries == 1)
  }
}
