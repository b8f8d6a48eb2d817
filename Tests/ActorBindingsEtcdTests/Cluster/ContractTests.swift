import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import ActorBindingsTesting
import Testing

/// The contract suite against etcd.
@Suite(.enabled(if: EtcdMember.isWanted, EtcdMember.condition))
struct ContractTests {
  // Alone, because a compaction takes the history of the other checks too.
  @Test func `a compaction loses the history, as the contract says`() async throws {
    try await withEtcd { members in
      let store = try EtcdStore(members[0].url, prefix: "contract tests/")
      let check = try #require(StoreContract.checks.first { $0.name.contains("whose changes are gone") })
      let losses = BindableActor(0)
      try await check.run(on: store) {
        try await members[0].compact(before: try await store.load(.prefix("")).revision.number)
        losses.send(1)
      }
      #expect(losses.value == 1)
    }
  }

  @Test func `keeps the contract`() async throws {
    try await withEtcd { members in
      let store = try EtcdStore(members[0].url, prefix: "contract tests/")
      await withTaskGroup(of: Void.self) { group in
        for check in StoreContract.checks {
          group.addTask {
            do {
              try await check.run(on: store)
            } catch {
              Issue.record(error, "\(check.name)")
            }
          }
        }
      }
    }
  }
}
