import Foundation

/// Members of etcd on free ports of 127.0.0.1, which form a cluster.
final class EtcdCluster: Sendable {
  /// The program; nil if it is not installed.
  static let program: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin"
    return path.split(separator: ":").map { "\($0)/etcd" }.first(
      where: FileManager.default.isExecutableFile(atPath:)
    )
  }()

  /// The ports at which the members serve clients.
  let ports: [UInt16]
  private let members: [Member]

  private struct Member: Sendable {
    let process: Process
    let input: Pipe
  }

  /// Starts members, and returns once each serves clients. Their data and their logs are in `folder`.
  init(_ count: Int, in folder: String) async throws {
    guard let program = Self.program else { throw WrongResult(message: "there is no etcd") }
    // The sockets stay open until all ports are known, so that the ports differ.
    let sockets = try (0..<2 * count).map { _ in try Wire.listening() }
    let all = sockets.map(\.port)
    withExtendedLifetime(sockets) {}
    ports = Array(all[..<count])
    let urls = all.map { "http://127.0.0.1:\($0)" }
    let cluster = (0..<count).map { "m\($0)=\(urls[count + $0])" }.joined(separator: ",")
    members = try (0..<count).map { index in
      let member = Member(process: Process(), input: Pipe())
      member.process.executableURL = URL(fileURLWithPath: "/bin/sh")
      member.process.arguments =
        ["-c", Self.script, "\(folder)/m\(index).log", program]
        + [
          "--name", "m\(index)", "--data-dir", "\(folder)/m\(index)",
          "--listen-client-urls", urls[index], "--advertise-client-urls", urls[index],
          "--listen-peer-urls", urls[count + index], "--initial-advertise-peer-urls", urls[count + index],
          "--initial-cluster", cluster,
        ]
      member.process.standardInput = member.input
      try member.process.run()
      return member
    }
    do {
      for port in ports { try await onThread { try Self.waitUntilServing(port) } }
    } catch {
      await end()
      throw error
    }
  }

  // The shell becomes the member. Its child kills the member, and removes the folder of the log, when the input ends: so
  // also when this program is interrupted.
  private static let script = """
    exec 3<&0
    { cat <&3; kill -9 $$; rm -rf "${0%/*}"; } >/dev/null 2>&1 &
    exec "$@" 3<&- >"$0" 2>&1 </dev/null
    """

  private static func waitUntilServing(_ port: UInt16) throws {
    let end = ContinuousClock.now + .seconds(15)
    while true {
      do {
        return try PlainClient(port: port).checkHealth()
      } catch {
        if ContinuousClock.now > end {
          throw WrongResult(message: "a member of etcd did not start: \(error)")
        }
        usleep(50_000)
      }
    }
  }

  /// Ends the members by their own process ids, and returns when they have ended.
  func end() async {
    for member in members { try? member.input.fileHandleForWriting.close() }
    let processes = members.map(\.process)
    _ = try? await onThread { processes.forEach { $0.waitUntilExit() } }
  }
}

/// Runs `body` with a cluster of its own. Then ends the members, and removes their data.
func withEtcd<R>(members count: Int = 1, _ body: ([UInt16]) async throws -> R) async throws -> R {
  try await withTemporaryFolder { folder in
    let cluster = try await EtcdCluster(count, in: folder)
    let result: Result<R, any Error>
    do { result = .success(try await body(cluster.ports)) } catch { result = .failure(error) }
    await cluster.end()
    return try result.get()
  }
}

/// The URL of a port on this machine.
func url(_ port: UInt16) -> String { "http://127.0.0.1:\(port)" }
