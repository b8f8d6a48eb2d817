import ActorBindingsSharing
import Testing

@Suite struct PublicationQueueTests {
  @Test func `one thread publishes, and takes what came meanwhile`() {
    var queue = PublicationQueue<String>()
    #expect(queue.began() == nil)
    queue.decided("a")
    let second = queue.decided("b")
    #expect(queue.began() == ["a", "b"])
    queue.decided("c")
    #expect(queue.began() == nil, "another thread publishes")
    #expect(!queue.isVisible(second))
    #expect(queue.published(2).decisions == ["c"])
    #expect(queue.isVisible(second))
    #expect(queue.published(1).decisions == nil)
    queue.decided("d")
    #expect(queue.began() == ["d"], "the queue is idle again")
  }

  @Test func `the last number is that of the last decision`() {
    var queue = PublicationQueue<String>()
    #expect(queue.isVisible(queue.lastNumber))
    #expect(queue.decided("a") == 1)
    #expect(queue.lastNumber == 1)
    #expect(!queue.isVisible(1))
  }
}

@Suite struct LinkStateTests {
  private func running() -> LinkState {
    var state = LinkState()
    state.runBegan()
    return state
  }

  @Test func `it is idle while it does not run, and connecting at first`() {
    var state = LinkState()
    #expect(state.link == .idle)
    state.runBegan()
    #expect(state.link == .connecting)
    state.runBegan()
    state.runEnded()
    #expect(state.link == .connecting, "the other run goes on")
    state.runEnded()
    #expect(state.link == .idle)
  }

  @Test func `a refusal stays visible after the run, until the next one`() {
    var state = running()
    state.linked(.ended(reason: "no"))
    state.runEnded()
    #expect(state.link == .ended(reason: "no"))
    #expect(state.readiness == .refused("no"))
    state.runBegan()
    #expect(state.link == .connecting)
    #expect(state.readiness == .waiting)
  }

  @Test func `a run that begins before the refused one has ended connects, and the refusal does not return`()
  {
    var state = running()
    state.linked(.ended(reason: "no"))
    state.runBegan()
    #expect(state.link == .connecting)
    state.linked(.live)
    state.runEnded(refusal: "no")
    #expect(state.link == .live)
    state.runEnded(refusal: "never")
    #expect(state.link == .ended(reason: "never"))
  }

  @Test func `what is held is current only while the link of the loop is live`() {
    var state = running()
    state.loaded()
    #expect(!state.isCurrent)
    state.linked(.live)
    #expect(state.isCurrent)
    state.linked(.stale(since: .now, reason: "?"))
    #expect(!state.isCurrent)
    state.linked(.live)
    state.runEnded()
    #expect(!state.isCurrent)
    #expect(state.readiness == .loaded)
  }

  @Test func `a problem makes a live link stale, until its key is decoded`() {
    var state = running()
    let since = ContinuousClock.now
    state.linked(.live)
    state.failed("b", "b is bad", at: since)
    state.failed("a", "a is bad", at: since)
    #expect(state.link == .stale(since: since, reason: "a is bad"))
    #expect(state.decoded("a") == true)
    #expect(state.link == .stale(since: since, reason: "b is bad"))
    #expect(state.decoded("b") == true)
    #expect(state.decoded("b") == false)
    #expect(state.link == .live)
  }
}
