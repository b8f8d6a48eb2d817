import Foundation
import WebServer

/// Members of etcd on this machine, which end with this program.
final class EtcdCluster: Sendable {
  /// The URLs at which the members serve clients.
  let urls: [String]
  private let members: [ChildProcess]

  /// There is no etcd on this machine.
  struct NotInstalled: Error, CustomStringConvertible {
    var description: String {
      """
      there is no etcd here. On Debian and Ubuntu: apt-get install etcd-server. On macOS: brew install etcd.
      Without etcd, start ClusterBoard without --etcd: then the processes share a folder.
      """
    }
  }

  /// Starts members that form a cluster, on free ports of 127.0.0.1. Their data and their logs are in `folder`.
  init(_ count: Int, in folder: String) throws {
    guard let program = Self.program() else { throw NotInstalled() }
    let addresses = try Self.freeAddresses(2 * count)
    let (clients, peers) = (Array(addresses[..<count]), Array(addresses[count...]))
    let cluster = peers.enumerated().map { "m\($0)=\($1)" }.joined(separator: ",")
    urls = clients
    members = try (0..<count).map { index in
      let log = "\(folder)/m\(index).log"
      return try ChildProcess(
        path: "/bin/sh",
        // The shell ends the member when its input ends, so also when this program crashes.
        arguments: ["-c", #""$@" >"$0" 2>&1 & cat >/dev/null; kill -9 $!"#, log, program]
          + [
            "--name", "m\(index)", "--data-dir", "\(folder)/m\(index)",
            "--listen-client-urls", clients[index], "--advertise-client-urls", clients[index],
            "--listen-peer-urls", peers[index], "--initial-advertise-peer-urls", peers[index],
            "--initial-cluster", cluster,
          ]
      )
    }
  }

  /// Ends the members, and returns when they have ended.
  func stop() {
    for member in members { member.endInput() }
    for member in members { member.waitUntilEnded() }
  }

  // The sockets stay open until all ports are known, so that the ports differ. They close when this function returns, so
  // before a member starts.
  private static func freeAddresses(_ number: Int) throws -> [String] {
    let sockets = try (0..<number).map { _ in try Socket.listening(on: 0) }
    return sockets.map { "http://127.0.0.1:\($0.port)" }
  }

  private static func program() -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin"
    return path.split(separator: ":").map { "\($0)/etcd" }.first(
      where: FileManager.default.isExecutableFile(atPath:)
    )
  }
}
