import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation

extension EtcdMember {
  /// Sends a request to the member past the store.
  @discardableResult
  func post(_ path: String, _ body: String) async throws -> String {
    let answer = try await SocketTransport().send(url + path, body: Array(body.utf8), headers: [:])
    return String(decoding: answer.body, as: UTF8.self)
  }

  /// Forgets the changes before a revision.
  func compact(before revision: UInt64) async throws {
    try await post("/v3/kv/compaction", #"{"revision":"\#(revision)","physical":true}"#)
  }

  /// Turns authentication on, and adds the user `u` with the password `right`, for keys that begin with `allowed/`.
  func addUsers() async throws {
    try await post("/v3/auth/user/add", #"{"name":"root","password":"root"}"#)
    try await post("/v3/auth/user/grant", #"{"user":"root","role":"root"}"#)
    try await post("/v3/auth/user/add", #"{"name":"u","password":"right"}"#)
    try await post("/v3/auth/role/add", #"{"name":"r"}"#)
    let range = #""key":"YWxsb3dlZC8=","range_end":"YWxsb3dlZDA=""#
    try await post("/v3/auth/role/grant", #"{"name":"r","perm":{"permType":"READWRITE",\#(range)}}"#)
    try await post("/v3/auth/user/grant", #"{"user":"u","role":"r"}"#)
    try await post("/v3/auth/enable", "{}")
  }
}

extension EtcdMember {
  private struct Status: Decodable {
    struct Header: Decodable {
      var member_id: String
    }

    var header: Header
    var leader: String?
  }

  /// Whether the member leads its cluster.
  func isLeader() async throws -> Bool {
    let answer = try await post("/v3/maintenance/status", "{}")
    let status = try JSONDecoder().decode(Status.self, from: Data(answer.utf8))
    return status.leader == status.header.member_id
  }
}

/// Reads the value of a key with a store and a cell of its own.
func read(_ key: String, of urls: String...) async throws -> Int {
  let cell = SharedCell(key, in: try EtcdStore(endpoints: urls), initially: 0)
  let running = cell.start()
  defer { running.cancel() }
  try await cell.ready()
  return cell.value
}
