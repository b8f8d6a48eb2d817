import ActorBindings
import Testing

@Suite
struct MapLatestStateTests {
  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var state = MapLatestState<Int, String>(keepingLast: false)

  @Test
  mutating func `a value starts the body, whose result is shown`() {
    #expect(said(state.valueCame(1)) == "loading (attempt 1), start 1")
    #expect(said(state.bodyEnded(.success("a"))) == "loaded a")
    #expect(said(state.valueCame(2)) == "loading (attempt 1), start 2")
    #expect(said(state.bodyEnded(.failure(Failure(description: "b")))) == "failed: b")
  }

  @Test
  mutating func `newer values cancel the body once, and the newest starts when it has ended`() {
    _ = state.valueCame(1)
    #expect(said(state.valueCame(2)) == "cancel")
    #expect(said(state.valueCame(3)) == "")
    #expect(said(state.bodyEnded(.success("late"))) == "start 3")
    #expect(said(state.valueCame(4)) == "cancel")
    #expect(said(state.bodyEnded(.failure(CancellationError()))) == "start 4")
    #expect(said(state.bodyEnded(.success("d"))) == "loaded d")
  }

  @Test
  mutating func `the content of the last success stays only if it is asked for`() {
    var keeping = MapLatestState<Int, String>(keepingLast: true)
    for value in 1...2 {
      _ = state.valueCame(value)
      _ = keeping.valueCame(value)
      _ = state.bodyEnded(.success("a"))
      _ = keeping.bodyEnded(.success("a"))
    }
    #expect(said(state.valueCame(3)) == "loading (attempt 1), start 3")
    #expect(said(keeping.valueCame(3)) == "reloading a (attempt 1), start 3")
    let failure = Failure(description: "b")
    #expect(said(state.bodyEnded(.failure(failure))) == "failed: b")
    #expect(said(keeping.bodyEnded(.failure(failure))) == "failed: b, last a")
    #expect(said(keeping.valueCame(4)) == "reloading a (attempt 1), start 4")
  }

  @Test
  mutating func `the readers end when the source has ended and no body runs`() {
    #expect(said(MapLatestState<Int, String>(keepingLast: false).ended()) == "finish")
    _ = state.valueCame(1)
    _ = state.valueCame(2)
    #expect(said(state.sourceEnded()) == "")
    #expect(said(state.bodyEnded(.success("late"))) == "start 2")
    #expect(said(state.bodyEnded(.success("b"))) == "loaded b, finish")
  }

  private func said(_ decision: MapLatestState<Int, String>.Decision) -> String {
    let step: String? =
      switch decision.step {
      case .nothing: nil
      case .start(let value): "start \(value)"
      case .cancel: "cancel"
      case .finish: "finish"
      }
    return [decision.shown?.description, step].compactMap(\.self).joined(separator: ", ")
  }
}

extension MapLatestState {
  fileprivate func ended() -> Decision {
    var state = self
    return state.sourceEnded()
  }
}
