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
    let looks = [3, 3].map { state.looked($0, isForParkedReaders: true).parksInputWaiters }
    #expect(looks == [false, false])
    #expect(!state.isLastLookUsable)
  }

  @Test
  mutating func `a look for parked readers parks the input waiters, though there is something new`() {
    state.attached()
    let look = state.looked(3, isForParkedReaders: true)
    #expect(look.isNew && look.parksInputWaiters)
    #expect(state.isLastLookUsable)
  }

  @Test
  mutating func `known: readers need a look until one parks the input waiters`() {
    state.attached()
    _ = state.looked(3)
    #expect(!state.isLastLookUsable)
    #expect(state.inputWaiterWoken() == false)
    _ = state.looked(3)
    #expect(state.isLastLookUsable)
  }

  @Test
  mutating func `watched: after a wake-up one look at that cell is enough`() {
    watch(at: 3)
    #expect(state.inputWaiterWoken() == true)
    #expect(!state.isLastLookUsable)
    #expect(state.sideLooked(updates: 2) == true)
    #expect(state.isLastLookUsable)
    // The sum of the versions is 5 now.
    let look = state.looked(5)
    #expect(!look.isNew)
  }

  @Test
  mutating func `watched: a look at a cell that was not written finds nothing new`() {
    watch(at: 3)
    #expect(state.inputWaiterWoken() == true)
    #expect(state.sideLooked(updates: 0) == false)
    #expect(state.isLastLookUsable)
  }

  @Test
  mutating func `of two wake-ups without a look in between, the second needs a look at all cells`() {
    watch(at: 3)
    #expect(state.inputWaiterWoken() == true)
    #expect(state.inputWaiterWoken() == false)
  }

  @Test
  mutating func `what was forgotten or detached is no longer watched`() {
    watch(at: 3)
    state.forgotten()
    #expect(!state.isLastLookUsable)
    watch(at: 3)
    _ = state.readersChanged(isRead: false, keepsHistory: false, wantsAll: false)
    #expect(!state.isWatched)
  }

  @Test
  mutating func `with a history, a look may have found more than the joint cell shows`() {
    watch(at: 3)
    state.historyBegan()
    #expect(state.isLastLookUsable)
    #expect(state.inputWaiterWoken() == false)
    _ = state.looked(4)
    _ = state.looked(4)
    #expect(!state.isLastLookUsable)
    state.historyRead()
    #expect(state.isLastLookUsable)
  }

  private mutating func watch(at versions: UInt64) {
    if !state.follower.isAttached { state.attached() }
    _ = state.looked(versions, isForParkedReaders: true)
  }
}
