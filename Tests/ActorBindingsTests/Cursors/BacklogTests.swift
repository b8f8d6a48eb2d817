import ActorBindings
import Testing

@Suite
struct BacklogTests {
  @Test
  func `the depth of a backlog is what may wait, and a bounded backlog is never unbounded`() {
    #expect(Backlog.latest.depth == 1)
    #expect(Backlog.bounded(3).depth == 3)
    #expect(Backlog.bounded(.max).depth == UInt32.max - 1)
    #expect(Backlog.unbounded.depth == UInt32.max)
  }
}
