import ActorBindings
import Testing

/// The brief spinning for a newer version before a reader parks: `spin(untilNewerThan:)`.
@Suite
struct SpinTests {
  private let cell = Cell(0)

  @Test
  func `a reader that has seen everything spins briefly, and no longer`() {
    cell.send(1)
    #expect(!cell.spin(untilNewerThan: cell.watermark.version))
  }

  @Test
  func `a reader that has not seen everything does not spin`() {
    let seen = cell.watermark.version
    cell.send(1)
    #expect(cell.spin(untilNewerThan: seen))
  }
}
