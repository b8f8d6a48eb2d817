import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Three members of etcd, on free ports of the loopback interface. Each has a data folder, which survives its crashes.
struct Members {
  /// The program; nil if it is not installed.
  static let program = ["/usr/bin/etcd", "/usr/local/bin/etcd", "/opt/homebrew/bin/etcd"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// A folder in memory if there is one, because a member on a busy disk loses its leader.
  static var parent: URL {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: "/dev/shm")
    let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
    return free > 4 << 30 ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory
  }

  let urls: [String]
  private let peers: [String]
  private let program: String
  private let folder: URL

  init(_ program: String, folder: URL) throws {
    self.program = program
    self.folder = folder
    let ports = try Self.freePorts(6)
    urls = ports.prefix(3).map { "http://127.0.0.1:\($0)" }
    peers = ports.suffix(3).map { "http://127.0.0.1:\($0)" }
  }

  func start(_ index: Int) throws -> ChildProcess {
    let data = folder.appendingPathComponent("member-\(index)")
    let cluster = peers.enumerated().map { "m\($0.offset)=\($0.element)" }.joined(separator: ",")
    let arguments = [
      "--name", "m\(index)", "--data-dir", data.path,
      "--listen-client-urls", urls[index], "--advertise-client-urls", urls[index],
      "--listen-peer-urls", peers[index], "--initial-advertise-peer-urls", peers[index],
      "--initial-cluster", cluster, "--heartbeat-interval", "50", "--election-timeout", "500",
    ]
    return try ChildProcess(program, arguments, log: folder.appendingPathComponent("member-\(index).log"))
  }

  // The sockets are open until all ports are known, so that the ports differ.
  private static func freePorts(_ count: Int) throws -> [UInt16] {
    var sockets: [Int32] = []
    defer { sockets.forEach { _ = close($0) } }
    return try (0..<count).map { _ in
      #if canImport(Glibc)
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #else
        let socket = socket(AF_INET, SOCK_STREAM, 0)
      #endif
      sockets.append(socket)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
        }
      }
      guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
      return UInt16(bigEndian: address.sin_port)
    }
  }
}
