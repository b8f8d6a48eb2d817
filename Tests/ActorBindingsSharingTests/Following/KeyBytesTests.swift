import ActorBindings
import ActorBindingsSharing
import Testing

/// Keys whose bytes differ only by Unicode normalization: the store tells them apart, and `String` does not.
@Suite(.timeLimit(.minutes(9))) struct KeyBytesTests {
  private let composed = "c/caf\u{e9}"
  private let decomposed = "c/cafe\u{301}"

  @Test func `keys and scopes compare by their bytes`() {
    #expect(composed == decomposed)
    #expect(StoreKey(composed) != StoreKey(decomposed))
    #expect(Set([StoreKey(composed), StoreKey(decomposed), StoreKey(composed)]).count == 2)
    #expect(StoreScope.key(composed) != .key(decomposed))
    #expect(StoreScope.prefix(composed) != .prefix(decomposed))
    #expect(StoreScope.key(composed) != .prefix(composed))
    #expect(!StoreScope.key(composed).contains(decomposed))
    #expect(StoreScope.key(composed).contains(composed))
  }

  @Test func `a folder ends in its slash, also before a combining accent`() async throws {
    let key = "c/\u{301}a"
    #expect(StoreScope(containing: key) == .prefix("c/"))
    let store = InMemoryStore()
    let changes = try await store.changes(in: .prefix("c/"), after: StoreRevision(0))
    try await store.put(1, key)
    for try await batch in changes {
      #expect(batch.map(\.key) == [key])
      break
    }
  }

  @Test func `two cells hold two values`() async throws {
    let store = InMemoryStore()
    let cells = [composed, decomposed].map { SharedCell($0, in: store, initially: 0) }
    for cell in cells {
      cell.start()
      _ = await cell.link.first { $0 == .live }
    }
    try await cells[0].modify { $0 = 1 }
    try await cells[1].modify { $0 = 2 }
    #expect(cells.map(\.value) == [1, 2])
    try await store.put(3, composed)
    _ = await cells[0].first { $0 == 3 }
    #expect(cells[1].value == 2)
    let late = SharedCell(decomposed, in: store, initially: 0)
    late.start()
    try await late.ready()
    #expect(late.value == 2)
    try await cells[0].remove()
    #expect(try await store.load(.prefix("c/")).entries.count == 1)
  }
}
