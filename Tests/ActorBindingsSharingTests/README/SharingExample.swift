import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation
import Testing

// The code between the markers is shown in the README; the suite `ReadmeTests` compares the two.

private struct Limits: Codable, Sendable {
  var requests = 0
}

// Compiled, and not run: without etcd at that address it would wait.
private func shareOverEtcd() async throws {
  // README
  let store = try EtcdStore("http://127.0.0.1:2379")  // or FileStore(folder), or a store of your own
  let limits = SharedCell("app/limits", in: store, initially: Limits())
  limits.start()  // follows the store while `limits` lives

  try await limits.modify { $0.requests += 1 }  // returns when the store has acknowledged it
  print(limits.value.requests)  // a plain read: no network
  // end
}

@Suite(.timeLimit(.minutes(9)))
struct SharingExample {
  @Test
  func `a cell is shared over a folder`() async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "sharing-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let store = try FileStore(url.path)
    let limits = SharedCell("app/limits", in: store, initially: Limits())
    let token = limits.start()

    try await limits.modify { $0.requests += 1 }
    #expect(limits.value.requests == 1)
    await token.cancelAndWait()
  }
}
