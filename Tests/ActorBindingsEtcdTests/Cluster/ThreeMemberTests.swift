import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import CounterHistory
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Cells over a cluster of three members that stop and die. One after the other, because each has three members.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: EtcdMember.isWanted, EtcdMember.condition))
struct ThreeMemberTests {
  private func cell(_ members: [EtcdMember]) throws -> SharedCell<Int> {
    SharedCell("sum/a", in: try EtcdStore(endpoints: members.map(\.url)), initially: 0)
  }

  @Test func `a cell is stale while a majority is stopped, and then a modify that waits is applied`()
    async throws
  {
    try await withEtcd(members: 3) { members in
      let (reader, writer) = (try cell(members), try cell(members))
      let running = reader.start()
      defer { running.cancel() }
      try await writer.modify { $0 = 1 }
      _ = await reader.first { $0 == 1 }
      for member in members.dropFirst() { member.signal(SIGSTOP) }
      let waiting = Task { try await writer.modify { $0 += 1 } }
      _ = await reader.link.first { if case .stale = $0 { true } else { false } }
      #expect(reader.value == 1)
      for member in members.dropFirst() { member.signal(SIGCONT) }
      try await waiting.value
      _ = await reader.first { $0 == 2 }
      #expect(try await read("sum/a", of: members[0].url) == 2)
    }
  }

  @Test func `increments and reads are linearizable while the leader is killed`() async throws {
    try await withEtcd(members: 3) { members in
      let history = BindableActor(CounterHistory())
      let urls = members.map(\.url)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
          group.addTask {
            // Each writer prefers another member.
            let endpoints = (0..<3).map { urls[($0 + number) % 3] }
            let cell = SharedCell("sum/a", in: try EtcdStore(endpoints: endpoints), initially: 0)
            for _ in 0..<25 {
              try await history.note(isRead: false) {
                try await cell.modify { value in
                  value += 1
                  return value
                }
              }
            }
          }
        }
        group.addTask {
          for _ in 0..<30 {
            try await history.note(isRead: true) { try await read("sum/a", of: urls[0], urls[1], urls[2]) }
          }
        }
        _ = await history.first { $0.increments.count + $0.uncertain >= 20 }
        for member in members {
          guard try await member.isLeader() else { continue }
          try await member.crash()
          _ = await history.first { $0.increments.count + $0.uncertain >= 60 }
          try await member.start(in: members)
          break
        }
        try await group.waitForAll()
      }
      let operations = history.value
      #expect(operations.isLinearizable)
      #expect(operations.increments.count + operations.uncertain == 100)
      let sum = try await read("sum/a", of: urls[0], urls[1], urls[2])
      #expect(operations.increments.count...100 ~= sum)
    }
  }
}
