import ActorBindingsSharing
import Testing

@Suite(.timeLimit(.minutes(9))) struct FollowMailboxTests {
  private let mailbox = FollowMailbox()

  private func change(_ key: String, _ revision: UInt64) -> StoreChange {
    .written(StoreEntry(key: key, bytes: [], revision: StoreRevision(revision)))
  }

  /// The changes of each batch, and the names of other events.
  private func names(_ events: [FollowMailbox.Event]) -> [String] {
    events.map { event in
      switch event {
      case .changes(let attempt, let changes):
        "\(attempt):" + changes.map { "\($0.key)\($0.revision.number)" }.sorted().joined(separator: ",")
      case .opened(let attempt): "\(attempt) opened"
      case .timeCame: "time"
      default: "other"
      }
    }
  }

  @Test func `events keep their order, and changes between them are merged by key`() async {
    mailbox.post(.opened(attempt: 1))
    for revision in 1...1_000 {
      mailbox.post([change(revision % 2 == 0 ? "a" : "b", UInt64(revision))], of: 1)
    }
    mailbox.post(.timeCame)
    mailbox.post([change("a", 1_001)], of: 1)
    let events = await mailbox.next()
    #expect(names(events ?? []) == ["1 opened", "1:a1000,b999", "time", "1:a1001"])
  }

  @Test func `an older duplicate does not replace a newer change`() async {
    mailbox.post([change("a", 5)], of: 1)
    mailbox.post([change("a", 4)], of: 1)
    #expect(names(await mailbox.next() ?? []) == ["1:a5"])
  }

  @Test func `changes of different attempts are not merged`() async {
    mailbox.post([change("a", 5)], of: 1)
    mailbox.post([change("a", 4)], of: 2)
    #expect(names(await mailbox.next() ?? []) == ["1:a5", "2:a4"])
  }

  @Test func `an empty batch is an event too`() async {
    mailbox.post([], of: 1)
    #expect(names(await mailbox.next() ?? []) == ["1:"])
  }

  @Test func `a closed mailbox has no events`() async {
    mailbox.post(.timeCame)
    async let next = mailbox.next()
    mailbox.close()
    _ = await next
    mailbox.post(.timeCame)
    #expect(await mailbox.next() == nil)
  }
}
