import ActorBindings
import Testing

@Suite
struct JunctionStateTests {
  private var state = JunctionState()

  @Test
  mutating func `the first look is new, a second one is not until a cell is written`() {
    let looks = [3, 3, 4, 4].map { state.looked($0).isNew }
    #expect(looks == [true, false, true, false])
  }

  @Test
  mutating func `after forgetting, the same values count as new`() {
    _ = state.looked(3)
    state.forgotten()
    let look = state.looked(3)
    #expect(look.isNew)
  }

  @Test
  mutating func `attached: the input waiters are parked by a look that finds nothing new`() {
    state.attached()
    let looks = [3, 3].map { state.looked($0).parksInputWaiters }
    #expect(looks == [false, true])
  }

  @Test
  mutating func `eager: the input waiters are parked by each look`() {
    state.attached()
    state.historyBegan()
    _ = state.readersChanged(isRead: true, keepsHistory: true, wantsAll: false)
    let looks = [3, 3].map { state.looked($0).parksInputWaiters }
    #expect(looks == [true, true])
  }

  @Test
  mutating func `detached: no look parks an input waiter`() {
    let looks = [3, 3].map { state.looked($0).parksInputWaiters }
    #expect(looks == [false, false])
  }
}
