import ActorBindings
import Testing

@Suite
struct LogicalInstantTests {
  @Test
  func `each instant is later than the instants before it, and not earlier than itself`() {
    let (first, second) = (LogicalInstant.next(), LogicalInstant.next())
    #expect(first < second)
    #expect(!(second < first))
    #expect(!(first < first))
  }

  @Test
  func `an update without an instant comes before the first instant of the process`() async {
    // In a new process no thread has advanced the clock.
    await #expect(processExitsWith: .success) {
      precondition(LogicalInstant.unordered < LogicalInstant.next())
    }
  }
}
