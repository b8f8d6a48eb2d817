import ActorBindings
import Testing

/// A last look for news before a reader parks: `spin(untilNewerThan:)`.
@Suite
struct SpinTests {
  private let cell = Cell(0)

  @Test
  func `who has seen everything looks for a moment, and no longer`() {
    cell.send(1)
    #expect(!cell.spin(untilNewerThan: cell.watermark.version))
  }

  @Test
  func `who has not seen everything is told so`() {
    let seen = cell.watermark.version
    cell.send(1)
    #expect(cell.spin(untilNewerThan: seen))
  }
}
