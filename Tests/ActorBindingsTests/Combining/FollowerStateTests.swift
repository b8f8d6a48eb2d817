import ActorBindings
import Testing

@Suite
struct FollowerStateTests {
  var state = FollowerState()

  @Test
  mutating func `a step prepares for what it is about to do`() {
    #expect(preparations() == [[.refresh, .attach], [.refresh, .attach, .beginHistory], [], [], [], []])
    state.attached()
    #expect(preparations() == [.refresh, [.refresh, .beginHistory], .refresh, [], [], .refresh])
    state.historyBegan()
    #expect(preparations() == [.refresh, .refresh, .refresh, [], [], .refresh])
    // This makes the cell eager.
    _ = state.readersChanged(isRead: true, keepsHistory: true, wantsAll: false)
    #expect(preparations() == [.refresh, .refresh, .refresh, [], .refresh, .refresh])
  }

  private func preparations() -> [FollowerState.Preparation] {
    [
      state.preparation(for: .joining(depth: 1), hasParkedReaders: false),
      state.preparation(for: .joining(depth: 2), hasParkedReaders: false),
      state.preparation(for: .reading, hasParkedReaders: false),
      state.preparation(for: .leaving, hasParkedReaders: true),
      state.preparation(for: .refreshing, hasParkedReaders: false),
      state.preparation(for: .refreshing, hasParkedReaders: true),
    ]
  }

  @Test(arguments: [false, true], [false, true])
  func `it must adjust just when a change of the readers changes the state`(hasHistory: Bool, isEager: Bool) {
    var before = FollowerState()
    before.attached()
    if hasHistory { before.historyBegan() }
    if hasHistory, isEager { _ = before.readersChanged(isRead: true, keepsHistory: true, wantsAll: false) }
    for isRead in [false, true] {
      for keepsHistory in [false, true] where isRead || !keepsHistory {
        for wantsAll in [false, true] where keepsHistory || !wantsAll {
          var after = before
          let obligations = after.readersChanged(
            isRead: isRead,
            keepsHistory: keepsHistory,
            wantsAll: wantsAll
          )
          let isChanged = !obligations.isEmpty || after.isEager != before.isEager
          #expect(
            before.mustAdjust(isRead: isRead, keepsHistory: keepsHistory, wantsAll: wantsAll) == isChanged
          )
        }
      }
    }
  }

  @Test
  mutating func `detached: a change of the readers asks for nothing`() {
    let obligations = state.readersChanged(isRead: true, keepsHistory: false, wantsAll: false)
    #expect(obligations.isEmpty)
    let none = state.readersChanged(isRead: false, keepsHistory: false, wantsAll: false)
    #expect(none.isEmpty)
    #expect(!state.isAttached && !state.hasHistory && !state.isEager)
  }

  @Test
  mutating func `attached: it detaches when no reader is left`() {
    state.attached()
    let first = state.readersChanged(isRead: true, keepsHistory: false, wantsAll: false)
    #expect(first.isEmpty)
    #expect(state.isAttached)
    let last = state.readersChanged(isRead: false, keepsHistory: false, wantsAll: false)
    #expect(last == .detach)
    #expect(!state.isAttached)
  }

  @Test
  mutating func `with history: it ends its history when all readers want only the newest value`() {
    state.attached()
    state.historyBegan()
    let obligations = state.readersChanged(isRead: true, keepsHistory: false, wantsAll: false)
    #expect(obligations == .endHistory)
    #expect(state.isAttached && !state.hasHistory)
  }

  @Test
  mutating func `with history: it ends its history and detaches when no reader is left`() {
    state.attached()
    state.historyBegan()
    let obligations = state.readersChanged(isRead: false, keepsHistory: false, wantsAll: false)
    #expect(obligations == [.endHistory, .detach])
    #expect(!state.isAttached && !state.hasHistory)
  }

  @Test
  mutating func `with history: it is eager while no reader wants all`() {
    state.attached()
    state.historyBegan()
    let all = state.readersChanged(isRead: true, keepsHistory: true, wantsAll: true)
    #expect(all.isEmpty && !state.isEager)
    let some = state.readersChanged(isRead: true, keepsHistory: true, wantsAll: false)
    #expect(some == .refresh && state.isEager)
    // The accumulated history is read once.
    let again = state.readersChanged(isRead: true, keepsHistory: true, wantsAll: false)
    #expect(again.isEmpty && state.isEager)
    let later = state.readersChanged(isRead: true, keepsHistory: true, wantsAll: true)
    #expect(later.isEmpty && !state.isEager)
  }

  @Test
  mutating func `eager: it is not eager any more when no reader is left`() {
    state.attached()
    state.historyBegan()
    _ = state.readersChanged(isRead: true, keepsHistory: true, wantsAll: false)
    let obligations = state.readersChanged(isRead: false, keepsHistory: false, wantsAll: false)
    #expect(obligations == [.endHistory, .detach])
    #expect(!state.isEager)
  }
}
