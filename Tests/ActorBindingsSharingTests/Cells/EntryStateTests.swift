import ActorBindingsSharing
import Testing

/// Each event in each state, without a store.
@Suite struct EntryStateTests {
  private func entry(_ revision: UInt64) -> StoreEntry {
    StoreEntry(key: "a", bytes: [UInt8(revision)], revision: StoreRevision(revision))
  }

  /// The state after a load of revision 10 with the tickets 1 and 2.
  private var followed: EntryState {
    var state = EntryState()
    #expect(state.loaded(entry(10), at: StoreRevision(10), began: 1, ticket: 2) == .news)
    return state
  }

  /// The state after a write of revision 20, which was sent with the ticket 3 and answered at the ticket 4.
  private var own: EntryState {
    var state = followed
    #expect(state.answered(entry(20), at: StoreRevision(20), began: 3, ticket: 4) == .news)
    return state
  }

  @Test func `a load replaces what is held, also by an older revision`() {
    var state = followed
    #expect(state.loaded(entry(5), at: StoreRevision(6), began: 3, ticket: 4) == .news)
    #expect(state.entry == entry(5))
    #expect(state.loaded(nil, at: StoreRevision(1), began: 5, ticket: 6) == .news)
    #expect(state.entry == nil)
    #expect(state.isKnown)
  }

  @Test func `a load that began before a write was answered keeps the newer write`() {
    var state = own
    #expect(state.loaded(entry(10), at: StoreRevision(15), began: 3, ticket: 5) == .known)
    #expect(state.entry == entry(20))
  }

  @Test func `a load that began before a write was answered, and has seen it, replaces it`() {
    var state = own
    #expect(state.loaded(entry(21), at: StoreRevision(25), began: 3, ticket: 5) == .news)
    #expect(state.entry == entry(21))
  }

  @Test func `a load that began after the write was answered replaces it by an older revision`() {
    var state = own
    #expect(state.loaded(entry(10), at: StoreRevision(15), began: 5, ticket: 6) == .news)
    #expect(state.entry == entry(10))
  }

  @Test func `a later change replaces what is held, and an earlier one or the same does not`() {
    var state = followed
    #expect(state.changed(.written(entry(9)), ticket: 3) == .known)
    #expect(state.changed(.written(entry(10)), ticket: 4) == .known)
    #expect(state.changed(.removed(key: "a", revision: StoreRevision(8)), ticket: 5) == .known)
    #expect(state.entry == entry(10))
    #expect(state.changed(.written(entry(11)), ticket: 6) == .news)
    #expect(state.entry == entry(11))
    #expect(state.changed(.removed(key: "a", revision: StoreRevision(12)), ticket: 7) == .news)
    #expect(state.entry == nil)
  }

  @Test func `the first change of an unknown entry is news`() {
    var state = EntryState()
    #expect(state.changed(.written(entry(1)), ticket: 1) == .news)
    #expect(state.entry == entry(1))
  }

  @Test func `a write of this process stays its own until the subscription has reached it`() {
    var state = own
    #expect(state.changed(.written(entry(19)), ticket: 5) == .known)
    #expect(state.isOwn)
    #expect(state.changed(.written(entry(20)), ticket: 6) == .known)
    #expect(!state.isOwn)
  }

  @Test func `an answer replaces what was held when the request was sent, also by an older revision`() {
    var state = followed
    #expect(state.answered(entry(3), at: StoreRevision(3), began: 3, ticket: 4) == .news)
    #expect(state.entry == entry(3))
  }

  @Test func `an answer does not replace a later change that came since the request`() {
    var state = followed
    #expect(state.changed(.written(entry(30)), ticket: 4) == .news)
    #expect(state.answered(entry(20), at: StoreRevision(20), began: 3, ticket: 5) == .known)
    #expect(state.entry == entry(30))
    #expect(state.answered(entry(40), at: StoreRevision(40), began: 3, ticket: 6) == .news)
  }

  @Test func `an answer is read again if a load came since the request`() {
    var state = followed
    #expect(state.answered(entry(20), at: StoreRevision(20), began: 1, ticket: 3) == .readAgain)
    #expect(state.entry == entry(10))
  }

  @Test func `each event has a version of its own`() {
    var state = EntryState()
    _ = state.loaded(nil, at: StoreRevision(1), began: 1, ticket: 2)
    _ = state.changed(.removed(key: "a", revision: StoreRevision(1)), ticket: 3)
    _ = state.answered(nil, at: StoreRevision(1), began: 1, ticket: 4)
    #expect(state.version == 3)
  }
}
