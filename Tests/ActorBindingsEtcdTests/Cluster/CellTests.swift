import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation
import Testing

/// Cells over members of etcd.
@Suite(.enabled(if: EtcdMember.isWanted, EtcdMember.condition))
struct CellTests {
  // `ACTORBINDINGS_ETCD_WRITERS=50 ACTORBINDINGS_ETCD_WRITES=200` makes the test longer.
  @Test func `the modifies of cells in different stores make the exact sum`() async throws {
    let environment = ProcessInfo.processInfo.environment
    let writers = environment["ACTORBINDINGS_ETCD_WRITERS"].flatMap { Int($0) } ?? 8
    let writes = environment["ACTORBINDINGS_ETCD_WRITES"].flatMap { Int($0) } ?? 25
    try await withEtcd { members in
      let url = members[0].url
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<writers {
          group.addTask {
            let cell = SharedCell("sum/a", in: try EtcdStore(url), initially: 0)
            for _ in 0..<writes { try await cell.modify { $0 += 1 } }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await read("sum/a", of: url) == writers * writes)
    }
  }

  @Test func `a cell ends on the last value of another store, after a crash too`() async throws {
    try await withEtcd { members in
      let url = members[0].url
      let reader = SharedCell("config/a", in: try EtcdStore(url), initially: 0)
      let running = reader.start()
      try await reader.ready()
      let writer = SharedCell("config/a", in: try EtcdStore(url), initially: 0)
      try await writer.modify { $0 = 1 }
      _ = await reader.first { $0 == 1 }
      try await members[0].crash()
      try await members[0].start()
      try await writer.modify { $0 = 2 }
      _ = await reader.first { $0 == 2 }
      #expect(reader.value == 2)
      running.cancel()
    }
  }
}
