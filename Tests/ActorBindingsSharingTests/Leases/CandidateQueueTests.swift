import ActorBindingsSharing
import Testing

@Suite
struct CandidateQueueTests {
  private static func queue(_ revisions: KeyValuePairs<String, UInt64>) -> CandidateQueue {
    CandidateQueue(
      revisions.map { StoreEntry(key: $0.key, bytes: [], revision: StoreRevision($0.value)) },
      prefix: "leadership/feed/"
    )
  }

  @Test
  func `the candidate with the smallest revision is first, whatever the order of the entries`() {
    let queue = Self.queue(["leadership/feed/b": 7, "leadership/feed/a": 5, "leadership/feed/c": 9])
    #expect(queue.place(of: "leadership/feed/a") == .first(StoreRevision(5)))
    #expect(queue.place(of: "leadership/feed/b") == .behind("leadership/feed/a"))
    #expect(queue.place(of: "leadership/feed/c") == .behind("leadership/feed/b"))
  }

  @Test
  func `a candidate without an entry is absent`() {
    #expect(Self.queue([:]).place(of: "leadership/feed/a") == .absent)
    #expect(Self.queue(["leadership/feed/b": 1]).place(of: "leadership/feed/a") == .absent)
  }

  @Test
  func `an entry further below the prefix, or elsewhere, is no candidate`() {
    let queue = Self.queue(["leadership/feed/x/y": 1, "leadership/food/z": 2, "leadership/feed/a": 3])
    #expect(queue.place(of: "leadership/feed/a") == .first(StoreRevision(3)))
    #expect(queue.place(of: "leadership/feed/x/y") == .absent)
  }
}
