import ActorBindingsEtcd
import ActorBindingsSharing
import ActorBindingsTesting
import Testing

/// The contract suite against etcd.
@Suite(.enabled(if: EtcdMember.isWanted, EtcdMember.condition))
struct ContractTests {
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
