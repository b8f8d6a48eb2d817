import Foundation
import LiveBoard
import WebServer

/// A client that blocks while it waits, and so must be on a separate thread: see `onThread`.
struct Visitor: Sendable {
  let socket: Socket

  /// An error: no answer has come for a very long time.
  struct Silence: Error {
    let heard: String
  }

  /// Connects to a server. The client waits for an answer longer than the time limits of the tests: on a busy machine,
  /// with one thread in the pool, an answer is one of a thousand jobs.
  init(_ port: UInt16, receiveBuffer: Int32? = nil) throws {
    socket = try Socket.connected(to: port, receiveBuffer: receiveBuffer, patience: 600)
  }

  func say(_ text: String) {
    _ = socket.write(Array(text.utf8)[...])
  }

  func ask(_ target: String, _ headers: String = "") {
    say("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headers)\r\n")
  }

  /// Reads at least `count` bytes.
  func take(_ count: Int) throws {
    var (taken, buffer) = (0, [UInt8](repeating: 0, count: 1_024))
    while taken < count {
      guard case .moved(let count) = socket.read(into: &buffer) else {
        throw Silence(heard: "\(taken) bytes")
      }
      taken += count
    }
  }

  /// Returns what arrives, up to and including `text`, or up to the end.
  @discardableResult
  func hear(upTo text: String? = nil) throws -> String {
    var heard = Data()
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let end = text.map { Data($0.utf8) }
    while true {
      switch socket.read(into: &buffer) {
      case .notNow: throw Silence(heard: String(decoding: heard, as: UTF8.self))
      case .ended: return String(decoding: heard, as: UTF8.self)
      case .moved(let count):
        // The text may arrive in two halves.
        let seam = max(0, heard.count - (end?.count ?? 0))
        heard += buffer[..<count]
        if let end, heard.range(of: end, in: seam..<heard.count) != nil {
          return String(decoding: heard, as: UTF8.self)
        }
      }
    }
  }
}

/// Runs a blocking `body` on a separate thread: the pool may have only one thread, which `body` would block.
@discardableResult
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Swift.Result { try body() })
    }
  }
}
