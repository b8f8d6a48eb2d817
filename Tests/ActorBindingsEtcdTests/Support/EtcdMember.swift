import ActorBindings
import Foundation
import Loopback
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A member of etcd that a test has started, with a folder and ports of its own.
final class EtcdMember: Sendable {
  /// The program; nil if it is not installed.
  static let program = ["/usr/bin/etcd", "/usr/local/bin/etcd", "/opt/homebrew/bin/etcd"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Whether tests start members of etcd. Many tests at once leave etcd too little of a small machine, so these tests
  /// run only in a step of their own.
  static let isWanted = ProcessInfo.processInfo.environment["ACTORBINDINGS_ETCD"] == "1" && program != nil
  static let condition: Comment = "set ACTORBINDINGS_ETCD=1, and install etcd (apt-get install etcd-server)"

  let name: String
  let port: UInt16
  let peerPort: UInt16
  let folder: URL

  private struct Running: Sendable {
    let shell: Process
    let input: Pipe
    let id: Int32
    let log: BindableActor<String>
  }

  private let running = BindableActor<Running?>(nil)

  var url: String { "http://127.0.0.1:\(port)" }
  var peerURL: String { "http://127.0.0.1:\(peerPort)" }

  init(_ name: String = "one") throws {
    self.name = name
    // The sockets are open until both ports are known, so that the ports differ.
    let wires = try (Wire.listening(), Wire.listening())
    port = wires.0.port
    peerPort = wires.1.port
    folder = Self.parent.appendingPathComponent("etcd-\(UUID().uuidString)")
  }

  // A folder in memory if there is room, because a member on a busy disk loses its leader.
  private static let parent: URL = {
    let memory = "/dev/shm"
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: memory)
    let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
    return free > 4 << 30 ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
  }()

  /// Starts members that form a cluster, and returns once each serves clients.
  static func cluster(_ count: Int, _ arguments: [String] = []) async throws -> [EtcdMember] {
    let members = try (0..<count).map { try EtcdMember("m\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for member in members { group.addTask { try await member.start(in: members, arguments) } }
      try await group.waitForAll()
    }
    return members
  }

  /// Starts the member, and returns once it serves clients.
  func start(in members: [EtcdMember] = [], _ arguments: [String] = []) async throws {
    let members = members.isEmpty ? [self] : members
    let arguments =
      [
        "--name", name, "--data-dir", folder.path,
        "--listen-client-urls", url, "--advertise-client-urls", url,
        "--listen-peer-urls", peerURL, "--initial-advertise-peer-urls", peerURL,
        "--initial-cluster", members.map { "\($0.name)=\($0.peerURL)" }.joined(separator: ","),
        "--heartbeat-interval", "50", "--election-timeout", "500",
      ] + arguments
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The member is killed when the input ends: also if the test process crashes. The shell does not wait for that end,
    // because a process that another test starts meanwhile can inherit the other side of the input.
    process.arguments =
      ["-c", Self.script, "sh", try #require(Self.program)] + arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    let log = BindableActor("")
    try process.run()
    try? output.fileHandleForWriting.close()
    Thread.detachNewThread {
      // Reads to the end: otherwise the member would wait for a reader of its log.
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { break }
        let text = String(decoding: buffer.prefix(count), as: UTF8.self)
        log.modify { $0 = String(($0 + text).suffix(50_000)) }
      }
      log.finish()
    }
    guard let text = await log.first(where: { $0.contains("ready to serve client requests") }) else {
      throw Failure(log: String(log.value.suffix(2000)))
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("pid ") }
    let id = try #require(line.flatMap { Int32($0.dropFirst(4)) })
    running.send(Running(shell: process, input: input, id: id, log: log))
  }

  // The first shell waits for its child in the foreground, because `wait` of some shells hangs where a process is started
  // with SIGCHLD blocked. The second shell becomes the member.
  private static let script = """
    exec 3<&0
    sh -c '{ cat <&3; kill -9 $$; } >/dev/null 2>&1 & echo pid $$; exec "$@" 3<&-' sh "$@"
    echo the member is gone
    """

  /// A member did not start.
  struct Failure: Error {
    let log: String
  }

  /// Sends a signal: `SIGSTOP` and `SIGCONT` freeze and thaw the member.
  func signal(_ number: Int32) {
    if let id = running.value?.id { _ = kill(id, number) }
  }

  /// Ends the member as a crash does, and returns once the process is gone.
  func crash() async throws {
    guard let running = running.value else { return }
    self.running.send(nil)
    _ = kill(running.id, SIGKILL)
    try running.input.fileHandleForWriting.close()
    // Not by `waitUntilExit`: the shell may still have a child that waits for the end of the input.
    _ = await running.log.first { $0.contains("the member is gone") }
  }

  /// Ends the member, and removes its folder.
  func end() async throws {
    try await crash()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Forgets everything: for a member that has ended.
  func wipe() throws {
    try FileManager.default.removeItem(at: folder)
  }
}

/// The members that tests may start now. More members than a small machine can run would lose their leaders.
private let freeMembers = BindableActor(5)

private func takeMembers(_ count: Int) async throws {
  while let free = await freeMembers.first(where: { $0 >= count }) {
    if freeMembers.compareAndSet(free, free - count) { return }
  }
  throw CancellationError()
}

/// Runs `body` with a cluster of its own, and then ends its members. Waits while other tests have too many members.
func withEtcd<R>(
  members count: Int = 1,
  _ arguments: [String] = [],
  _ body: ([EtcdMember]) async throws -> R
) async throws -> R {
  try await takeMembers(count)
  defer { freeMembers.modify { $0 += count } }
  let members = try await EtcdMember.cluster(count, arguments)
  let result: Result<R, any Error>
  do {
    result = .success(try await body(members))
  } catch {
    result = .failure(error)
  }
  for member in members { try await member.end() }
  return try result.get()
}
