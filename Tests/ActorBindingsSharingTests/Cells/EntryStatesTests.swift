import ActorBindingsSharing
import Testing

@Suite struct EntryStatesTests {
  /// The state of an entry that was loaded at a revision.
  private func state(_ revision: UInt64) -> EntryState {
    var state = EntryState()
    let entry = StoreEntry(key: "k", bytes: [], revision: StoreRevision(revision))
    _ = state.loaded(entry, at: entry.revision, began: 1, ticket: 2)
    return state
  }

  @Test(arguments: 0..<200) func `they hold what a dictionary holds`(seed: UInt64) {
    var random = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    func next(_ limit: UInt64) -> UInt64 {
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      return random % limit
    }
    var states = EntryStates()
    var model: [StoreKey: UInt64] = [:]
    for revision in 1...60 as ClosedRange<UInt64> {
      let key = StoreKey("k\(next(4))")
      let isRemoval = next(2) == 0
      states[key] = isRemoval ? nil : state(revision)
      model[key] = isRemoval ? nil : revision
      #expect(states.count == model.count)
      #expect(states.keys.sorted() == model.keys.sorted())
      for key in (0..<4).map({ StoreKey("k\($0)") }) {
        #expect(states[key]?.entry?.revision.number == model[key])
      }
    }
  }
}
