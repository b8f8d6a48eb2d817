import ActorBindingsEtcd
import Testing

@Suite struct EndpointRingTests {
  @Test func `trouble moves on to the next endpoint, and around`() {
    var ring = EndpointRing(["a", "b"])
    #expect(ring.current == "a")
    ring.troubleCame(at: 0)
    #expect(ring.current == "b")
    ring.troubleCame(at: 1)
    #expect(ring.current == "a")
  }

  @Test func `late trouble at an endpoint that is no longer in use moves nothing`() {
    var ring = EndpointRing(["a", "b", "c"])
    for _ in 0..<8 { ring.troubleCame(at: 0) }
    #expect(ring.current == "b")
  }

  @Test func `the positions after a position go around`() {
    let ring = EndpointRing(["a", "b", "c"])
    #expect((0..<4).map { ring.position($0, after: 1) } == [1, 2, 0, 1])
  }

  @Test func `one endpoint stays in use`() {
    var ring = EndpointRing(["a"])
    ring.troubleCame(at: 0)
    #expect(ring.current == "a")
  }
}
