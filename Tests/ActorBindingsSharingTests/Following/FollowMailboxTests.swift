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
      _ = mailbox.post([change(revision % 2 == 0 ? "a" : "b", UInt64(revision))], of: 1)
    }
    mailbox.post(.timeCame)
    _ = mailbox.post([change("a", 1_001)], of: 1)
    let events = await mailbox.next()
    #expect(names(events ?? []) == ["1 opened", "1:a1000,b999", "time", "1:a1001"])
  }

  @Test func `an older duplicate does not replace a newer change`() async {
    _ = mailbox.post([change("a", 5)], of: 1)
    _ = mailbox.post([change("a", 4)], of: 1)
    #expect(names(await mailbox.next() ?? []) == ["1:a5"])
  }

  @Test func `changes of different attempts are not merged`() async {
    _ = mailbox.post([change("a", 5)], of: 1)
    _ = mailbox.post([change("a", 4)], of: 2)
    #expect(names(await mailbox.next() ?? []) == ["1:a5", "2:a4"])
  }

  @Test func `an empty batch is an event too`() async {
    _ = mailbox.post([], of: 1)
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

  // MARK: Lending

  /// Begins to wait for events, and returns once the task waits.
  private func wait() async -> Task<[FollowMailbox.Event]?, Never> {
    let reader = Task { [mailbox] in await mailbox.next() }
    while !mailbox.isWaiting { await Task.yield() }
    return reader
  }

  @Test func `the task that posts changes handles them while the loop's task waits`() async {
    let reader = await wait()
    #expect(mailbox.post([change("a", 5)], of: 1) == [change("a", 5)])
    mailbox.handled()
    #expect(mailbox.post([change("a", 6), change("a", 7)], of: 1) == [change("a", 7)])
    mailbox.handled()
    #expect(mailbox.post([], of: 1) == [])
    mailbox.handled()
    #expect(mailbox.isWaiting)
    mailbox.post(.timeCame)
    #expect(names(await reader.value ?? []) == ["time"])
  }

  @Test func `what comes while a task handles changes waits for its end`() async {
    let reader = await wait()
    #expect(mailbox.post([change("a", 5)], of: 1) != nil)
    #expect(mailbox.post([change("a", 6)], of: 2) == nil)
    mailbox.post(.timeCame)
    #expect(mailbox.isWaiting)
    mailbox.handled()
    #expect(names(await reader.value ?? []) == ["2:a6", "time"])
  }

  @Test func `the loop's task handles changes that come while it does not wait`() async {
    mailbox.post(.timeCame)
    #expect(mailbox.post([change("a", 5)], of: 1) == nil)
    #expect(names(await mailbox.next() ?? []) == ["time", "1:a5"])
    #expect(mailbox.post([change("a", 6)], of: 1) == nil)
    #expect(names(await mailbox.next() ?? []) == ["1:a6"])
  }

  @Test func `the loop's task ends once no other task handles changes`() async {
    let reader = await wait()
    #expect(mailbox.post([change("a", 5)], of: 1) != nil)
    mailbox.close()
    #expect(mailbox.isWaiting)
    mailbox.handled()
    #expect(await reader.value == nil)
    #expect(mailbox.post([change("a", 6)], of: 1) == nil)
  }
}
