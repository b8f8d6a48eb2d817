import ActorBindings
import Testing

@Suite
struct FollowerStepTests {
  @Test
  func `a step that leaves nothing to be read is done once it is taken`() {
    var step = FollowerStep(for: .reading)
    #expect(step.phase == .preparing)
    step.taken(mustRefresh: false)
    #expect(step.phase == .done)
  }

  @Test
  func `a step after which the logs must be read is done once they are`() {
    var step = FollowerStep(for: .leaving)
    step.taken(mustRefresh: true)
    #expect(step.phase == .catchingUp)
    step.broughtUpToDate()
    #expect(step.phase == .done)
  }
}
