import ActorBindings
import Testing

@Suite
struct SwitchStateTests {
  private typealias State = SwitchState<String, Int>
  private var state = State()
  private let instants = (0...5).map { _ in LogicalInstant.next() }

  // The instant with this number; nil for a negative number.
  private func element<Value>(_ value: Value, _ number: Int) -> OrderedElement<Value> {
    OrderedElement(value, at: number < 0 ? nil : instants[number])
  }

  @Test
  mutating func `without a switch, the values whose goal is reached are delivered`() {
    #expect(state.isQuiet)
    state.valueCame(element(1, -1), goal: 4)
    state.valueCame(element(2, 3), goal: 5)
    #expect(!state.isQuiet)
    #expect(state.takeDeliverable(at: 3) == [])
    #expect(state.takeDeliverable(at: 4) == [1])
    #expect(!state.isQuiet)
    #expect(state.takeDeliverable(at: 6) == [2])
    #expect(state.isQuiet)
    #expect(state.switched() == nil)
  }

  @Test
  mutating func `a new inner source is not behind, though the old one was`() {
    state.innerIsBehind = true
    state.sourceCame(element("b", 0), after: 0)
    #expect(state.switched() == "b")
    #expect(state.isQuiet)
  }

  @Test
  mutating func `after the end of the outer source, each value is delivered`() {
    state.valueCame(element(1, -1), goal: .max)
    #expect(state.takeDeliverable(at: nil) == [1])
  }

  @Test
  mutating func `goals are compared by their distance`() {
    state.valueCame(element(1, -1), goal: .max)
    #expect(state.takeDeliverable(at: 0) == [1])
  }

  @Test(arguments: [(limit: 0, delivered: []), (1, []), (2, [1, 2, 3]), (3, [1, 2, 3]), (-1, [])])
  func `a switch lets pass the values from before its limit, and those before them`(
    limit: Int,
    delivered: [Int]
  ) {
    var state = state
    for (value, number) in [(1, -1), (2, -1), (3, 1), (4, 3)] {
      state.valueCame(element(value, number), goal: 9)
    }
    state.sourceCame(element("b", limit), after: 8)
    #expect(state.takeDeliverable(at: 9) == delivered)
    #expect(state.switched() == "b")
    #expect(state.isQuiet)
    #expect(state.takeDeliverable(at: 9) == [])
  }

  @Test
  mutating func `a switch lets pass the values whose goal was reached before it`() {
    state.valueCame(element(1, -1), goal: 7)
    state.valueCame(element(2, -1), goal: 8)
    state.valueCame(element(3, -1), goal: 9)
    state.sourceCame(element("b", -1), after: 8)
    state.sourceCame(element("c", -1), after: 9)
    #expect(state.settledVersion == 9)
    #expect(state.takeDeliverable(at: 10) == [1, 2])
    #expect(state.switched() == "c")
  }

  @Test
  mutating func `the newest of several sources counts, and the limit of the first`() {
    state.sourceCame(element("b", 1), after: 1)
    state.sourceCame(element("c", 4), after: 2)
    state.valueCame(element(1, 0), goal: 3)
    state.valueCame(element(2, 2), goal: 3)
    #expect(state.takeDeliverable(at: 3) == [1])
    #expect(state.switched() == "c")
  }

  @Test
  mutating func `a limit that is not known stays unknown`() {
    state.sourceCame(element("b", -1), after: 1)
    state.sourceCame(element("c", 4), after: 2)
    state.valueCame(element(1, 0), goal: 3)
    #expect(state.takeDeliverable(at: 3) == [])
    #expect(state.switched() == "c")
  }

  @Test
  mutating func `the old source is read up to the version that it had when the switch became due`() {
    state.sourceCame(element("b", 1), after: 1)
    #expect(!state.isReached(4) { 6 })
    #expect(!state.isReached(5) { 9 })
    #expect(state.isReached(6) { 9 })
    #expect(state.switched() == "b")
    #expect(!state.isReached(6) { 9 })
  }

  @Test
  mutating func `a switch is over when both sources have ended and nothing waits`() {
    #expect(!state.isOver)
    state.outerHasEnded = true
    #expect(state.isOver)
    state.sourceCame(element("b", 1), after: 0)
    #expect(!state.isOver)
    #expect(state.switched() == "b")
    #expect(!state.isOver)
    state.innerHasEnded = true
    state.valueCame(element(1, 2), goal: 0)
    #expect(!state.isOver)
    #expect(state.takeDeliverable(at: nil) == [1])
    #expect(state.isOver)
  }
}
