import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

@Suite struct PendingChangesTests {
  private func change(_ key: String, _ revision: UInt64) -> StoreChange {
    .removed(key: key, revision: StoreRevision(revision))
  }

  @Test func `changes are taken in their order, once`() {
    var pending = PendingChanges()
    pending.changesCame([change("a", 1), change("b", 2)])
    pending.changesCame([change("c", 3)])
    #expect(pending.take() == [change("a", 1), change("b", 2), change("c", 3)])
    #expect(pending.take() == [])
  }

  @Test func `a change of a key replaces the earlier one, at its own place`() {
    var pending = PendingChanges()
    pending.changesCame([change("a", 1), change("b", 2), change("a", 3)])
    #expect(pending.take() == [change("b", 2), change("a", 3)])
  }

  @Test func `keys whose bytes differ only by Unicode normalization are two keys`() {
    var pending = PendingChanges()
    pending.changesCame([change("\u{e9}", 1), change("e\u{301}", 2)])
    #expect(pending.take().map(\.revision.number) == [1, 2])
  }

  @Test func `a reader that does not ask costs memory for each key only`() {
    var pending = PendingChanges()
    for revision in 1...10_000 as ClosedRange<UInt64> {
      pending.changesCame([change("\(revision % 3)", revision)])
    }
    #expect(pending.slotCount <= 2 * 3 + 17)
    #expect(pending.take() == [change("2", 9_998), change("0", 9_999), change("1", 10_000)])
  }
}
