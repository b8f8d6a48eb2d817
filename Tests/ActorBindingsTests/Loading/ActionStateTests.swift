import ActorBindings
import Testing

@Suite struct ActionStateTests {
  private let calls = (0..<6).map { _ in EndWaiter {} }

  @Test func `waiting calls have their turns in order, except those that leave`() {
    var state = ActionState()
    let admissions = calls.map { state.asked($0, .queue).admission }
    #expect(admissions == [.granted] + Array(repeating: .queued, count: 5))
    // The first waiting call leaves, then one in between, and then the last one.
    for leaver in [1, 3, 5] {
      let next = state.left(calls[leaver])
      #expect(next == nil)
    }
    var turns: [Int] = []
    var executing = calls.first as Waiter?
    while let call = executing {
      turns.append(calls.firstIndex { $0 === call } ?? -1)
      executing = state.left(call)
    }
    #expect(turns == [0, 2, 4])
    let (count, isExecuting) = (state.waitingCount, state.isExecuting)
    #expect(count == 0)
    #expect(!isExecuting)
  }

  @Test func `the newest call displaces the call that waits`() {
    var state = ActionState()
    let displaced = calls[..<3].map { state.asked($0, .latest).displaced }
    #expect(displaced[0] == nil && displaced[1] == nil)
    #expect(displaced[2] === calls[1])
    let areDisplaced = calls[..<3].map { state.isDisplaced($0) }
    #expect(areDisplaced == [false, true, false])
    // The displaced call leaves before its turn.
    let next = state.left(calls[1])
    #expect(next == nil)
    let count = state.waitingCount
    #expect(count == 1)
    let last = state.left(calls[0])
    #expect(last === calls[2])
  }

  @Test func `a call is refused while another one executes`() {
    var state = ActionState()
    let admissions = calls[..<2].map { state.asked($0, .refuse).admission }
    #expect(admissions == [.granted, .refused])
    let next = state.left(calls[0])
    #expect(next == nil)
    let admission = state.asked(calls[1], .refuse).admission
    #expect(admission == .granted)
  }
}
