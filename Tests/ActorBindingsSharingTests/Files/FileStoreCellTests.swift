import ActorBindings
import ActorBindingsSharing
import Testing

@Suite(.timeLimit(.minutes(9))) struct FileStoreCellTests {
  @Test func `cells of two store objects hold one value, and it survives them`() async throws {
    let folder = try TemporaryFolder()
    do {
      let first = SharedCell("counts/all", in: try FileStore(patient: folder.path), initially: 0)
      let second = SharedCell("counts/all", in: try FileStore(patient: folder.path), initially: 0)
      let tokens = [first.start(), second.start()]
      try await first.ready()
      try await second.ready()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for cell in [first, second] {
          group.addTask { for _ in 0..<20 { try await cell.modify { $0 += 1 } } }
        }
        try await group.waitForAll()
      }
      for cell in [first, second] { _ = await cell.first { $0 == 40 } }
      tokens.forEach { $0.cancel() }
    }
    let third = SharedCell("counts/all", in: try FileStore(patient: folder.path), initially: 0)
    let token = third.start()
    try await third.ready()
    #expect(third.value == 40)
    token.cancel()
  }
}
