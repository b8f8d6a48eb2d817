import ActorBindings
import Testing

@Suite
struct SettlersTests {
  private var settlers = Settlers()
  private var roster = Roster()

  @Test
  mutating func `tasks are resumed up to the version that is handled`() {
    for version in 1...100 as ClosedRange<UInt64> {
      roster.version = version
      settlers.append(Settlement(), roster)
      settlers.append(Settlement(), roster)
    }
    for (version, left) in [(0, 200), (1, 198), (60, 80), (59, 80), (99, 2), (100, 0)] as [(UInt64, Int)] {
      _ = settlers.handled(through: version)
      #expect(settlers.count == left)
    }
  }

  @Test
  mutating func `a task that waits for the next pass also waits for what this pass has not visited`() {
    settlers.passBegan()
    settlers.append(Settlement(), roster)
    settlers.append(Settlement(), awaitsNextPass: true, roster)
    _ = settlers.handled(through: 0)
    #expect(settlers.count == 1)
    settlers.passBegan()
    _ = settlers.handled(through: 0)
    #expect(settlers.count == 0)
  }

  @Test
  mutating func `tasks that have given up are removed when many have come`() {
    let living = Settlement()
    settlers.append(living, roster)
    for _ in 1...100 {
      let settlement = Settlement()
      settlers.append(settlement, roster)
      _ = settlement.givenUp()
      #expect(settlers.count <= 16)
    }
    let others = (1...100).map { _ in Settlement() }
    for settlement in others { settlers.append(settlement, roster) }
    #expect(settlers.count > 100)
    _ = settlers.handled(through: 0)
    #expect(settlers.count == 0)
  }

  @Test
  mutating func `a task that began to wait after the end waits until nothing is left`() {
    roster.isFinished = true
    settlers.append(Settlement(), roster)
    _ = settlers.handled(through: .max)
    #expect(settlers.count == 1)
    _ = settlers.removeAll()
    #expect(settlers.count == 0)
    settlers.append(Settlement(), Roster())
    _ = settlers.handled(through: 0)
    #expect(settlers.count == 0)
  }
}
