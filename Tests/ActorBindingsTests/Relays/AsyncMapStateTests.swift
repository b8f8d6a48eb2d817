import ActorBindings
import Testing

@Suite
struct AsyncMapStateTests {
  private var state = AsyncMapState<Int, String>(limit: 2)

  @Test
  mutating func `values start as long as there are places, and the others wait`() {
    #expect(said(state.valueCame(10)) == ["start 0: 10"])
    #expect(!state.isFull)
    #expect(said(state.valueCame(11)) == ["start 1: 11"])
    #expect(state.isFull)
    #expect(said(state.valueCame(12)) == [])
    #expect(said(state.bodyEnded(0, "a")) == ["a", "start 2: 12"])
    #expect(state.isFull)
  }

  @Test
  mutating func `an output waits for those before it, and keeps its place`() {
    for value in 10...14 { _ = state.valueCame(value) }
    #expect(said(state.bodyEnded(1, "b")) == [])
    #expect(said(state.bodyEnded(0, "a")) == ["a", "b", "start 2: 12", "start 3: 13"])
    #expect(said(state.bodyEnded(2, "c")) == ["c", "start 4: 14"])
    #expect(said(state.bodyEnded(3, "d")) == ["d"])
    #expect(!state.isFull)
  }

  @Test
  mutating func `the readers end when the source has ended and all outputs are delivered`() {
    for value in 10...12 { _ = state.valueCame(value) }
    #expect(said(state.sourceEnded()) == [])
    #expect(said(state.bodyEnded(1, "b")) == [])
    #expect(said(state.bodyEnded(0, "a")) == ["a", "b", "start 2: 12"])
    #expect(said(state.bodyEnded(2, "c")) == ["c", "over"])
    var empty = AsyncMapState<Int, String>(limit: .max)
    #expect(said(empty.sourceEnded()) == ["over"])
  }

  @Test
  func `any limit and order of ends gives the outputs in order, and never more bodies than places`() {
    var random = SystemRandomNumberGenerator()
    for limit in [1, 2, 3, 7, 100, .max] {
      var (state, running, outputs) = (AsyncMapState<Int, Int>(limit: limit), [Int: Int](), [Int]())
      func act(_ decision: AsyncMapState<Int, Int>.Decision) {
        outputs += decision.delivered
        for (number, value) in decision.started { running[number] = value }
        #expect(running.count <= limit)
      }
      for value in 0..<200 {
        act(state.valueCame(value))
        while let (number, value) = running.randomElement(using: &random), Bool.random(using: &random) {
          running[number] = nil
          act(state.bodyEnded(number, value))
        }
      }
      while let (number, value) = running.randomElement(using: &random) {
        running[number] = nil
        act(state.bodyEnded(number, value))
      }
      #expect(outputs == Array(0..<200))
    }
  }

  private func said(_ decision: AsyncMapState<Int, String>.Decision) -> [String] {
    decision.delivered + decision.started.map { "start \($0.number): \($0.value)" }
      + (decision.isOver ? ["over"] : [])
  }
}
