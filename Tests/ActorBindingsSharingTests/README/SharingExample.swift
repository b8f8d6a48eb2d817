import ActorBindings
import ActorBindingsSharing
import Foundation
import Testing

// The code between the markers is shown in the README; the suite `ReadmeTests` compares the two.

private struct Limits: Codable, Sendable {
  var requests = 0
}

@Suite(.timeLimit(.minutes(9)))
struct SharingExample {
  @Test
  func `a cell is shared over a folder`() async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "sharing-\(UUID().uuidString)")
    let folder = url.path
    defer { try? FileManager.default.removeItem(at: url) }
    // README
    let store = try FileStore(folder)  // or InMemoryStore(), or a store of your own
    let limits = SharedCell("app/limits", in: store, initially: Limits())
    let token = limits.start()  // follows the store until the token is cancelled, or the cell is gone

    try await limits.modify { $0.requests += 1 }  // returns when the store has acknowledged it
    print(limits.value.requests)  // a plain read: no network
    // end
    #expect(limits.value.requests == 1)
    await token.cancelAndWait()
  }
}
